use csi_identity::endpoint::SocketMode;

use super::*;

const FILE: &str = r#"
endpoint: unix:///run/csi/file.sock
plugin_info: {name: file.acme.io, vendor_version: "1.0.0", manifest: {a: file, b: file}}
plugin_capabilities: {capabilities: [CONTROLLER_SERVICE, {volume_expansion: {type: ONLINE}}]}
node: {node_id: file-node, max_volumes_per_node: 7, accessible_topology: {segments: {acme.io/rack: r1, acme.io/row: w1}}}
while_starting: error
startup_timeout: 2m
socket: {mode: "0660", group: 7, allow_uids: [1]}
"#;

fn file() -> Configuration {
    Configuration::from_text(FILE, "csi.yaml").unwrap()
}

fn pairs(texts: &[&str]) -> Vec<KeyValue> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

#[test]
fn without_flags_the_file_counts() {
    let settings = Settings::of(file(), Flags::default()).unwrap();
    assert_eq!(
        settings.endpoint().unwrap().to_string(),
        "unix:///run/csi/file.sock"
    );
    assert_eq!(settings.info.name.as_str(), "file.acme.io");
    assert_eq!(settings.offered, [OfferedService::ControllerService].into());
    assert_eq!(settings.node, file().node);
    assert_eq!(settings.policy, file().readiness);
    assert_eq!(settings.socket_mode.to_string(), "0660");
    assert_eq!(
        (settings.socket_group, settings.allow_uids),
        (Some(7), Some(vec![1]))
    );
}

#[test]
fn a_flag_counts_before_the_file() {
    let flags = Flags {
        endpoint: Some("unix:///run/csi/flag.sock".parse().unwrap()),
        name: Some("flag.acme.io".parse().unwrap()),
        vendor_version: Some("2.0.0".parse().unwrap()),
        node_id: Some("flag-node".parse().unwrap()),
        max_volumes: Some("9".parse().unwrap()),
        while_starting: Some("not_ready".parse().unwrap()),
        startup_timeout: Some(std::time::Duration::from_secs(1)),
        socket_mode: Some("0600".parse().unwrap()),
        socket_group: Some(8),
        gate_on_readiness: true,
        ..Flags::default()
    };
    let settings = Settings::of(file(), flags).unwrap();
    assert_eq!(
        settings.endpoint().unwrap().to_string(),
        "unix:///run/csi/flag.sock"
    );
    assert_eq!(settings.info.name.as_str(), "flag.acme.io");
    assert_eq!(settings.info.vendor_version.as_str(), "2.0.0");
    let node = settings.node.unwrap();
    assert_eq!(
        (node.node_id.as_str(), node.max_volumes_per_node.number()),
        ("flag-node", 9)
    );
    assert_eq!(
        node.accessible_topology,
        file().node.unwrap().accessible_topology
    );
    assert_eq!(
        settings.policy.startup_limit,
        Some(std::time::Duration::from_secs(1))
    );
    assert_eq!(
        settings.policy.while_starting,
        csi_identity::WhileStarting::NotReady
    );
    assert_eq!(settings.socket_mode, SocketMode::default());
    assert_eq!(settings.socket_group, Some(8));
    assert!(settings.gate_on_readiness);
}

#[test]
fn list_flags_replace_the_list_of_the_file() {
    let flags = Flags {
        capabilities: vec![OfferedService::SnapshotMetadataService],
        expansion: vec![VolumeExpansion::Offline],
        allow_uids: vec![2, 3],
        ..Flags::default()
    };
    let settings = Settings::of(file(), flags).unwrap();
    assert_eq!(
        settings.offered,
        [OfferedService::SnapshotMetadataService].into()
    );
    assert_eq!(settings.expansion, [VolumeExpansion::Offline].into());
    assert_eq!(settings.allow_uids, Some(vec![2, 3]));
}

#[test]
fn map_flags_go_over_the_map_of_the_file() {
    let flags = Flags {
        manifest: pairs(&["b=flag", "c=flag"]),
        topology: pairs(&["acme.io/rack=r2"]),
        ..Flags::default()
    };
    let settings = Settings::of(file(), flags).unwrap();
    let manifest: Vec<_> = settings.info.manifest.iter().collect();
    assert_eq!(manifest, [("a", "file"), ("b", "flag"), ("c", "flag")]);
    let topology = settings.node.unwrap().accessible_topology.unwrap();
    assert_eq!(
        topology,
        Topology::from_pairs([("acme.io/rack", "r2"), ("acme.io/row", "w1")]).unwrap()
    );
}

#[test]
fn what_is_missing_is_said_with_its_flag_and_its_key() {
    let error = |text: &str| {
        let file = Configuration::from_text(text, "csi.yaml").unwrap();
        let settings = Settings::of(file, Flags::default());
        settings
            .and_then(|settings| settings.endpoint().cloned())
            .unwrap_err()
            .to_string()
    };
    let info = "plugin_info: {name: a.acme.io, vendor_version: \"1.0.0\"}";
    assert_eq!(
        error("gate_on_readiness: true"),
        "no name is given; add --name or plugin_info.name"
    );
    assert_eq!(
        error(info),
        "no endpoint is given; add --endpoint, the environment variable CSI_ENDPOINT or endpoint in the configuration file"
    );
}

#[test]
fn readiness_is_set_by_hand_where_nothing_else_says_it() {
    let by_hand = |text: &str| {
        let text = format!("plugin_info: {{name: a.acme.io, vendor_version: \"1.0.0\"}}\n{text}");
        let file = Configuration::from_text(&text, "csi.yaml").unwrap();
        Settings::of(file, Flags::default())
            .unwrap()
            .readiness_by_hand()
    };
    assert_eq!(by_hand(""), Some(Readiness::Ready));
    assert_eq!(by_hand("probe: {ready: true}"), Some(Readiness::Ready));
    assert_eq!(
        by_hand("probe: {ready: false}"),
        Some(Readiness::starting("the configuration says so"))
    );
    assert_eq!(
        by_hand("checks: [{name: backend, tcp: \"127.0.0.1:1\"}]"),
        None
    );
}

#[test]
fn no_flag_turns_a_fixed_answer_into_an_error() {
    let settings = |startup_timeout, while_starting| {
        let fixed = "plugin_info: {name: a.acme.io, vendor_version: '1'}\nprobe: {ready: false}";
        let flags = Flags {
            startup_timeout,
            while_starting,
            ..Flags::default()
        };
        Settings::of(Configuration::from_text(fixed, "csi.yaml").unwrap(), flags)
    };
    let second = std::time::Duration::from_secs(1);
    for (limit, answer, flag) in [
        (Some(second), None, "--startup-timeout"),
        (None, Some(WhileStarting::Error), "--while-starting error"),
    ] {
        assert_eq!(
            settings(limit, answer).unwrap_err().to_string(),
            format!(
                "probe: {{ready: false}} in the configuration file answers ready=false for ever and never an error; \
                 leave {flag} out, or the key probe"
            )
        );
    }
    assert!(settings(None, Some(WhileStarting::NotReady)).is_ok());
}
