//! The end of an agent.

use std::io::Write as _;
use std::net::TcpStream;

use rustix::process::Signal;

use crate::fake_plugin::{FakePlugin, Reply};
use crate::node::Node;
use crate::program::{eventually, listing};
use crate::registering::named;

#[test]
fn either_signal_ends_it_well_whatever_it_waits_for() {
    for signal in [Signal::TERM, Signal::INT] {
        for has_plugin in [false, true] {
            let node = Node::new();
            let _plugin = has_plugin.then(|| node.plugin());
            let agent = node.agent(&[]);
            agent.comes_to(match has_plugin {
                true => "waiting_for_kubelet",
                false => "waiting_for_plugin",
            });
            agent.signal(signal);
            let ran = agent.finish();
            assert_eq!((ran.code, &*ran.stdout), (0, ""));
            assert_eq!(
                ran.log().last(),
                Some(&"INFO csi_identity::agent::companion: stopping")
            );
            assert_eq!(listing(&node.registry()), [""; 0]);
        }
    }
}

#[test]
fn a_second_signal_ends_the_wait_for_an_answer_in_flight() {
    let node = Node::new();
    let mute = named([Reply::Never]);
    let plugin = FakePlugin::start_at(&node.plugin_socket(), mute);
    let agent = node.agent(&["--register-when=serving", "--probe-timeout=1h"]);
    agent.comes_to("waiting_for_kubelet");
    let before = plugin.probes();
    let mut asked = TcpStream::connect(agent.address()).unwrap();
    asked
        .write_all(b"GET /healthz HTTP/1.1\r\nhost: node\r\n\r\n")
        .unwrap();
    eventually("the Probe is in flight", || plugin.probes() > before);
    agent.signal(Signal::TERM);
    agent.signal(Signal::INT);
    assert_eq!(agent.finish().code, 130);
    assert_eq!(listing(&node.registry()), [""; 0]);
}
