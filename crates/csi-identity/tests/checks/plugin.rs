//! A plugin that is served with its checks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use csi_identity::endpoint::{BindOptions, ConnectOptions, Endpoint, ServeOptions, connect};
use csi_identity::{
    BuildError, Check, CheckPolicy, CheckTarget, ChecksError, OnFailure, Plugin, PluginClient,
    Readiness,
};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::watched::{PATIENT, QUICK, bounded, check};

fn plugin(checks: impl IntoIterator<Item = Check>) -> Plugin {
    Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
        .checks(checks)
        .build()
        .unwrap()
}

fn path(name: &str, path: &std::path::Path, on_failure: OnFailure) -> Check {
    let target = CheckTarget::Path {
        path: path.to_str().unwrap().parse().unwrap(),
    };
    let policy = CheckPolicy {
        on_failure,
        ..QUICK
    };
    check(name, target, policy)
}

#[tokio::test]
async fn probes_cost_a_backend_nothing() {
    const PROBES: usize = 10_000;
    const CALLERS: usize = 50;
    let backend = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = CheckTarget::Http {
        url: format!("http://{}", backend.local_addr().unwrap())
            .parse()
            .unwrap(),
        status: None,
        body: None,
    };
    let folder = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::from_path(folder.path().join("csi.sock")).unwrap();
    let bound = plugin([check("array", target, PATIENT)])
        .bind(&endpoint, &BindOptions::default())
        .unwrap();
    let serving = tokio::spawn(bound.serve(ServeOptions::default(), std::future::pending::<()>()));
    // The check is on its way, and stays it: nobody answers.
    let (_stream, _) = bounded(backend.accept()).await.unwrap();
    let calls = Arc::new(AtomicUsize::new(1));
    let count = Arc::clone(&calls);
    let counting = tokio::spawn(async move {
        while backend.accept().await.is_ok() {
            count.fetch_add(1, Ordering::Relaxed);
        }
    });

    let channel = connect(&endpoint, &ConnectOptions::default())
        .await
        .unwrap();
    let mut callers = JoinSet::new();
    for _ in 0..CALLERS {
        let client = PluginClient::new(channel.clone());
        callers.spawn(async move {
            for _ in 0..PROBES / CALLERS {
                assert_eq!(client.probe().await.unwrap(), Some(false));
            }
        });
    }
    bounded(callers.join_all()).await;
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    counting.abort();
    serving.abort();
}

#[tokio::test]
async fn a_served_plugin_follows_its_checks_whatever_was_set_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let (disk, pool) = (folder.path().join("disk"), folder.path().join("pool"));
    let plugin = plugin([
        path("disk", &disk, OnFailure::Error),
        path("pool", &pool, OnFailure::NotReady),
    ]);
    let readiness = plugin.readiness();
    let mut changes = readiness.subscribe();
    let endpoint = Endpoint::from_path(folder.path().join("csi.sock")).unwrap();
    let bound = plugin.bind(&endpoint, &BindOptions::default()).unwrap();
    readiness.set(Readiness::Ready);
    assert_eq!(
        readiness.current(),
        Readiness::starting("disk: not checked yet; pool: not checked yet")
    );
    let serving = tokio::spawn(bound.serve(ServeOptions::default(), std::future::pending::<()>()));
    let channel = connect(&endpoint, &ConnectOptions::default())
        .await
        .unwrap();
    let client = PluginClient::new(channel);

    let mut until = async |expected: &Readiness| {
        bounded(changes.wait_for(|readiness| readiness == expected))
            .await
            .unwrap();
    };
    let no_disk = format!("disk: nothing is at {}", disk.display());
    let no_pool = format!("pool: nothing is at {}", pool.display());
    until(&Readiness::starting(format!("{no_disk}; {no_pool}"))).await;
    assert_eq!(client.probe().await.unwrap(), Some(false));
    std::fs::File::create(&disk).unwrap();
    std::fs::File::create(&pool).unwrap();
    until(&Readiness::Ready).await;
    assert_eq!(client.probe().await.unwrap(), Some(true));
    std::fs::remove_file(&pool).unwrap();
    until(&Readiness::starting(no_pool.clone())).await;
    assert_eq!(client.probe().await.unwrap(), Some(false));
    std::fs::remove_file(&disk).unwrap();
    until(&Readiness::not_ready(format!("{no_disk}; {no_pool}"))).await;
    assert_eq!(
        client.probe().await.unwrap_err().to_string(),
        format!("FAILED_PRECONDITION: NOT_READY: {no_disk}; {no_pool}")
    );
    std::fs::File::create(&disk).unwrap();
    std::fs::File::create(&pool).unwrap();
    until(&Readiness::Ready).await;
    readiness.set(Readiness::not_ready("licence ran out"));
    assert_eq!(
        client.probe().await.unwrap_err().to_string(),
        "FAILED_PRECONDITION: NOT_READY: licence ran out"
    );
    serving.abort();
}

#[test]
fn checks_of_one_name_make_no_plugin() {
    let check = || path("disk", std::path::Path::new("/"), OnFailure::Error);
    let error = Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
        .checks([check()])
        .checks([check()])
        .build()
        .unwrap_err();
    let name = "disk".parse().unwrap();
    assert_eq!(
        error,
        BuildError::Checks(ChecksError::DuplicateName { name })
    );
}
