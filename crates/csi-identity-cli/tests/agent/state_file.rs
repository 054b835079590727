//! What an agent keeps in its state file, and what the next one makes of it.

use std::fs;

use csi_kubelet::Fault;
use serde_json::Value;

use crate::kubelet::refusal;
use crate::node::Node;
use crate::program::eventually;

fn kept(node: &Node) -> Value {
    let text = fs::read_to_string(node.state_file()).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_state_file_says_what_http_says() {
    let node = Node::new();
    let _plugin = node.plugin();
    let kubelet = node.kubelet();
    let agent = node.agent_with_state_file();
    kubelet.registers();
    agent.comes_to("registered");
    eventually("the file is up to date", || {
        kept(&node) == agent.registration()
    });
    assert_eq!(kept(&node)["state"], "registered");
    assert_eq!(kept(&node)["driver"], "disk.acme.io");

    assert_eq!(agent.stop().code, 0);
    let kept = kept(&node);
    assert_eq!(
        (&kept["state"], &kept["reason"], &kept["socket_is_shown"]),
        (
            &"lost".into(),
            &"the registrar has stopped and removed its socket".into(),
            &false.into()
        )
    );
}

#[test]
fn a_restart_keeps_what_the_kubelet_said_but_not_that_it_said_yes() {
    let node = Node::new();
    let plugin = node.plugin();
    let kubelet = node.kubelet_with(Fault::RefuseFirst(1));
    let agent = node.agent_with_state_file();
    kubelet.registers();
    agent.comes_to("registered");
    eventually("the file is up to date", || {
        kept(&node) == agent.registration()
    });
    let before = kept(&node);
    agent.kill();
    plugin.kill();
    assert_eq!(kept(&node)["state"], "registered");

    let agent = node.agent_with_state_file();
    agent.comes_to("waiting_for_plugin");
    eventually("the file is up to date", || {
        kept(&node) == agent.registration()
    });
    let after = kept(&node);
    assert_eq!(after["state"], "waiting_for_plugin");
    let no = refusal("refusal 1 of 1 that were asked for");
    assert_eq!(after["last_refusal"]["message"], no);
    for same in ["last_refusal", "last_kubelet_call"] {
        assert_eq!(after[same], before[same]);
    }
    assert_eq!(
        (&before["refusals"], &after["refusals"]),
        (&1.into(), &0.into())
    );
}

#[test]
fn a_file_that_is_no_state_file_is_told_of_and_written_anew() {
    let node = Node::new();
    let path = node.state_file();
    fs::write(&path, "{\"state\": \"fine\"}\n").unwrap();
    let agent = node.agent_with_state_file();
    agent.comes_to("waiting_for_plugin");
    eventually("the file is written anew", || {
        kept(&node)["state"] == "waiting_for_plugin"
    });
    let told = agent.lines_with(&format!("{} is no state file", path.display()));
    assert_eq!(told.len(), 1, "{:?}", agent.lines());
    assert!(told[0].starts_with("WARN "), "{told:?}");
    assert!(told[0].ends_with("; it is written anew"), "{told:?}");
}

#[test]
fn a_state_file_that_cannot_be_written_is_a_warning_and_no_more() {
    let node = Node::new();
    let path = node.folder().join("state/registration.json");
    let _plugin = node.plugin();
    let kubelet = node.kubelet();
    let agent = node.agent(&["--state-file", path.to_str().unwrap()]);
    kubelet.registers();
    agent.comes_to("registered");
    let told = agent.lines_with("the state file is not up to date");
    assert_eq!(
        told,
        [format!(
            "WARN csi_registration::state_file: the state file is not up to date error=cannot write the state file {} \
             cause=\"No such file or directory (os error 2)\"",
            path.display()
        )]
    );
}
