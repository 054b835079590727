//! What right files mean.

use std::collections::BTreeSet;
use std::time::Duration;

use csi_identity::{
    Check, CheckPolicy, CheckTarget, ExecCommand, GrpcProbe, HttpStatus, Manifest, MaxVolumes,
    NodeInfo, OfferedService, OnFailure, PluginInfo, ReadinessPolicy, ServiceCapability, Topology,
    VolumeExpansion, WhileStarting,
};
use csi_identity_config::{Configuration, EXAMPLE, SocketSettings};

use super::read;

fn check(name: &str, target: CheckTarget, policy: CheckPolicy) -> Check {
    Check::new(name.parse().unwrap(), target, policy).unwrap()
}

#[test]
fn the_example_has_every_key_and_means_what_its_comments_say() {
    let plugin_info = PluginInfo {
        name: "disk.example.org".parse().unwrap(),
        vendor_version: "1.2.3".parse().unwrap(),
        manifest: Manifest::from_pairs([("url", "https://disk.example.org")]).unwrap(),
    };
    let node = NodeInfo {
        node_id: "node-1".parse().unwrap(),
        max_volumes_per_node: MaxVolumes::try_from(16).unwrap(),
        accessible_topology: Some(
            Topology::from_pairs([("topology.disk.example.org/zone", "z1")]).unwrap(),
        ),
    };
    let default = CheckPolicy::default();
    let tcp = CheckTarget::Tcp {
        address: "array.example.org:3260".parse().unwrap(),
    };
    let http = CheckTarget::Http {
        url: "http://array.example.org:8080/health".parse().unwrap(),
        status: Some(HttpStatus::try_from(200).unwrap()),
        body: Some("ok".parse().unwrap()),
    };
    let exec = CheckTarget::Exec {
        command: ExecCommand::new(["pg_isready", "-q"]).unwrap(),
    };
    let path = CheckTarget::Path {
        path: "/dev/fuse".parse().unwrap(),
    };
    let mount = CheckTarget::Mount {
        path: "/var/lib/pool".parse().unwrap(),
        fs_type: Some("xfs".parse().unwrap()),
    };
    let grpc = CheckTarget::Grpc {
        endpoint: "unix:///run/backend/csi.sock".to_owned(),
        probe: GrpcProbe::Health {
            service: "csi.v1.Controller".to_owned(),
        },
    };
    let not_ready = CheckPolicy {
        on_failure: OnFailure::NotReady,
        ..default
    };
    let slow = CheckPolicy {
        interval: Duration::from_secs(30),
        timeout: Duration::from_secs(10),
        ..default
    };
    let expected = Configuration {
        endpoint: Some("/run/csi/csi.sock".parse().unwrap()),
        plugin_info: Some(plugin_info),
        offered: BTreeSet::from([
            OfferedService::ControllerService,
            OfferedService::NodeService,
            OfferedService::VolumeAccessibilityConstraints,
        ]),
        expansion: BTreeSet::from([VolumeExpansion::Online]),
        node: Some(node),
        checks: vec![
            check("array", tcp, default),
            check("management", http, not_ready),
            check("database", exec, slow),
            check("device", path, default),
            check("pool", mount, default),
            check("backend", grpc, default),
        ],
        readiness: ReadinessPolicy {
            startup_limit: Some(Duration::from_secs(120)),
            while_starting: WhileStarting::NotReady,
        },
        fixed_probe: None,
        gate_on_readiness: false,
        socket: SocketSettings {
            mode: Some("0660".parse().unwrap()),
            group: Some(1000),
            allow_uids: Some(vec![0, 1000]),
        },
    };
    assert_eq!(read(EXAMPLE), expected);
}

#[test]
fn the_bodies_of_the_three_calls_are_accepted_as_they_stand() {
    let configuration = read(
        r#"
plugin_info:
  {
    "name": "csi.huawei.storage",
    "vendor_version": "2.1.0",
    "manifest": {
      "url": "https://github.com/huawei/csi-driver",
      "supported_csi_spec": "1.5.0, 1.6.0"
    }
  }
plugin_capabilities:
  {
    "capabilities": [
      {"service": {"type": "CONTROLLER_SERVICE"}},
      {"service": {"type": "NODE_SERVICE"}},
      {"volume_accessibility_constraints": {"required": true}}
    ]
  }
probe:
  {
    "ready": true
  }
"#,
    );
    let info = configuration.plugin_info.unwrap();
    assert_eq!(info.name.as_str(), "csi.huawei.storage");
    assert_eq!(info.vendor_version.to_string(), "2.1.0");
    let manifest = [
        ("supported_csi_spec", "1.5.0, 1.6.0"),
        ("url", "https://github.com/huawei/csi-driver"),
    ];
    assert_eq!(info.manifest.iter().collect::<Vec<_>>(), manifest);
    // On the wire the first is 1, the second nothing, the third 2.
    let offered = configuration.offered.iter();
    let numbers: Vec<_> = offered
        .map(|service| service.capability().map(ServiceCapability::number))
        .collect();
    assert_eq!(numbers, [Some(1), None, Some(2)]);
    assert_eq!(configuration.fixed_probe, Some(true));
    assert_eq!(read("probe: {\"ready\": false}").fixed_probe, Some(false));
    for harmless in [
        "probe: {ready: false}\nwhile_starting: not_ready",
        "probe: {ready: true}\nwhile_starting: error\nstartup_timeout: 2m",
    ] {
        assert!(read(harmless).fixed_probe.is_some());
    }
}

#[test]
fn json_means_the_same_as_yaml() {
    let json = r#"{
	"endpoint": "unix:///run/csi/csi.sock",
	"node": {"node_id": "\u006eode-1\/a", "max_volumes_per_node": 16},
	"checks": [{"name": "array", "tcp": {"address": "a:1"}, "interval": "10s"}],
	"gate_on_readiness": true
}"#;
    let yaml = "\
endpoint: unix:///run/csi/csi.sock
node: {node_id: node-1/a, max_volumes_per_node: 16}
checks:
- name: array
  tcp: a:1
  interval: 10s
gate_on_readiness: true";
    assert_eq!(read(json), read(yaml));
    assert_eq!(read(&json.replace('\n', "\r\n")), read(yaml));
}

#[test]
fn everything_may_be_left_out() {
    for text in [
        "{}",
        "checks: []",
        "plugin_capabilities: {}",
        "---\n{}\n...\n",
        "\u{feff}{}",
    ] {
        assert_eq!(read(text), Configuration::default(), "{text:?}");
    }
}

#[test]
fn a_capability_has_several_forms() {
    for (items, service) in [
        (
            "CONTROLLER_SERVICE",
            Some(OfferedService::ControllerService),
        ),
        (
            "{service: {type: VOLUME_ACCESSIBILITY_CONSTRAINTS}}",
            Some(OfferedService::VolumeAccessibilityConstraints),
        ),
        (
            "{volume_accessibility_constraints: {required: true}}",
            Some(OfferedService::VolumeAccessibilityConstraints),
        ),
        (
            "{volume_accessibility_constraints: {required: false}}",
            None,
        ),
        ("{volume_expansion: {type: offline}}", None),
    ] {
        let configuration = read(&format!("plugin_capabilities: {{capabilities: [{items}]}}"));
        assert!(configuration.offered.into_iter().eq(service), "{items}");
        let expansions = configuration.expansion.into_iter();
        let expansion = items
            .contains("offline")
            .then_some(VolumeExpansion::Offline);
        assert!(expansions.eq(expansion), "{items}");
    }
}

#[test]
fn a_target_has_a_short_form_and_a_long_one() {
    for (short, long) in [
        ("tcp: a:1", "tcp: {address: a:1}"),
        ("http: http://a/x", "http: {url: http://a/x}"),
        ("mount: /x", "mount: {path: /x}"),
        ("grpc: /a.sock", "grpc: {endpoint: unix:///a.sock}"),
        (
            "grpc: /a.sock",
            "grpc: {endpoint: unix:/a.sock, service: csi}",
        ),
    ] {
        let [short, long] =
            [short, long].map(|target| read(&format!("checks: [{{name: a, {target}}}]")).checks);
        assert_eq!(short, long);
        assert_eq!(short.len(), 1);
    }
}

#[test]
fn anchors_share_what_several_keys_have() {
    let checks = read(
        "checks:\n- {name: &n a, path: &p /x, interval: &i 7s}\n- {name: b, mount: {path: *p}, interval: *i}",
    )
    .checks;
    let interval = |check: &Check| check.policy().interval;
    assert_eq!(
        checks.iter().map(interval).collect::<Vec<_>>(),
        [Duration::from_secs(7); 2]
    );
    assert_eq!(checks[1].target().to_string(), "mount /x");
}

#[test]
fn words_that_other_readers_turn_into_something_else_are_kept_when_quoted() {
    let text = r#"{"plugin_info": {"name": "no", "vendor_version": "1.10", "manifest": {"on": "0123", "a": 'null', "b": "y", "<<": "<<"}}}"#;
    let info = read(text).plugin_info.unwrap();
    assert_eq!(
        (info.name.as_str(), info.vendor_version.to_string().as_str()),
        ("no", "1.10")
    );
    assert_eq!(
        info.manifest.iter().collect::<Vec<_>>(),
        [("<<", "<<"), ("a", "null"), ("b", "y"), ("on", "0123")]
    );
}
