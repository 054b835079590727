//! A registrar in a process of its own, which can be killed.

use std::path::Path;

use csi_registration::{Registrar, RegistrarOptions, State};

use super::{TestProcess, within};

#[derive(Debug)]
pub(crate) struct OtherRegistrar(TestProcess);

impl OtherRegistrar {
    pub(crate) fn start(plugin: &Path, directory: &Path) -> Self {
        Self(TestProcess::start(
            "support::other_registrar::be_a_registrar",
            &(plugin, directory),
        ))
    }

    pub(crate) async fn comes_to(&mut self, state: State) {
        let coming = async { while self.0.says::<State>().await.unwrap() != state {} };
        within(state.as_str(), coming).await;
    }

    /// SIGKILL: its socket file stays.
    pub(crate) async fn kill(self) {
        self.0.kill().await;
    }
}

#[tokio::test]
#[ignore = "the other tests run it as a process"]
async fn be_a_registrar() {
    let (plugin, directory): (String, String) = TestProcess::options();
    let options =
        RegistrarOptions::new(plugin.parse().unwrap(), plugin.parse().unwrap(), directory);
    let registrar = Registrar::new(options);
    let mut status = registrar.status();
    tokio::spawn(registrar.run(std::future::pending::<()>()));
    loop {
        TestProcess::say(&status.borrow_and_update().state);
        status.changed().await.unwrap();
    }
}
