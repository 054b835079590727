use std::time::Duration;

use csi_endpoint::{Channel, ConnectOptions, Endpoint};
use csi_identity::{CallError, Reason};
use csi_proto::pluginregistration::v1::InfoRequest;
use csi_proto::pluginregistration::v1::registration_client::RegistrationClient;
use csi_registration::Status;
use tokio::sync::watch;

/// Asks the registration socket of this process what a kubelet would ask it, as node-driver-registrar does for its
/// `/healthz`.
///
/// It says nothing of whether a kubelet has called; the registration does not count it as one.
#[derive(Clone, Debug)]
pub struct RegistrationCheck {
    registration: watch::Receiver<Status>,
    timeout: Duration,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The socket answers with the plugin's name.
    Good,
    /// There is none.
    NoSocket,
    /// It does not answer, or with something else.
    Bad(Reason),
}

impl RegistrationCheck {
    /// A check of the registration whose status this is. `timeout` is for connecting and for the call, each.
    #[must_use]
    pub fn new(registration: watch::Receiver<Status>, timeout: Duration) -> Self {
        Self {
            registration,
            timeout,
        }
    }

    pub(crate) async fn run(&self) -> Found {
        let (socket, driver) = {
            let status = self.registration.borrow();
            if !status.socket_is_shown {
                return Found::NoSocket;
            }
            (status.socket.clone(), status.driver.clone())
        };
        let Some(endpoint) = socket.and_then(|socket| Endpoint::from_path(socket).ok()) else {
            return Found::NoSocket;
        };
        // It may have been deleted a moment ago.
        if !endpoint.path().exists() {
            return Found::NoSocket;
        }
        let options = ConnectOptions {
            attempt_timeout: self.timeout,
            ..ConnectOptions::default()
        };
        let mut client = RegistrationClient::new(Channel::new(endpoint, &options));
        let call = tokio::time::timeout(self.timeout, client.get_info(InfoRequest {}));
        match call.await {
            Ok(Ok(info)) if Some(&info.get_ref().name) == driver.as_ref() => Found::Good,
            Ok(Ok(info)) => Found::Bad(Reason::from(format!(
                "the registration socket answers for {:?} instead of {:?}",
                info.get_ref().name,
                driver.unwrap_or_default()
            ))),
            Ok(Err(status)) => Found::Bad(Reason::from(CallError::from(status).to_string())),
            Err(_elapsed) => Found::Bad(Reason::from(format!(
                "the registration socket does not answer within {:?}",
                self.timeout
            ))),
        }
    }
}
