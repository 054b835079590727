//! An agent and kubelets of every version, from the first registration to the last removal, event by event.

use std::thread;

use csi_kubelet::{Event, Fault, KubeletVersion, What};
use rustix::process::Signal;

use crate::kubelet::{Kubelet, refusal};
use crate::node::Node;

/// A socket is bound under a hidden name, which a kubelet leaves alone, and moved to its own.
const SHOWN: [&str; 2] = ["ignored", "discovered"];

const ASKED: [&str; 4] = ["dial", "GetInfo", "validated", "NodeGetInfo"];

const REGISTERED: [&str; 8] = [
    "dial",
    "GetInfo",
    "validated",
    "NodeGetInfo",
    "node",
    "csinode",
    "notified",
    "registered",
];

#[test]
fn every_version_registers_forgets_refuses_and_finds_again() {
    thread::scope(|scope| {
        for version in KubeletVersion::all() {
            thread::Builder::new()
                .name(format!("kubelet {version}"))
                .spawn_scoped(scope, move || passes_through(version))
                .unwrap();
        }
    });
}

fn passes_through(version: KubeletVersion) {
    let node = Node::new();
    let _plugin = node.plugin();
    let kubelet = Kubelet::start(node.folder(), version, &[]);

    let agent = node.agent(&[]);
    let events = kubelet.events_until("registered");
    assert_eq!(names(&events), [&SHOWN[..], &REGISTERED].concat());
    check_calls(&node, version, &events);
    agent.comes_to("registered");

    // The agent restarts: it takes its socket away, and another one comes.
    assert_eq!(agent.stop().code, 0);
    let events = kubelet.events_until("deregistered");
    assert_eq!(names(&events), ["removed", "deregistered"]);
    let agent = node.agent(&[]);
    let events = kubelet.events_until("registered");
    assert_eq!(names(&events), [&SHOWN[..], &REGISTERED].concat());

    // It is killed: its socket stays, and so does what the kubelet thinks, until another one is in its place.
    agent.kill();
    let agent = node.agent(&[]);
    let events = kubelet.events_until("registered");
    let another = [&SHOWN[..], &["deregistered"], &REGISTERED].concat();
    assert_eq!(names(&events), another);
    agent.comes_to("registered");

    // The kubelet restarts: it finds the socket that is there.
    drop(kubelet);
    let kubelet = Kubelet::start(node.folder(), version, &[]);
    let events = kubelet.events_until("registered");
    assert_eq!(names(&events), [&["discovered"], &REGISTERED[..]].concat());
    drop(kubelet);

    // One that refuses the plugin the first time.
    let kubelet = Kubelet::start(node.folder(), version, &[Fault::RefuseFirst(1)]);
    let events = kubelet.events_until("refused");
    let refused = [&["discovered"], &ASKED[..], &["notified", "refused"]].concat();
    assert_eq!(names(&events), refused);
    let no = refusal("refusal 1 of 1 that were asked for");
    assert_eq!(events.last().unwrap().what.message(), no);
    let events = names(&kubelet.events_until("registered"));
    let rebinds = if minor(version) >= 36 {
        let again = [&["next_retry"], &REGISTERED[..]].concat();
        assert_eq!(events, again);
        0
    } else {
        // It is the agent that has to do something: it takes its socket away and shows another, and the kubelet may look at any
        // moment of that.
        let (seen, done): (Vec<_>, Vec<_>) = events
            .into_iter()
            .partition(|name| ["removed", "ignored", "discovered"].contains(name));
        assert_eq!(seen, ["removed", "ignored", "discovered"]);
        let again = [&["no_retry", "deregistered"], &REGISTERED[..]].concat();
        assert_eq!(done, again);
        1
    };
    agent.comes_to("registered");
    let registration = agent.registration();
    assert_eq!(
        (&registration["refusals"], &registration["rebinds"]),
        (&1.into(), &rebinds.into())
    );
    assert_eq!(registration["last_refusal"]["message"], no);

    agent.signal(Signal::TERM);
    let events = kubelet.events_until("deregistered");
    assert_eq!(names(&events), ["removed", "deregistered"]);
    assert_eq!(agent.finish().code, 0);
    let objects = kubelet.stop();
    assert!(objects.drivers.is_empty(), "{objects:?}");
}

fn minor(version: KubeletVersion) -> u8 {
    version.to_string()[2..].parse().unwrap()
}

fn names(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|event| event.what.name()).collect()
}

/// What is called, and where, is as that version does it.
fn check_calls(node: &Node, version: KubeletVersion, events: &[Event]) {
    let plugin = node.plugin_socket().to_str().unwrap().to_owned();
    let socket = node.registration_socket().to_str().unwrap().to_owned();
    for event in events {
        match &event.what {
            What::Dial { authority, .. } => match minor(version) {
                ..29 => assert_eq!(*authority, socket),
                29.. => assert_eq!(*authority, socket.replace('/', "%2F")),
            },
            What::NodeGetInfo {
                endpoint,
                authority,
                outcome,
            } => {
                assert_eq!(*endpoint, plugin);
                match minor(version) {
                    ..26 => assert_eq!(*authority, plugin),
                    26.. => assert_eq!(authority, "localhost"),
                }
                assert_eq!(outcome.as_ref().unwrap().node_id, "node-1");
            }
            _ => {}
        }
    }
}
