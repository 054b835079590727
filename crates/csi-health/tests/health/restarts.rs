//! Plugins that die and come back.

use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use csi_health::{Answer, Metrics, Prober};
use csi_identity::PluginClient;
use csi_identity::endpoint::{Channel, ConnectOptions, Endpoint};

use crate::http::get;
use crate::plugin::{FakePlugin, Reply};
use crate::rig::{PATIENCE, Probed, Rig, in_time, pass};

#[tokio::test]
async fn a_dead_plugin_is_known_with_the_reason_by_the_next_request_and_so_is_its_return() {
    let rig = Rig::start(Reply::Ready(Some(true))).await;
    let socket = rig.plugin.socket().to_owned();
    let address = rig.address;
    assert_eq!(get(address, "/healthz").await.code, 200);

    let mut plugin = rig.plugin;
    for _ in 0..3 {
        plugin.kill().await;
        let path = socket.display();
        for reason in [
            format!(
                "nothing is at {path}, though its directory exists; its server has not bound it yet, or binds another path"
            ),
            format!(
                "nobody listens on {path}; its server is gone and left the socket, or is about to listen"
            ),
        ] {
            let start = Instant::now();
            for (check, code) in [("/healthz", 500), ("/livez", 503), ("/readyz", 503)] {
                let answer = get(address, check).await;
                assert_eq!((answer.code, answer.body), (code, reason.clone()));
            }
            assert!(
                start.elapsed() < Duration::from_secs(5),
                "it waited for something"
            );
            // As a plugin leaves it that had no time to clean up.
            if !socket.exists() {
                drop(UnixListener::bind(&socket).unwrap());
            }
        }
        plugin = FakePlugin::start(&socket, Reply::Ready(None));
        assert_eq!(get(address, "/healthz").await.body, "ok");
        assert_eq!(plugin.counts().probes, 1);
    }
}

#[tokio::test]
async fn a_probe_that_is_lost_with_its_plugin_ends_at_once() {
    let Probed {
        plugin,
        prober,
        folder,
    } = Probed::start(Reply::Held, PATIENCE).await;
    let asked = tokio::spawn({
        let prober = prober.clone();
        async move { prober.probe().await }
    });
    plugin.counted(|counts| counts.in_flight == 1).await;
    plugin.kill().await;
    let outcome = in_time(asked).await.unwrap();
    assert_eq!(outcome.answer.as_str(), "unreachable");
    assert!(
        outcome
            .answer
            .reason()
            .as_str()
            .starts_with(&format!("nothing is at {}", folder.path().display()))
    );
}

#[tokio::test]
async fn a_probe_that_is_made_again_has_what_is_left_of_its_time() {
    let limit = Duration::from_secs(600);
    let Probed {
        plugin,
        prober,
        folder,
    } = Probed::start(Reply::Held, limit).await;
    let asked = tokio::spawn(async move { prober.probe().await });
    plugin.counted(|counts| counts.in_flight == 1).await;
    pass(limit * 9 / 10).await;

    let other = folder.path().join("other.sock");
    let next = FakePlugin::start(&other, Reply::Held);
    std::fs::rename(other, plugin.socket()).unwrap();
    plugin.kill().await;
    next.counted(|counts| counts.in_flight == 1).await;
    pass(limit / 10).await;
    let outcome = in_time(asked).await.unwrap();
    assert_eq!(
        outcome.answer.reason().as_str(),
        "the plugin did not answer Probe within 600s"
    );
}

#[tokio::test]
async fn r21_an_absent_plugin_and_one_that_hangs_in_get_plugin_info_are_answered_for_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("csi.sock");
    let endpoint = Endpoint::from_path(&socket).unwrap();
    let channel = Channel::new(endpoint, &ConnectOptions::default());
    let prober = Prober::new(PluginClient::new(channel), PATIENCE, Metrics::new());
    let start = Instant::now();
    let outcome = prober.probe().await;
    assert!(
        matches!(outcome.answer, Answer::Unreachable { .. }),
        "{outcome:?}"
    );

    // Its GetPluginInfo never answers.
    let _plugin = FakePlugin::start(&socket, Reply::Ready(None));
    assert_eq!(prober.probe().await.answer, Answer::Ready);
    assert!(start.elapsed() < PATIENCE / 2, "it waited for something");
}
