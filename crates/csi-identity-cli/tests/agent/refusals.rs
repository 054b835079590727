//! Kubelets that say no.

use std::fs;

use csi_kubelet::Fault;

use crate::kubelet::refusal;
use crate::node::Node;
use crate::program::listing;

#[test]
fn a_refusal_is_followed_by_another_socket_and_stays_known() {
    let node = Node::new();
    let _plugin = node.plugin();
    let kubelet = node.kubelet_with(Fault::RefuseFirst(1));
    let agent = node.agent(&[]);
    let no = refusal("refusal 1 of 1 that were asked for");
    assert_eq!(kubelet.refuses(), no);
    let answer = agent.comes_to("refused");
    assert_eq!((answer.code, answer.body), (503, format!("refused: {no}")));
    kubelet.registers();
    agent.comes_to("registered");
    let registration = agent.registration();
    assert_eq!(registration["refusals"], 1);
    assert_eq!(registration["last_refusal"]["message"], no);
}

#[test]
fn a_refusal_is_the_end_if_it_is_to_be() {
    let node = Node::new();
    let _plugin = node.plugin();
    let _kubelet = node.kubelet_with(Fault::Refuse("disk.acme.io is not wanted".to_owned()));
    let no = refusal("disk.acme.io is not wanted");
    let state_file = node.state_file();
    let agent = node.agent(&[
        "--exit-on-refusal",
        "--state-file",
        state_file.to_str().unwrap(),
    ]);
    let ran = agent.finish();
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.log().last().unwrap(),
        &format!(
            "ERROR csi_identity::agent::companion: the kubelet refused the plugin, so this ends reason=\"{no}\""
        )
    );
    assert_eq!(listing(&node.registry()), [""; 0]);
    let kept = fs::read_to_string(state_file).unwrap();
    let kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
    assert_eq!(kept["last_refusal"]["message"], no);
    assert_eq!(kept["socket_is_shown"], false);
}
