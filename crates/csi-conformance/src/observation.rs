//! What was seen of a plugin: plain data, which the rules judge and tests edit.

mod exchange;
mod file;
mod frames;
mod process;
mod socket;
mod status;

use std::time::Duration;

pub use exchange::{Break, End, Exchange, Reply};
pub use file::SocketFile;
pub(crate) use frames::framed;
pub use frames::{Frame, frames};
pub use process::{Launch, ProcessSeen, Stop};
pub use socket::{AuthorityTry, Connection, Deadline, Distinct, Promised, Repeated, Socket};
pub use status::{NoStatus, Status, code_name};

use crate::Method;

/// All that was seen of a plugin.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The socket that was asked about; a node plugin's, unless the plugin has only one.
    pub plugin: Socket,
    /// Where the Controller service is said to be.
    pub controller: Controller,
    /// How the plugin starts and stops, where it was started here.
    pub process: Option<ProcessSeen>,
    /// What was not tried, because the time was up.
    pub left_out: Vec<&'static str>,
    /// How often each RPC was called.
    pub calls: Vec<(Method, u32)>,
    /// How long all of it took.
    pub took: Duration,
}

/// Where the Controller service is.
///
/// All instances of a plugin report the same capabilities, whatever they serve. So that a socket has no Controller service
/// means nothing as long as nobody says where it should be.
#[derive(Clone, Debug)]
pub enum Controller {
    /// Nobody said.
    NotTold,
    /// On the same socket.
    SameSocket,
    /// On a socket of its own.
    Other(Box<Socket>),
}

impl Observation {
    /// Each socket that was seen, with the words for it in a report; none where there is but one.
    pub fn sockets(&self) -> impl Iterator<Item = (&'static str, &Socket)> {
        let (first, second) = match &self.controller {
            Controller::Other(other) => ("plugin socket", Some(&**other)),
            Controller::NotTold | Controller::SameSocket => ("", None),
        };
        let second = second.map(|socket| ("controller socket", socket));
        std::iter::once((first, &self.plugin)).chain(second)
    }

    /// Whether all places are known at which the plugin's services can be.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !matches!(self.controller, Controller::NotTold)
    }

    /// The socket where the Controller service should be, if anybody said.
    #[must_use]
    pub fn controller_socket(&self) -> Option<&Socket> {
        match &self.controller {
            Controller::NotTold => None,
            Controller::SameSocket => Some(&self.plugin),
            Controller::Other(other) => Some(other),
        }
    }
}
