//! What a plugin may answer to NodeGetInfo, and what becomes of it.

use csi_kubelet::CsiNodeDriver;
use tonic::Status;

use crate::support::{Manner, Node, RawServer, Registrar, Reply, Told, answer, csi_plugin};

const NODE: &str = "error updating Node object with CSI driver node info: error updating node: timed out waiting for the \
                    condition; caused by: ";
const CSI_NODE: &str = "error updating CSINode object with CSI driver node info: error updating CSINode: timed out waiting for \
                        the condition; caused by: CSINode.storage.k8s.io \"node-1\" is invalid: ";

/// What the kubelet says of a change of the Node that the API server refuses: the change, quoted as Go quotes.
fn failed_patch(key: &str, value: &str) -> String {
    let ids = r#"{\"disk.acme.io\":\"i-1\"}"#;
    let patch = format!(
        r#"{{"metadata":{{"annotations":{{"csi.volume.kubernetes.io/nodeid":"{ids}"}},"labels":{{"{key}":"{value}"}}}}}}"#
    );
    format!("failed to patch status {patch:?} for node \"node-1\":")
}

#[tokio::test]
async fn an_answer_that_is_none_or_no_good_is_refused_in_the_kubelets_words() {
    let long = "i".repeat(257);
    for (reply, reason) in [
        (
            Reply::Error(Status::failed_precondition("not yet")),
            "rpc error: code = FailedPrecondition desc = not yet".to_owned(),
        ),
        (
            Reply::Error(Status::cancelled("")),
            "rpc error: code = Canceled desc = ".to_owned(),
        ),
        (
            Reply::Ok(answer("", &[])),
            "error adding CSI driver node info: driverNodeID must not be empty".to_owned(),
        ),
        (
            Reply::Ok(answer(&long, &[])),
            format!(
                "{CSI_NODE}spec.drivers[disk.acme.io].nodeID: 257 bytes long, the limit is 256"
            ),
        ),
        (
            Reply::Ok(answer("i-1", &[("acme.io/zone", "z2")])),
            format!(
                "{NODE}detected topology value collision: driver reported \"acme.io/zone\":\"z2\" but existing label is \
                 \"acme.io/zone\":\"z1\""
            ),
        ),
        (
            Reply::Ok(answer("i-1", &[("acme.k8s.io/zone", "z1")])),
            format!(
                "{NODE}{} nodes \"node-1\" is forbidden: is not allowed to modify \
                 labels: acme.k8s.io/zone",
                failed_patch("acme.k8s.io/zone", "z1")
            ),
        ),
        (
            Reply::Ok(answer("i-1", &[("acme.io/rack", "no value")])),
            format!(
                "{NODE}{} Node \"node-1\" is invalid: metadata.labels: \"no value\" is no label value; it has at most 63 letters, \
                 digits, '-', '_' and '.', with a letter or digit at both ends, or nothing",
                failed_patch("acme.io/rack", "no value")
            ),
        ),
    ] {
        let node = Node::new();
        let plugin = node.plugin("disk.acme.io");
        plugin.says(reply);
        let kubelet = node.kubelet_with(|options| {
            options.version = "1.35".parse().unwrap();
            options.node.labels = [("acme.io/zone".to_owned(), "z1".to_owned())].into();
        });
        let registrar = Registrar::start(
            &node.socket("a.sock"),
            csi_plugin("disk.acme.io", plugin.path()),
        );
        let message =
            format!("RegisterPlugin error -- plugin registration failed with err: {reason}");
        assert_eq!(
            kubelet.says("refused").await,
            format!("refused      disk.acme.io: {message}")
        );
        assert_eq!(registrar.told(), [Told::GetInfo, Told::Refused(message)]);
        // It is asked once, and what was written before the failure is taken back but for labels.
        assert_eq!(plugin.calls(), 1);
        let objects = kubelet.stop().await;
        assert!(objects.drivers.is_empty() && objects.node_ids.is_empty());
        assert_eq!(objects.labels.len(), 1);
    }
}

#[tokio::test]
async fn a_plugin_that_resets_the_stream_or_hangs_up_is_refused() {
    for (manner, reason) in [
        (
            Manner::Resets(1),
            "rpc error: code = Internal desc = stream terminated by RST_STREAM with error code: PROTOCOL_ERROR",
        ),
        (
            Manner::Closes,
            "rpc error: code = Unavailable desc = error reading from server: EOF",
        ),
        (
            Manner::Garbles,
            "rpc error: code = Unavailable desc = error reading from server: EOF",
        ),
    ] {
        let node = Node::new();
        let path = node.folder().join("csi.sock");
        let _plugin = RawServer::start(&path, manner);
        let _kubelet = node.kubelet_of("1.25");
        let registrar = Registrar::start(&node.socket("a.sock"), csi_plugin("disk.acme.io", &path));
        let message =
            format!("RegisterPlugin error -- plugin registration failed with err: {reason}");
        registrar.hears(&Told::Refused(message), 1).await;
    }
}

#[tokio::test]
async fn good_answers_at_the_edge_are_taken() {
    let long = "i".repeat(256);
    for (node_id, max_volumes, topology, allocatable) in [
        (&*long, 0, vec![], None),
        ("i-1", -1, vec![], None),
        ("i-1", i64::MAX, vec![], Some(i32::MAX)),
        // A label that the Node has already, with this value.
        ("i-1", 1, vec![("acme.io/zone", "z1")], Some(1)),
        ("i-1", 0, vec![("topology.kubernetes.io/zone", "")], None),
    ] {
        let node = Node::new();
        let plugin = node.plugin("disk.acme.io");
        let mut info = answer(node_id, &topology);
        info.max_volumes_per_node = max_volumes;
        plugin.says(Reply::Ok(info));
        let kubelet = node.kubelet_with(|options| {
            options.node.labels = [("acme.io/zone".to_owned(), "z1".to_owned())].into();
        });
        let _registrar = Registrar::start(
            &node.socket("a.sock"),
            csi_plugin("disk.acme.io", plugin.path()),
        );
        kubelet.says("registered").await;
        let entry = CsiNodeDriver {
            node_id: node_id.to_owned(),
            topology_keys: topology.iter().map(|(key, _)| (*key).to_owned()).collect(),
            allocatable,
        };
        let objects = kubelet.stop().await;
        assert_eq!(objects.drivers["disk.acme.io"], entry);
        assert_eq!(objects.node_ids["disk.acme.io"], node_id);
    }
}

#[tokio::test]
async fn two_drivers_whose_topologies_disagree_do_not_fit_on_one_node() {
    let node = Node::new();
    let [first, second] = ["first.io", "second.io"].map(|name| node.plugin(name));
    first.says(Reply::Ok(answer("i-1", &[("acme.io/zone", "z1")])));
    second.says(Reply::Ok(answer("i-1", &[("acme.io/zone", "z2")])));
    let kubelet = node.kubelet_of("1.35");
    let a = Registrar::start(&node.socket("a.sock"), csi_plugin("first.io", first.path()));
    kubelet.says("registered   first.io").await;
    let collision = format!(
        "refused      second.io: RegisterPlugin error -- plugin registration failed with err: {NODE}detected topology value \
         collision: driver reported \"acme.io/zone\":\"z2\" but existing label is \"acme.io/zone\":\"z1\""
    );
    let b = Registrar::start(
        &node.socket("b.sock"),
        csi_plugin("second.io", second.path()),
    );
    kubelet.says(&collision).await;

    // Labels outlive their driver.
    a.remove();
    kubelet.says("deregistered first.io").await;
    b.remove();
    kubelet.says("deregistered second.io").await;
    let _again = Registrar::start(
        &node.socket("b.sock"),
        csi_plugin("second.io", second.path()),
    );
    kubelet.says_times(&collision, 2).await;
}
