//! A good client that keeps asking while others misbehave.

use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::bounded::within;
use crate::served::{Served, ask};

/// How many answers show that a client is served.
const ENOUGH: usize = 20;

#[derive(Debug)]
pub(crate) struct Steady {
    answers: watch::Receiver<usize>,
    asking: JoinHandle<()>,
}

impl Steady {
    pub(crate) async fn start(served: &Served) -> Self {
        let mut client = served.client().await;
        let (count, answers) = watch::channel(0);
        let asking = tokio::spawn(async move {
            while !count.is_closed() {
                ask(&mut client).await;
                count.send_modify(|count| *count += 1);
            }
        });
        let mut steady = Self { answers, asking };
        steady.is_served().await;
        steady
    }

    /// Waits for some more answers.
    pub(crate) async fn is_served(&mut self) {
        let enough = *self.answers.borrow_and_update() + ENOUGH;
        let waiting = self.answers.wait_for(|&count| count >= enough);
        within("answers for the good client", waiting)
            .await
            .expect("the good client was refused");
    }

    /// Every question since the start was answered, and some are now.
    pub(crate) async fn was_served_throughout(mut self) {
        self.is_served().await;
        let Self { answers, asking } = self;
        drop(answers);
        within("the good client", asking).await.unwrap();
    }
}
