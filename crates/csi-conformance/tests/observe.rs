//! Plugins of the library, as they are seen from outside.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::time::Duration;

use csi_conformance::{
    End, Method, ObserveError, ObserveOptions, Profile, Report, Selection, judge, observe,
};
use csi_endpoint::{BindOptions, Endpoint, ServeOptions};
use csi_identity::{NodeInfo, Plugin, Readiness};
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixListener;

/// Asks whoever `serves` on a socket of its own, until it has been asked.
async fn observed<F: Future<Output = ()>>(
    serves: impl FnOnce(Endpoint) -> F,
    change: impl FnOnce(&mut ObserveOptions),
) -> csi_conformance::Observation {
    let folder = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::from_path(folder.path().join("csi.sock")).unwrap();
    let mut options = ObserveOptions::at(endpoint.clone());
    change(&mut options);
    let asking = async {
        while !endpoint.path().exists() {
            tokio::task::yield_now().await;
        }
        observe(&options, |_| {}).await.unwrap()
    };
    tokio::select! {
        seen = asking => seen,
        () = serves(endpoint.clone()) => panic!("it ended"),
    }
}

async fn serve(plugin: Plugin, endpoint: Endpoint) {
    let bound = plugin.bind(&endpoint, &BindOptions::default()).unwrap();
    let stopped = bound
        .serve(ServeOptions::default(), std::future::pending::<()>())
        .await;
    drop(stopped);
}

fn plugin() -> csi_identity::PluginBuilder<csi_identity::Declared> {
    Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
}

fn broken(seen: &csi_conformance::Observation) -> Vec<&'static str> {
    let findings = judge(seen, &Selection::default());
    findings.iter().map(|finding| finding.rule.id).collect()
}

#[tokio::test]
async fn a_plugin_of_the_library_passes_by_every_measure() {
    let plugin = plugin()
        .node_info(NodeInfo::new("node-1".parse().unwrap()))
        .build()
        .unwrap();
    plugin.readiness().set(Readiness::Ready);
    let seen = observed(|endpoint| serve(plugin, endpoint), |_| {}).await;
    for profile in Profile::ALL {
        let selection = Selection::new(profile, &[], &[]).unwrap();
        let findings = judge(&seen, &selection);
        let report = Report::new(&seen, &findings, &selection).strict(true);
        assert!(!report.fails(), "{}", report.text());
    }
    // Nothing was left out, and each of the calls was made as often as it should be.
    assert_eq!(seen.left_out, [""; 0]);
    let repeated = |method| seen.plugin.repeated[&method].times;
    assert_eq!(Method::IDENTITY.map(repeated), [100; 3]);
    assert_eq!(seen.plugin.connections, 1);
    assert_eq!(
        (seen.plugin.authorities.len(), seen.plugin.crowd.len()),
        (3, 8)
    );
    let file = seen.plugin.file.unwrap();
    assert_eq!((file.mode, file.listener), (0o600, Some(file.owner)));
}

#[tokio::test]
async fn a_plugin_that_becomes_ready_meanwhile_is_waited_for() {
    let plugin = plugin().build().unwrap();
    let readiness = plugin.readiness();
    let seen = observed(
        |endpoint| async move {
            let later = async {
                tokio::time::sleep(Duration::from_millis(50)).await;
                readiness.set(Readiness::Ready);
                std::future::pending::<()>().await;
            };
            tokio::join!(serve(plugin, endpoint), later);
        },
        |_| {},
    )
    .await;
    assert_eq!(broken(&seen), [""; 0]);
}

#[tokio::test]
async fn what_does_not_speak_http2_is_a_finding_and_what_is_not_there_is_none() {
    let seen = observed(
        |endpoint| async move {
            let listener = UnixListener::bind(endpoint.path()).unwrap();
            let mut open = Vec::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let _written = stream.write_all(b"220 mail.acme.io ESMTP\r\n").await;
                open.push(stream);
            }
        },
        |_| {},
    )
    .await;
    let broken = broken(&seen);
    assert!(broken.contains(&"CSI-ID-007"), "{broken:?}");
    assert!(seen.calls.is_empty());

    let endpoint: Endpoint = "/nonexistent/csi.sock".parse().unwrap();
    let error = observe(&ObserveOptions::at(endpoint), |_| {})
        .await
        .unwrap_err();
    assert!(matches!(error, ObserveError::NotReached(_)), "{error}");
}

#[tokio::test]
async fn a_plugin_that_says_nothing_is_asked_no_longer_than_the_budget() {
    let seen = observed(
        |endpoint| async move {
            let listener = UnixListener::bind(endpoint.path()).unwrap();
            let mut open = Vec::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                // SETTINGS, and no word more.
                let _written = stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).await;
                open.push(stream);
            }
        },
        |options| options.budget = Duration::from_millis(400),
    )
    .await;
    let first = &seen.plugin.first[&Method::GET_PLUGIN_INFO].end;
    let after = Duration::from_millis(200);
    assert_eq!(*first, End::Silent { after });
    assert!(broken(&seen).contains(&"CSI-ID-006"));
    assert!(!seen.left_out.is_empty());
    assert!(seen.took < Duration::from_secs(5));
}
