//! Asks a plugin all that the rules are about. All the I/O there is.

mod budget;
mod call;
mod child;
mod file;
mod launch;
mod misuse;
mod others;
mod promise;
mod socket;

use std::path::PathBuf;
use std::time::Duration;

use csi_endpoint::{ConnectError, Endpoint, EndpointError};
use tokio::time::Instant;

use crate::{Controller, Observation};
use budget::Budget;
use call::Tally;

pub(crate) use promise::SECRET;

/// Where the plugin is, and how it is to be asked.
#[derive(Clone, Debug)]
pub struct ObserveOptions {
    /// Where it is.
    pub place: Where,
    /// Where its Controller service is, if anybody says; the same endpoint says that there is only one socket.
    pub controller: Option<Endpoint>,
    /// How long all of it may take.
    pub budget: Duration,
    /// Whether RPCs that capabilities promise are called too, with an empty request.
    pub empty_requests: bool,
}

/// Where a plugin is.
#[derive(Clone, Debug)]
pub enum Where {
    /// It runs, and listens here.
    At(Endpoint),
    /// It is started by this command of the shell, with `CSI_ENDPOINT` in its environment, and ended afterwards.
    Started {
        /// The command.
        command: String,
        /// Where it has to listen; in a directory that is made for it, if nobody says.
        endpoint: Option<Endpoint>,
    },
}

/// Why nothing could be observed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObserveError {
    /// Nobody is there, or nobody lets this process in.
    #[error(transparent)]
    NotReached(#[from] ConnectError),
    /// Another plugin listens where the one that is to be started should.
    #[error("somebody listens on {} already; end that, or choose another endpoint", path.display())]
    Occupied {
        /// The path of the socket.
        path: PathBuf,
    },
    /// The command could not be started.
    #[error("cannot start a shell for the command: {0}")]
    NotStarted(std::io::Error),
    /// No directory could be made for the socket.
    #[error("cannot make a directory for the socket: {0}")]
    NoDirectory(std::io::Error),
    /// The directory that was made is not good for a socket.
    #[error("cannot put a socket into {}: {error}", directory.display())]
    BadDirectory {
        /// The directory.
        directory: PathBuf,
        /// Why.
        error: EndpointError,
    },
}

impl ObserveOptions {
    /// A plugin that runs, without anything that has to be asked for, within 30 s.
    #[must_use]
    pub fn at(endpoint: Endpoint) -> Self {
        Self {
            place: Where::At(endpoint),
            controller: None,
            budget: Duration::from_secs(30),
            empty_requests: false,
        }
    }
}

/// Asks a plugin. `progress` is told what is done next.
///
/// It wants a runtime with time and I/O. A plugin that was started is ended, with all its process group, also when this
/// future is dropped.
///
/// # Errors
///
/// Nothing could be observed; see [`ObserveError`]. Whatever a plugin that is there does wrong is no error.
pub async fn observe(
    options: &ObserveOptions,
    mut progress: impl FnMut(&str),
) -> Result<Observation, ObserveError> {
    let started = Instant::now();
    let mut visit = Visit {
        budget: Budget::new(options.budget),
        tally: Tally::default(),
        empty_requests: options.empty_requests,
        progress: &mut progress,
    };
    let (plugin, process) = match &options.place {
        Where::At(endpoint) => (visit.socket(endpoint).await?, None),
        Where::Started { command, endpoint } => {
            let (plugin, process) = launch::observe(&mut visit, command, endpoint.as_ref()).await?;
            (plugin, Some(process))
        }
    };
    let controller = match &options.controller {
        None => Controller::NotTold,
        Some(endpoint) if endpoint.path_text() == plugin.path => Controller::SameSocket,
        Some(endpoint) => Controller::Other(Box::new(visit.socket(endpoint).await?)),
    };
    Ok(Observation {
        plugin,
        controller,
        process,
        left_out: visit.budget.left_out(),
        calls: visit.tally.counts(),
        took: started.elapsed(),
    })
}

/// What goes with all the steps.
struct Visit<'a> {
    budget: Budget,
    tally: Tally,
    empty_requests: bool,
    progress: &'a mut dyn FnMut(&str),
}
