//! Waiting for a plugin as the sidecars do.

use std::time::Duration;

use csi_identity::{CallError, Plugin, Readiness};
use tokio::time::Instant;
use tonic::Code;

use crate::running::Running;

fn plugin() -> Plugin {
    Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_plugin_that_starts_is_probed_every_second_until_it_is_ready() {
    let running = Running::start(plugin());
    let client = running.client().await;
    let started = Instant::now();
    let mut answers = Vec::new();
    let waited = client.wait_until_ready(|answer| {
        answers.push(*answer.as_ref().unwrap());
        if answers.len() == 3 {
            running.readiness.set(Readiness::Ready);
        }
    });
    waited.await.unwrap();
    assert_eq!(answers, [Some(false), Some(false), Some(false), Some(true)]);
    assert_eq!(
        started.elapsed().as_secs(),
        Duration::from_secs(3).as_secs()
    );
}

#[tokio::test]
async fn an_error_ends_the_wait_as_it_ends_the_sidecars() {
    let running = Running::start(plugin());
    running
        .readiness
        .set(Readiness::not_ready("array does not answer"));
    let client = running.client().await;
    let mut asked = 0;
    let error = client.wait_until_ready(|_| asked += 1).await.unwrap_err();
    let CallError::Answered(status) = error else {
        panic!("{error}")
    };
    assert_eq!((status.code(), asked), (Code::FailedPrecondition, 1));
}
