//! What is written to the log, and what is not.

use std::time::Duration;

use tonic::Code;

use crate::log;
use crate::plugin::Reply;
use crate::rig::{PATIENCE, Probed, pass};

#[tokio::test]
async fn r30_a_thousand_good_probes_write_nothing() {
    let Probed {
        plugin,
        prober,
        folder: _folder,
    } = Probed::start(Reply::Ready(None), PATIENCE).await;
    for _ in 0..1000 {
        prober.probe().await;
    }
    assert_eq!(plugin.counts().probes, 1000);
    assert_eq!(log::lines(), [""; 0]);
}

#[tokio::test]
async fn r30_a_thousand_bad_probes_write_one_line_and_a_summary_and_the_recovery_one() {
    let reply = Reply::Error(Code::FailedPrecondition, "NOT_READY: pool p0");
    let Probed {
        plugin,
        prober,
        folder: _folder,
    } = Probed::start(reply, PATIENCE).await;
    for _ in 0..999 {
        prober.probe().await;
    }
    assert_eq!(
        log::lines(),
        [
            "WARN csi_health::change_log: Probe of the plugin failed reason=FAILED_PRECONDITION: NOT_READY: pool p0"
        ]
    );
    pass(Duration::from_secs(60)).await;
    prober.probe().await;
    plugin.reply(Reply::Ready(Some(true)));
    prober.probe().await;
    prober.probe().await;
    let lines = log::lines();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(
        lines[1].starts_with(
            "WARN csi_health::change_log: 999 failed Probes of the plugin in the last 6"
        ),
        "{lines:?}"
    );
    assert!(
        lines[2].starts_with(
            "INFO csi_health::change_log: the plugin is well again after 1000 failed Probes in 6"
        ),
        "{lines:?}"
    );
}

#[tokio::test]
async fn a_plugin_that_hangs_longer_than_its_callers_wait_is_told_of() {
    let Probed {
        plugin,
        prober,
        folder: _folder,
    } = Probed::start(Reply::Held, PATIENCE).await;
    for patience in [100, 900] {
        let mut asked = Box::pin(prober.probe());
        assert_eq!(futures_util::future::poll_immediate(&mut asked).await, None);
        pass(Duration::from_millis(patience)).await;
        drop(asked);
        plugin.counted(|counts| counts.in_flight == 0).await;
    }
    let lines = log::lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].starts_with(
            "WARN csi_health::change_log: Probe of the plugin failed reason=the plugin had not answered Probe after 9"
        ),
        "{lines:?}"
    );
    assert!(prober.metrics().text(None).contains(
        "csi_sidecar_operations_seconds_count{driver_name=\"unknown-driver\",\
         method_name=\"/csi.v1.Identity/Probe\",grpc_status_code=\"Canceled\"} 2\n"
    ));
}

#[tokio::test]
async fn r22_a_slow_answer_is_warned_of() {
    let Probed {
        plugin,
        prober,
        folder: _folder,
    } = Probed::start(Reply::Held, PATIENCE).await;
    let mut asked = Box::pin(prober.probe());
    assert_eq!(futures_util::future::poll_immediate(&mut asked).await, None);
    plugin.counted(|counts| counts.in_flight == 1).await;
    pass(Duration::from_secs(16)).await;
    plugin.release();
    asked.await;
    let lines = log::lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].starts_with("WARN csi_health::change_log: Probe took 16."),
        "{lines:?}"
    );
    assert!(
        lines[0].ends_with("s, more than half of the 30s allowed"),
        "{lines:?}"
    );
}
