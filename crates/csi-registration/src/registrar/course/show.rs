//! What the kubelet is told of, and the socket on which it is.

use std::time::Duration;

use csi_endpoint::{Endpoint, EndpointError, SocketWatch, WatchOptions};
use tokio::time::Instant;

use super::{Course, words};
use crate::State;
use crate::plugin::{Report, View};
use crate::registrar::service::Service;
use crate::registrar::socket::{is_unlinked, socket_name};

/// How soon to look again at what is in the way of the socket, where no event tells of its going.
const OBSTACLE_PAUSE: Duration = Duration::from_secs(1);

/// The socket's going makes an event; this is for a directory mounted over another, which makes none.
const SAFETY_POLL: Duration = Duration::from_secs(2);

/// A plugin that the kubelet is told of.
#[derive(Debug)]
pub(super) struct Offered {
    pub(super) report: Report,
    pub(super) socket: Endpoint,
    pub(super) watch: SocketWatch,
}

impl Course {
    /// Takes what the plugin says now as what the kubelet is to be told, if it can be registered.
    ///
    /// The error is that its socket has no place in the directory.
    pub(super) fn offer(&mut self, view: &View) -> Result<(), EndpointError> {
        let Some(report) = view.report.clone().filter(|_| view.eligible) else {
            return Ok(());
        };
        if let Some(offered) = &mut self.offered
            && offered.report.driver == report.driver
        {
            // Nothing is known of a node that was not asked yet.
            let is_another = report.node.is_some()
                && offered.report.node.is_some()
                && offered.report.node != report.node;
            let has_another_version = offered.report.vendor_version != report.vendor_version;
            self.status.send_if_modified(|status| {
                let differs = status.warnings != report.warnings;
                status.warnings.clone_from(&report.warnings);
                differs
            });
            let node = report.node.clone().or(offered.report.node.take());
            offered.report = Report { node, ..report };
            if is_another || has_another_version {
                tracing::info!(
                    driver = offered.report.driver,
                    "the plugin is another one and is registered anew"
                );
                self.backoff.reset();
                self.withdraw();
            }
            return Ok(());
        }
        let path = self.options.directory.join(socket_name(&report.driver));
        let socket = Endpoint::from_path(&path);
        self.withdraw();
        self.offered = None;
        self.backoff.reset();
        let before = self.status.borrow().driver.clone();
        if before.as_ref() != Some(&report.driver) {
            if let Some(from) = before {
                tracing::warn!(from, to = report.driver, "the plugin has another name");
            }
            for warning in &report.warnings {
                tracing::warn!("{warning}");
            }
            self.status.send_modify(|status| {
                status.driver = Some(report.driver.clone());
                status.socket = Some(path);
                status.warnings.clone_from(&report.warnings);
            });
        }
        let socket = socket?;
        let options = WatchOptions {
            safety_poll: SAFETY_POLL,
            ..WatchOptions::default()
        };
        self.offered = Some(Offered {
            report,
            watch: SocketWatch::new(socket.clone(), options),
            socket,
        });
        Ok(())
    }

    /// Takes the socket away, or what is left of it.
    pub(super) fn withdraw(&mut self) {
        if let Some(shown) = self.shown.take() {
            self.servers.withdraw(shown);
            (self.show_anew, self.verdict_due) = (None, None);
            self.status
                .send_modify(|status| status.socket_is_shown = false);
        }
    }

    /// Shows the socket, or says why that cannot be.
    pub(super) fn show(&mut self) -> bool {
        let Some(offered) = &self.offered else {
            return false;
        };
        let service = Service {
            socket: self.sockets + 1,
            driver: offered.report.driver.clone(),
            host_path: self.options.host_path.to_string(),
            view: self.view.clone(),
            calls: self.calls.clone(),
        };
        let unlinked = is_unlinked(offered.socket.directory());
        match self.servers.show(&offered.socket, service) {
            Ok(shown) => {
                self.shown = Some(shown);
                self.sockets += 1;
                self.look_again = None;
                let rebinds = self.sockets - 1;
                self.status.send_modify(|status| {
                    status.socket_is_shown = true;
                    status.restart_needed = false;
                    status.rebinds = rebinds;
                });
                let reason = format!(
                    "{} is shown, and no kubelet has called yet",
                    offered.socket.path().display()
                );
                self.set(State::WaitingForKubelet, &reason, false);
                true
            }
            Err(error) => {
                self.look_again = Some(Instant::now() + OBSTACLE_PAUSE);
                self.expected = None;
                let (state, reason) = words::obstacle(&error, offered.socket.directory(), unlinked);
                self.status.send_if_modified(|status| {
                    std::mem::replace(&mut status.restart_needed, unlinked) != unlinked
                });
                self.set(state, &reason, true);
                false
            }
        }
    }
}
