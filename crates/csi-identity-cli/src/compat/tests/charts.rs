//! The arguments that public charts give their sidecars, with `$(VARIABLE)` replaced as Kubernetes does.

use std::time::Duration;

use super::{
    LivenessFlags, Logging, Metrics, OldProgram, RegistrarFlags, endpoint, liveness, parse,
    plain_liveness, plain_registrar, registrar,
};
use csi_health::HttpEndpoint;

use crate::compat::Request;
use crate::log::LogFormat;

fn beside() -> Metrics {
    Metrics::Beside {
        path: "/metrics".to_owned(),
    }
}

fn address(text: &str) -> HttpEndpoint {
    text.parse().unwrap()
}

const VERBOSE: Logging = Logging {
    verbose: 1,
    format: LogFormat::Text,
};

#[test]
fn registrars_of_public_charts_are_understood() {
    for (arguments, path, logging) in [
        // kubernetes-csi/csi-driver-nfs, deploy/v4.13.5/csi-nfs-node.yaml, registrar 2.17.
        (
            [
                "--v=2",
                "--csi-address=/csi/csi.sock",
                "--kubelet-registration-path=/var/lib/kubelet/plugins/csi-nfsplugin/csi.sock",
            ],
            "/var/lib/kubelet/plugins/csi-nfsplugin/csi.sock",
            Logging::default(),
        ),
        // kubernetes-sigs/aws-ebs-csi-driver 1.26.1, deploy/kubernetes/base/node.yaml, registrar 2.9.3.
        (
            [
                "--csi-address=/csi/csi.sock",
                "--kubelet-registration-path=/var/lib/kubelet/plugins/ebs.csi.aws.com/csi.sock",
                "--v=2",
            ],
            "/var/lib/kubelet/plugins/ebs.csi.aws.com/csi.sock",
            Logging::default(),
        ),
        // kubernetes-sigs/secrets-store-csi-driver 1.0.0-rc.1, deploy/secrets-store-csi-driver.yaml, registrar 2.3.
        (
            [
                "--v=5",
                "--csi-address=/csi/csi.sock",
                "--kubelet-registration-path=/var/lib/kubelet/plugins/csi-secrets-store/csi.sock",
            ],
            "/var/lib/kubelet/plugins/csi-secrets-store/csi.sock",
            VERBOSE,
        ),
        // kubernetes-sigs/azuredisk-csi-driver, deploy/csi-azuredisk-node.yaml, registrar 2.4.
        (
            [
                "--csi-address=/csi/csi.sock",
                "--kubelet-registration-path=/var/lib/kubelet/plugins/disk.csi.azure.com/csi.sock",
                "--v=2",
            ],
            "/var/lib/kubelet/plugins/disk.csi.azure.com/csi.sock",
            Logging::default(),
        ),
    ] {
        let expected = RegistrarFlags {
            csi_address: endpoint("/csi/csi.sock"),
            kubelet_registration_path: endpoint(path),
            logging,
            ..plain_registrar()
        };
        assert_eq!(registrar(&arguments), expected);
        // The exec probe of the charts for registrars up to 2.8, as aws-ebs-csi-driver, azuredisk and secrets-store have it.
        let probe = [
            &format!("--kubelet-registration-path={path}"),
            "--mode=kubelet-registration-probe",
        ];
        assert_eq!(parse(OldProgram::Registrar, &probe), Ok(Request::Nothing));
    }
}

#[test]
fn livenessprobes_of_public_charts_are_understood() {
    for (arguments, http_endpoint, metrics) in [
        // csi-driver-nfs v4.13.5, livenessprobe 2.19.
        (
            &[
                "--csi-address=/csi/csi.sock",
                "--probe-timeout=3s",
                "--http-endpoint=localhost:29653",
                "--v=2",
            ][..],
            "localhost:29653",
            beside(),
        ),
        // aws-ebs-csi-driver 1.26.1, livenessprobe 2.11.
        (&["--csi-address=/csi/csi.sock"], ":9808", Metrics::Off),
        // secrets-store-csi-driver 1.0.0-rc.1, livenessprobe 2.4.
        (
            &[
                "--csi-address=/csi/csi.sock",
                "--probe-timeout=3s",
                "--http-endpoint=0.0.0.0:9808",
                "-v=2",
            ],
            ":9808",
            beside(),
        ),
        // azuredisk-csi-driver, livenessprobe 2.5.
        (
            &[
                "--csi-address=/csi/csi.sock",
                "--probe-timeout=3s",
                "--health-port=29603",
                "--v=2",
            ],
            ":29603",
            Metrics::Off,
        ),
    ] {
        let expected = LivenessFlags {
            csi_address: endpoint("/csi/csi.sock"),
            probe_timeout: Duration::from_secs(3),
            http_endpoint: address(http_endpoint),
            metrics,
            ..plain_liveness()
        };
        assert_eq!(liveness(arguments), expected);
    }
}
