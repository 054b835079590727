use std::collections::BTreeMap;
use std::path::Path;

use csi_identity::{ObservedCapability, ServiceCapability};
use csi_proto::csi::v1::{GetPluginInfoResponse, NodeGetInfoResponse, Topology};

use super::{info, node};

/// What was found: the obstacle, and the warnings before it.
type Found = (Option<String>, Vec<String>);

fn judged(judge: impl FnOnce(&mut Vec<String>) -> Result<(), String>) -> Found {
    let mut warnings = Vec::new();
    let obstacle = judge(&mut warnings).err();
    (obstacle, warnings)
}

fn of_info(name: &str, version: &str, root: Option<&str>) -> Found {
    let answer = GetPluginInfoResponse {
        name: name.to_owned(),
        vendor_version: version.to_owned(),
        ..Default::default()
    };
    judged(|warnings| info(&answer, root.map(Path::new), warnings))
}

fn of_node(answer: &NodeGetInfoResponse, capabilities: &[ObservedCapability]) -> Found {
    judged(|warnings| node(answer, capabilities, warnings))
}

fn found(obstacle: &str, warnings: &[&str]) -> Found {
    let obstacle = (!obstacle.is_empty()).then(|| obstacle.to_owned());
    (obstacle, warnings.iter().map(ToString::to_string).collect())
}

#[test]
fn a_name_that_the_api_server_refuses_is_an_obstacle_and_one_that_some_callers_refuse_a_warning() {
    const ALLOWED: &str = "allowed are ASCII letters, digits, '-' and '.'";
    const REFUSED: &str = "; the API server refuses a CSINode with that name";
    for (name, obstacle, warnings) in [
        ("disk.acme.io", "", &[][..]),
        (
            "Disk.acme.io",
            "",
            &[
                "GetPluginInfo: the name has upper-case letters: Kubernetes refuses it for a CSIDriver object, and Lease names \
                 made from it are invalid; use disk.acme.io",
            ],
        ),
        (
            "disk",
            "",
            &[
                "GetPluginInfo: the name has no dot: other plugins may choose it too, and gocsi's validator refuses it; put it \
                 under a domain you own",
            ],
        ),
        (
            "a/b",
            &format!("plugin name has '/' at byte 1; {ALLOWED}"),
            &[],
        ),
        (
            "../x",
            &format!("plugin name has '/' at byte 2; {ALLOWED}"),
            &[],
        ),
        (
            "..",
            "plugin name has an empty label at byte 0; remove the extra '.'",
            &[],
        ),
        (
            "a\0b",
            &format!("plugin name has '\\0' at byte 1; {ALLOWED}"),
            &[],
        ),
        (
            "a.io\n",
            &format!("plugin name has '\\n' at byte 4; {ALLOWED}; remove it"),
            &[],
        ),
        (
            "my_disk.acme.io",
            &format!("plugin name has '_' at byte 2; {ALLOWED}; write '-' in its place"),
            &[],
        ),
        (
            &"n".repeat(64),
            "plugin name is 64 bytes long, the limit is 63",
            &[],
        ),
        (
            "a..b",
            "plugin name has an empty label at byte 2; remove the extra '.'",
            &[],
        ),
    ] {
        let obstacle = match obstacle {
            "" => String::new(),
            text => format!("GetPluginInfo: {text}{REFUSED}"),
        };
        assert_eq!(
            of_info(name, "1.0.0", None),
            found(&obstacle, warnings),
            "{name:?}"
        );
    }
}

#[test]
fn a_version_that_breaks_the_rules_is_a_warning_since_no_kubelet_reads_it() {
    for (version, warnings) in [
        ("1.0.0", &[][..]),
        ("nightly", &[]),
        (
            "",
            &["GetPluginInfo: vendor version is empty; give one such as 1.0.0"],
        ),
        (
            &"1".repeat(129),
            &["GetPluginInfo: vendor version is 129 bytes long, the limit is 128"],
        ),
    ] {
        assert_eq!(of_info("disk.acme.io", version, None), found("", warnings));
    }
}

/// A legal name of this many bytes, at most 63, that nobody minds.
fn name_of(len: usize) -> String {
    let name = "n".repeat(len - ".acme.io".len());
    format!("{name}.acme.io")
}

#[test]
fn a_name_may_be_as_long_as_the_kubelets_root_leaves_room_for() {
    for (root, longest) in [
        // There is room for 64, and a name has at most 63.
        ("/var/lib/kubelet", 63),
        ("/var/lib/k0s/kubelet", 60),
        ("/opt/rke/var/lib/kubelet", 56),
        ("/var/lib/rancher/k3s/agent/kubelet", 46),
        ("/cm/local/apps/kubernetes/var/kubelet", 43),
        ("/var/snap/microk8s/common/var/lib/kubelet", 39),
    ] {
        let longest_name = name_of(longest);
        assert_eq!(
            of_info(&longest_name, "1.0.0", Some(root)),
            found("", &[]),
            "{root}"
        );
        if longest == 63 {
            continue;
        }
        for over in [1, 3] {
            let name = name_of(longest + over);
            let obstacle = format!(
                "GetPluginInfo: the kubelet would have to open {root}/plugins_registry/{name}-reg.sock, which is {} bytes \
                 long, and a socket's path has at most 107; shorten the name of the plugin or the kubelet's root directory \
                 by {over} bytes",
                107 + over
            );
            assert_eq!(
                of_info(&name, "1.0.0", Some(root)),
                found(&obstacle, &[]),
                "{root}"
            );
            // Nothing is said of a root that is not known.
            assert_eq!(of_info(&name, "1.0.0", None), found("", &[]), "{root}");
        }
    }
}

fn node_called(id: &str) -> NodeGetInfoResponse {
    NodeGetInfoResponse {
        node_id: id.to_owned(),
        ..Default::default()
    }
}

#[test]
fn a_node_id_has_1_to_256_bytes_and_a_long_one_is_a_warning() {
    for (len, obstacle, warnings) in [
        (1, "", &[][..]),
        (128, "", &[]),
        (
            129,
            "",
            &[
                "NodeGetInfo: the node id has 129 bytes: the specification recommends at most 128, the limit before CSI 1.4",
            ],
        ),
        (
            256,
            "",
            &[
                "NodeGetInfo: the node id has 256 bytes: CSI 1.4 allowed 192, and the specification recommends at most 128",
            ],
        ),
        (
            257,
            "NodeGetInfo: node id is 257 bytes long, the limit is 256; the API server refuses it",
            &[],
        ),
        (
            0,
            "NodeGetInfo: node id is empty; give the name under which the storage system knows this node; a kubelet refuses it",
            &[],
        ),
    ] {
        let answer = node_called(&"n".repeat(len));
        assert_eq!(of_node(&answer, &[]), found(obstacle, warnings), "{len}");
    }
}

#[test]
fn a_negative_number_of_volumes_is_a_warning_since_a_kubelet_takes_it_as_no_limit() {
    for (max, warnings) in [
        (0, &[][..]),
        (i64::MAX, &[]),
        (
            -1,
            &[
                "NodeGetInfo: max_volumes_per_node is -1; a kubelet takes it as no limit, and 0 is the number for that",
            ],
        ),
    ] {
        let answer = NodeGetInfoResponse {
            max_volumes_per_node: max,
            ..node_called("node-1")
        };
        assert_eq!(of_node(&answer, &[]), found("", warnings), "{max}");
    }
}

fn node_at(segments: &[(&str, &str)]) -> NodeGetInfoResponse {
    let segments: BTreeMap<_, _> = segments
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    NodeGetInfoResponse {
        accessible_topology: Some(Topology { segments }),
        ..node_called("node-1")
    }
}

fn constrained() -> [ObservedCapability; 1] {
    let number = ServiceCapability::VolumeAccessibilityConstraints.number();
    [ObservedCapability::Service(number)]
}

#[test]
fn topology_is_judged_by_the_rules_of_labels_and_what_only_the_specification_minds_is_a_warning() {
    let (long, over) = ("l".repeat(63), "l".repeat(64));
    let long_prefix = format!("{}.acme.io/zone", "p".repeat(60));
    for (segments, obstacle, warnings) in [
        (&[("disk.acme.io/zone", "z1")][..], "", &[][..]),
        (&[("zone", "z1")], "", &[]),
        (&[("topology.kubernetes.io/zone", "z1")], "", &[]),
        (&[("disk.acme.io/zone", &*long)], "", &[]),
        // The API server takes an empty value, and the specification does not.
        (
            &[("disk.acme.io/zone", "")],
            "",
            &[
                "NodeGetInfo: topology key disk.acme.io/zone has a bad value: \"\" has 0 characters; 1 to 63 are allowed (the \
                 specification says so)",
            ],
        ),
        // And prefixes of up to 253 bytes.
        (
            &[(&*long_prefix, "z1")],
            "",
            &[&*format!(
                "NodeGetInfo: topology key \"{long_prefix}\" has a prefix of 68 characters, the limit is 63 (the \
                 specification says so)"
            )],
        ),
        (
            &[("topology.kubernetes.io/rack", "r1")],
            "",
            &[
                "NodeGetInfo: topology key topology.kubernetes.io/rack is a label that a kubelet may not set where the admission \
                 plugin NodeRestriction is on; use a prefix of your own",
            ],
        ),
        (
            &[("a.io/zone", "z1"), ("b.io/rack", "r1")],
            "",
            &[
                "NodeGetInfo: topology keys a.io/zone and b.io/rack differ in their prefix; use the same one for all keys (the \
                 specification says so)",
            ],
        ),
        (
            &[("zo ne", "z1")],
            "NodeGetInfo: topology key \"zo ne\" has a bad name; allowed are letters, digits, '-', '_' and '.', with a letter \
             or digit at both ends; the API server refuses such a label",
            &[],
        ),
        (
            &[("", "z1")],
            "NodeGetInfo: topology key \"\" has no name; write it as prefix/name or name; the API server refuses such a label",
            &[],
        ),
        (
            &[("Acme.io/zone", "z1")],
            "NodeGetInfo: topology key \"Acme.io/zone\" has a bad prefix; it must be a lower-case domain name such as \
             disk.example.org; the API server refuses such a label",
            &[],
        ),
        (
            &[("zone", "z 1")],
            "NodeGetInfo: topology key zone has a bad value: \"z 1\" must be letters, digits, '-', '_' and '.', with a letter \
             or digit at both ends; the API server refuses such a label",
            &[],
        ),
        (
            &[("zone", &*over)],
            &*format!(
                "NodeGetInfo: topology key zone has a bad value: \"{over}\" has 64 characters; 1 to 63 are allowed; the API \
                 server refuses such a label"
            ),
            &[],
        ),
    ] {
        let judged = of_node(&node_at(segments), &constrained());
        assert_eq!(judged, found(obstacle, warnings), "{segments:?}");
    }
}

#[test]
fn a_key_with_a_long_prefix_is_an_obstacle_where_the_api_server_refuses_it_too() {
    let label = "p".repeat(63);
    let longest = format!("{label}.{label}.{label}.{}", "p".repeat(61));
    assert_eq!(longest.len(), 253);
    for (key, len, is_obstacle) in [
        (format!("{longest}/zone"), 253, false),
        (format!("p{longest}/zone"), 254, true),
        (format!("{label}.Acme.io/zone"), 71, true),
        (format!("{label}..io/zone"), 67, true),
        (format!("{label}.io/zo ne"), 66, true),
        (format!("{label}.io/"), 66, true),
    ] {
        let text = format!(
            "NodeGetInfo: topology key {key:?} has a prefix of {len} characters, the limit is 63"
        );
        let expected = if is_obstacle {
            found(&format!("{text}; the API server refuses such a label"), &[])
        } else {
            found("", &[&format!("{text} (the specification says so)")])
        };
        assert_eq!(of_node(&node_at(&[(&key, "z1")]), &constrained()), expected);
    }
}

#[test]
fn topology_and_the_capability_for_it_come_together_or_are_a_warning() {
    const NONE: &str = "NodeGetInfo: no topology, though VOLUME_ACCESSIBILITY_CONSTRAINTS is declared; volumes will find no \
                        topology key on this node";
    const UNDECLARED: &str = "NodeGetInfo: a topology, though VOLUME_ACCESSIBILITY_CONSTRAINTS is not declared; volumes will \
                              be scheduled without it";
    let (with, without, empty) = (
        node_at(&[("zone", "z1")]),
        node_called("node-1"),
        node_at(&[]),
    );
    for (answer, declared, warnings) in [
        (&with, true, &[][..]),
        (&with, false, &[UNDECLARED]),
        (&without, true, &[NONE]),
        (&without, false, &[]),
        (&empty, true, &[NONE]),
        (&empty, false, &[]),
    ] {
        let capabilities = if declared { &constrained()[..] } else { &[] };
        assert_eq!(of_node(answer, capabilities), found("", warnings));
    }
}
