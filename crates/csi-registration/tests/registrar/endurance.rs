//! Many restarts and deletions in one process: what is counted there would be disturbed by other tests.

use std::fs;

use csi_registration::State;

use crate::support::{Answers, Rig, TestProcess, until};

/// Descriptors this process has open.
fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

#[tokio::test]
async fn after_50_plugin_restarts_and_50_deletions_there_are_as_many_descriptors_as_before() {
    rounds_in_a_process(50).await;
}

#[tokio::test]
#[ignore = "takes 15 s"]
async fn after_1000_plugin_restarts_and_1000_deletions_there_are_as_many_descriptors_as_before() {
    rounds_in_a_process(1000).await;
}

async fn rounds_in_a_process(rounds: u64) {
    let mut process = TestProcess::start("endurance::in_a_process_of_its_own_many_rounds", &rounds);
    let (before, after): (usize, usize) = process.says().await.unwrap();
    // It removes its folder before it ends.
    assert_eq!(process.says::<()>().await, None);
    assert!(after <= before + 2, "{before} descriptors became {after}");
}

#[tokio::test]
#[ignore = "rounds_in_a_process runs it as a process"]
async fn in_a_process_of_its_own_many_rounds() {
    let rounds: u64 = TestProcess::options();
    let mut rig = Rig::new();
    let mut plugin = rig.plugin(Answers::default());
    rig.start(rig.options());
    let mut kubelet = rig.kubelet();
    kubelet.registers().await;
    let mut before = 0;
    for round in 1..=rounds {
        rig.state(State::Registered).await;
        plugin.kill().await;
        rig.status_when("away", |status| !status.plugin.answering)
            .await;
        plugin = rig.plugin(Answers::default());
        rig.status_when("back", |status| status.plugin.answering)
            .await;
        fs::remove_file(rig.socket()).unwrap();
        kubelet.registers().await;
        rig.status_when("shown again", |status| status.rebinds == round)
            .await;
        if round == 10 {
            before = descriptors();
        }
    }
    // Servers of sockets that were deleted end once their last connection has.
    until("few descriptors", || descriptors() <= before + 2).await;
    TestProcess::say(&(before, descriptors()));
}
