//! Metrics as they are served.

use csi_health::{Health, Metrics};

use crate::http::get;
use crate::plugin::Reply;
use crate::rig::{PATIENCE, Parts, Probed, Rig, registered};

#[tokio::test]
async fn metrics_count_probes_and_not_requests() {
    let parts = Parts {
        status: Some(registered()),
        ..Parts::default()
    };
    let rig = Rig::with(Reply::Ready(Some(false)), parts).await;
    for path in ["/healthz", "/livez", "/readyz", "/registrationz", "/"] {
        get(rig.address, path).await;
    }
    let answer = get(rig.address, "/metrics").await;
    assert_eq!(answer.code, 200);
    assert_eq!(answer.header("content-type"), Some(Metrics::CONTENT_TYPE));
    for line in [
        "csi_sidecar_operations_seconds_count{driver_name=\"disk.acme.io\",method_name=\"/csi.v1.Identity/Probe\",grpc_status_code=\"OK\"} 3\n",
        "csi_probe_duration_seconds_count 3\n",
        "csi_plugin_answering 1\n",
        "csi_registration_state{state=\"registered\"} 1\n",
        "csi_registration_state{state=\"lost\"} 0\n",
        concat!(
            "csi_identity_build_info{version=\"",
            env!("CARGO_PKG_VERSION"),
            "\"} 1\n"
        ),
    ] {
        assert!(answer.body.contains(line), "{line} not in {}", answer.body);
    }
}

#[tokio::test]
async fn a_plugin_that_is_gone_is_told_as_such() {
    let rig = Rig::start(Reply::Ready(None)).await;
    rig.plugin.kill().await;
    get(rig.address, "/healthz").await;
    let text = rig.metrics.text(None);
    assert!(text.contains("csi_plugin_answering 0\n"), "{text}");
    assert!(
        text.contains("grpc_status_code=\"Unavailable\"} 1\n"),
        "{text}"
    );
}

#[tokio::test]
async fn the_path_of_metrics_can_be_chosen_and_they_can_be_served_apart() {
    let Probed { prober, folder, .. } = Probed::start(Reply::Ready(None), PATIENCE).await;
    let health = Health::new(prober).with_metrics_path(Some("/numbers".parse().unwrap()));
    let without = health.clone().with_metrics_path(None);
    for (router, codes) in [
        (health.clone().router(), [200, 404, 200]),
        (health.metrics_router(), [200, 404, 404]),
        (without.clone().router(), [404, 404, 200]),
        (without.metrics_router(), [404, 200, 404]),
    ] {
        let listener = csi_health::HttpListener::bind(&"127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_address();
        let options = csi_health::HttpOptions::default();
        let forever = std::future::pending::<()>();
        tokio::spawn(csi_health::serve(listener, router, options, forever));
        for (path, code) in ["/numbers", "/metrics", "/healthz"].iter().zip(codes) {
            assert_eq!(get(address, path).await.code, code, "{path}");
        }
    }
    drop(folder);
}
