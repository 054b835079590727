use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use csi_endpoint::{Channel, ConnectOptions, Endpoint};
use tokio::sync::{mpsc, watch};

use crate::plugin::{self, Rehearsal, View};
use crate::{CallObserver, HostPath, Status};

mod change_log;
mod course;
mod service;
mod socket;

use course::Course;
pub(crate) use socket::socket_name;

/// Calls of a kubelet that are not dealt with yet; one kubelet makes one at a time.
const CALLS: usize = 16;

/// From when on a plugin is shown to the kubelet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegisterWhen {
    /// When Probe says ready and NodeGetInfo has an answer that a kubelet takes.
    #[default]
    Ready,
    /// When GetPluginInfo has an answer. What a kubelet would refuse of the rest is a warning then.
    Serving,
}

/// Why a text is no [`RegisterWhen`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no moment to register a plugin; write ready or serving")]
pub struct RegisterWhenError {
    text: String,
}

/// What a plugin is registered as, and how.
#[derive(Clone, Debug)]
pub struct RegistrarOptions {
    /// Where this process reaches the plugin.
    pub plugin: Endpoint,
    /// Where the kubelet reaches it.
    pub host_path: HostPath,
    /// Where this process sees the kubelet's `plugins_registry`.
    pub directory: PathBuf,
    /// The kubelet's root directory on the host, for checking the length of paths; by default what stands before
    /// `/plugins/` in the host path.
    pub kubelet_root: Option<PathBuf>,
    /// From when on the plugin is shown to the kubelet.
    pub register_when: RegisterWhen,
    /// After how long without a kubelet's call that is a problem; 30 s by default.
    pub expect_kubelet_within: Duration,
    /// How long a call to the plugin may take, 10 s by default; NodeGetInfo has the two minutes that a kubelet grants.
    pub call_timeout: Duration,
    /// Whether a refusal ends the registrar, as it ends node-driver-registrar, rather than being followed by a new socket.
    pub exit_on_refusal: bool,
    /// Hears of each call to the plugin.
    pub observer: Option<CallObserver>,
}

/// How a registrar ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a refusal is a failure"]
pub enum Ended {
    /// It was asked to.
    Stopped,
    /// The kubelet refused the plugin for this reason, and [`RegistrarOptions::exit_on_refusal`] says so.
    Refused(String),
}

/// Registers a plugin with the kubelet and keeps that true until it is stopped.
///
/// It waits for the plugin, asks it what its callers will ask, and shows the kubelet a socket when nothing speaks against
/// it. From then on it sees to it that the socket stays there, and shows another one when the kubelet refused the plugin
/// or the plugin has become another. Nothing ends it but its shutdown.
///
/// ```no_run
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// use csi_registration::{Ended, Registrar, RegistrarOptions};
///
/// let options = RegistrarOptions::new(
///     "unix:///csi/csi.sock".parse()?,
///     "/var/lib/kubelet/plugins/disk.acme.io/csi.sock".parse()?,
///     "/registration",
/// );
/// let registrar = Registrar::new(options);
/// let mut status = registrar.status();
/// tokio::spawn(async move {
///     while status.changed().await.is_ok() {
///         println!("{}", status.borrow().state);
///     }
/// });
/// let shutdown = std::future::pending::<()>();
/// assert_eq!(registrar.run(shutdown).await, Ended::Stopped);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a registrar does nothing until it runs"]
pub struct Registrar {
    options: RegistrarOptions,
    channel: Channel,
    status: watch::Sender<Status>,
}

impl RegistrarOptions {
    /// A plugin at `plugin` here and `host_path` for the kubelet, shown in `directory`, with the defaults for the rest.
    pub fn new(plugin: Endpoint, host_path: HostPath, directory: impl Into<PathBuf>) -> Self {
        Self {
            plugin,
            host_path,
            directory: directory.into(),
            kubelet_root: None,
            register_when: RegisterWhen::default(),
            expect_kubelet_within: Duration::from_secs(30),
            call_timeout: Duration::from_secs(10),
            exit_on_refusal: false,
            observer: None,
        }
    }

    pub(crate) fn kubelet_root(&self) -> Option<PathBuf> {
        let known = self.host_path.kubelet_root().map(ToOwned::to_owned);
        self.kubelet_root.clone().or(known)
    }
}

impl Registrar {
    /// A registrar that has not begun yet.
    pub fn new(options: RegistrarOptions) -> Self {
        let connect = ConnectOptions {
            wait: Duration::MAX,
            ..ConnectOptions::default()
        };
        let channel = Channel::new(options.plugin.clone(), &connect);
        let status = watch::Sender::new(course::first_status(&options));
        Self {
            options,
            channel,
            status,
        }
    }

    /// What is to be said of the registration, now and as it changes.
    pub fn status(&self) -> watch::Receiver<Status> {
        self.status.subscribe()
    }

    /// The way to the plugin, to be shared with others of this process: one connection is enough.
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Takes up what an earlier process left in its state file: what the kubelet said last, not that it said yes.
    pub fn remember(&self, earlier: &Status) {
        self.status.send_modify(|status| {
            status
                .last_kubelet_call
                .clone_from(&earlier.last_kubelet_call);
            status.last_refusal.clone_from(&earlier.last_refusal);
        });
    }

    /// Registers the plugin and keeps it registered until `shutdown` is ready; then removes the registration socket, by
    /// which a kubelet forgets the plugin, and lets calls in flight end.
    ///
    /// Needs a Tokio runtime with I/O and time.
    pub async fn run(self, shutdown: impl Future) -> Ended {
        let Self {
            options,
            channel,
            status,
        } = self;
        let rehearsal = Rehearsal::new(
            channel.clone(),
            options.call_timeout,
            options.register_when,
            options.kubelet_root(),
            options.observer.clone(),
        );
        let view = watch::Sender::new(View::new());
        let (calls, heard) = mpsc::channel(CALLS);
        let course = Course::new(options, status, view.subscribe(), calls);
        tokio::select! {
            never = plugin::follow(channel, rehearsal, &view) => match never {},
            ended = course.run(heard, shutdown) => ended,
        }
    }
}

impl FromStr for RegisterWhen {
    type Err = RegisterWhenError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "ready" => Ok(Self::Ready),
            "serving" => Ok(Self::Serving),
            _ => Err(RegisterWhenError {
                text: text.to_owned(),
            }),
        }
    }
}

impl fmt::Display for RegisterWhen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ready => "ready",
            Self::Serving => "serving",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::RegisterWhen;

    #[test]
    fn a_moment_is_ready_or_serving_and_nothing_else() {
        assert_eq!(RegisterWhen::default(), RegisterWhen::Ready);
        for (text, when) in [
            ("ready", RegisterWhen::Ready),
            ("serving", RegisterWhen::Serving),
        ] {
            assert_eq!(text.parse(), Ok(when));
            assert_eq!(when.to_string(), text);
        }
        for text in ["", "Ready", "ready ", "always"] {
            assert_eq!(
                text.parse::<RegisterWhen>().unwrap_err().to_string(),
                format!("{text:?} is no moment to register a plugin; write ready or serving")
            );
        }
    }
}
