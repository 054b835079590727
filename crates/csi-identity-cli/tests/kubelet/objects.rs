//! The file in which the Node and the CSINode are kept.

use std::fs;

use crate::node::Node;
use crate::program::{eventually, listing};

#[test]
fn the_objects_are_in_the_file_while_it_runs_and_not_at_the_end_of_the_output() {
    let node = Node::new();
    let file = node.folder().join("objects.yaml");
    let flag = format!("--objects={}", file.display());
    let kubelet = node.kubelet(&[&flag]);
    let empty = "apiVersion: v1\nkind: Node\nmetadata:\n  name: node-1\n---\napiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata:\n  \
                 name: node-1\nspec:\n  drivers: null\n";
    eventually("there is a file", || {
        fs::read_to_string(&file).is_ok_and(|text| text == empty)
    });
    let plugin = node.plugin(&["--topology=acme.io/zone=z1"]);
    let registered = "apiVersion: v1\nkind: Node\nmetadata:\n  annotations:\n    csi.volume.kubernetes.io/nodeid: \
                      '{\"disk.acme.io\":\"node-1\"}'\n  labels:\n    acme.io/zone: z1\n  name: node-1\n---\napiVersion: \
                      storage.k8s.io/v1\nkind: CSINode\nmetadata:\n  name: node-1\nspec:\n  drivers:\n  - name: disk.acme.io\n    \
                      nodeID: node-1\n    topologyKeys:\n    - acme.io/zone\n";
    kubelet.says("registered");
    eventually("the driver is in it", || {
        fs::read_to_string(&file).unwrap() == registered
    });
    plugin.stop();
    kubelet.says("deregistered");
    let label = "metadata:\n  labels:\n    acme.io/zone: z1\n  name";
    let expected = empty.replacen("metadata:\n  name", label, 1);
    eventually("the driver is out of it", || {
        fs::read_to_string(&file).unwrap() == expected
    });
    let ran = kubelet.stop();
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    assert!(!ran.stdout.contains("---"), "{}", ran.stdout);
    assert_eq!(fs::read_to_string(&file).unwrap(), expected);
    assert_eq!(listing(node.folder()), ["objects.yaml", "plugins_registry"]);
}

#[test]
fn a_file_that_cannot_be_written_ends_it() {
    let node = Node::new();
    let ran = crate::program::Running::spawn(
        &mut node.kubelet_command(&["--objects=/dev/null/objects.yaml"]),
    )
    .finish();
    assert_eq!(ran.code, 2);
    let start = "error: cannot write /dev/null/objects.yaml: Not a directory (os error 20)";
    assert!(ran.stderr.starts_with(start), "{}", ran.stderr);
}
