//! The agent as a process, through more than a node sees in months: health requests, plugins that are killed and come back,
//! registration sockets that are deleted. None of them may leave anything behind.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod agent;
mod kubelet;
mod patience;
mod plugin;

use std::time::{Duration, Instant};

use agent::{Agent, Node};
use kubelet::Kubelet;
use plugin::Plugin;

/// How much more memory the agent may hold at the end than after a tenth of the load, in bytes.
///
/// Over the long load this is 5 bytes for each request and 524 for each restart or deletion; a connection or a task that
/// stayed would be ten times as much. Over the short one it is 10 kB for each, which is still less than a connection.
/// What it leaves room for is the allocator, which keeps pages that it used once: some 100 kB.
const MAX_GROWTH: u64 = 512 * 1024;

/// How many lines a minute the agent may log when everything changes all the time: 20 changes of the registration, 6 of the
/// plugin's health, and the sum of the rest of each.
const LINES_A_MINUTE: usize = 20 + 6 + 2;

/// How many lines it may log once: where it serves HTTP, and what it thinks of the plugin's name.
const LINES_AT_START: usize = 5;

/// As soon as that a deleted socket has to be shown again and registered.
const SHOWN_AGAIN_WITHIN: Duration = Duration::from_secs(2);

/// What happens to an agent. A restart, a deletion and their share of the requests are one turn.
#[derive(Clone, Copy, Debug)]
struct Load {
    turns: usize,
    requests_a_turn: usize,
}

const LONG: Load = Load {
    turns: 1_000,
    requests_a_turn: 100,
};

#[tokio::test]
async fn a_twentieth_of_the_load_leaves_nothing_behind() {
    let turns = LONG.turns / 20;
    soak(Load { turns, ..LONG }).await;
}

#[tokio::test]
#[ignore = "takes up to a minute; `just soak` runs it"]
async fn the_whole_load_leaves_nothing_behind() {
    soak(LONG).await;
}

#[expect(
    clippy::print_stdout,
    reason = "the figures are worth seeing, with --nocapture"
)]
async fn soak(load: Load) {
    let node = Node::new();
    let mut plugin = Plugin::start(node.plugin_socket());
    let agent = Agent::start(&node);
    let mut http = agent.connect().await;
    let mut kubelet = Kubelet::start(node.root());
    kubelet.registers(node.plugin_socket()).await;

    let mut slowest = Duration::ZERO;
    let mut before = None;
    let begin = Instant::now();
    let warm_up = load.turns / 10;
    for turn in 0..warm_up + load.turns {
        if turn == warm_up {
            before = Some(agent.footprint());
        }
        plugin.kill().await;
        plugin = Plugin::start(node.plugin_socket());
        plugin.is_known().await;

        let deleted = Instant::now();
        std::fs::remove_file(node.registration_socket()).unwrap();
        kubelet.registers(node.plugin_socket()).await;
        slowest = slowest.max(deleted.elapsed());

        for _ in 0..load.requests_a_turn {
            assert_eq!(http.healthz().await, "200 ok", "turn {turn}");
        }
    }

    let took = begin.elapsed();
    let before = before.unwrap();
    patience::until("what the agent has open is closed", || {
        agent.footprint().descriptors <= before.descriptors
    })
    .await;
    let after = agent.footprint();
    let lines = agent.log().lines().count();
    println!(
        "{load:?} in {took:.1?}: {before:?}, then {after:?}; {lines} lines; slowest {slowest:.1?}"
    );
    assert_eq!(after.threads, before.threads);
    assert!(
        after.memory <= before.memory + MAX_GROWTH,
        "{before:?}, then {after:?}"
    );
    let minutes = took.as_secs() / 60 + 1;
    let limit = LINES_AT_START + LINES_A_MINUTE * usize::try_from(minutes).unwrap();
    assert!(
        lines <= limit,
        "{lines} lines, not {limit}: {}",
        agent.log()
    );
    assert!(slowest < SHOWN_AGAIN_WITHIN, "{slowest:?}");
}
