use csi_registration::{KubeletCall, PluginStatus};

use super::*;

fn status() -> Status {
    let since: Timestamp = "2026-02-03T04:05:06.789Z".parse().unwrap();
    Status {
        state: State::Refused,
        reason: "the kubelet said no".to_owned(),
        since,
        problem: true,
        driver: Some("disk.acme.io".to_owned()),
        endpoint: "/csi/csi.sock".to_owned(),
        socket: None,
        socket_is_shown: false,
        restart_needed: false,
        last_kubelet_call: Some(KubeletCall {
            method: "GetInfo".to_owned(),
            time: since,
        }),
        last_refusal: None,
        refusals: 3,
        rebinds: 2,
        plugin: PluginStatus {
            answering: true,
            reason: "it answers".to_owned(),
            since,
        },
        warnings: Vec::new(),
    }
}

#[test]
fn a_call_falls_into_its_bucket_and_all_above_it() {
    let metrics = Metrics::new();
    let name = "/csi.v1.Identity/GetPluginInfo";
    metrics.observe(name, Code::FailedPrecondition, Duration::from_millis(250));
    metrics.observe(name, Code::FailedPrecondition, Duration::from_secs(601));
    let labels = format!(
        "{{driver_name=\"unknown-driver\",method_name=\"{name}\",grpc_status_code=\"FailedPrecondition\""
    );
    let text = metrics.text(None);
    for (series, value) in [
        ("bucket", ",le=\"0.1\"} 0"),
        ("bucket", ",le=\"0.25\"} 1"),
        ("bucket", ",le=\"600\"} 1"),
        ("bucket", ",le=\"+Inf\"} 2"),
        ("sum", "} 601.25"),
        ("count", "} 2"),
    ] {
        let line = format!("\ncsi_sidecar_operations_seconds_{series}{labels}{value}\n");
        assert!(text.contains(&line), "{line} not in {text}");
    }
}

#[test]
fn a_probe_is_an_operation_and_a_duration_and_says_whether_the_plugin_answers() {
    let metrics = Metrics::new();
    assert!(!metrics.text(None).contains("csi_plugin_answering"));
    let took = Duration::from_millis(1);
    let answer = crate::Answer::Ready;
    metrics.observe_probe(&Outcome { answer, took });
    metrics.observe_abandoned_probe(took);
    let text = metrics.text(None);
    for line in [
        "csi_probe_duration_seconds_bucket{le=\"0.0005\"} 0\n",
        "csi_probe_duration_seconds_bucket{le=\"0.001\"} 1\n",
        "csi_probe_duration_seconds_count 1\n",
        "csi_plugin_answering 1\n",
        "method_name=\"/csi.v1.Identity/Probe\",grpc_status_code=\"OK\"} 1\n",
        "method_name=\"/csi.v1.Identity/Probe\",grpc_status_code=\"Canceled\"} 1\n",
    ] {
        assert!(text.contains(line), "{line} not in {text}");
    }
}

#[test]
fn a_registration_has_its_numbers() {
    let text = Metrics::new().text(Some(&status()));
    for line in [
        "csi_registration_state{state=\"registered\"} 0\n",
        "csi_registration_state{state=\"refused\"} 1\n",
        "# TYPE csi_registration_refusals_total counter\n",
        "csi_registration_refusals_total 3\n",
        "csi_registration_socket_rebinds_total 2\n",
        "csi_registration_last_kubelet_call_timestamp_seconds 1770091506.789\n",
        "csi_plugin_answering 1\n",
    ] {
        assert!(text.contains(line), "{line} not in {text}");
    }
    assert_eq!(text.matches("csi_registration_state{").count(), 6);
}

/// Every line is a comment of the two known kinds, or a name, labels and a number, and no series comes twice.
#[test]
fn the_text_is_of_the_format() {
    let metrics = Metrics::new();
    metrics.set_driver_name("a \"b\"\n\\");
    let took = Duration::from_micros(400);
    metrics.observe_probe(&Outcome {
        answer: crate::Answer::NotReady,
        took,
    });
    let mut status = status();
    status.driver = None;
    let text = metrics.text(Some(&status));
    assert!(
        text.contains("driver_name=\"a \\\"b\\\"\\n\\\\\","),
        "{text}"
    );
    let mut seen = std::collections::HashSet::new();
    for line in text.lines() {
        if line.starts_with("# HELP ") || line.starts_with("# TYPE ") {
            continue;
        }
        let (series, value) = line.rsplit_once(' ').unwrap();
        assert!(value.parse::<f64>().is_ok(), "{line}");
        assert!(seen.insert(series), "{series} comes twice");
    }
    assert!(text.ends_with('\n'));
}
