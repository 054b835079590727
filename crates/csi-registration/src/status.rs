//! What is to be said of a registration at a moment, the same in log, HTTP answers, metrics and the state file.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

mod timestamp;

pub use timestamp::{Timestamp, TimestampError};

/// How far a registration has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The plugin has no socket, gives no answer, has no identity or is not ready; the kubelet is shown nothing.
    WaitingForPlugin,
    /// The registration socket is there, and no kubelet has said yes or no.
    WaitingForKubelet,
    /// The kubelet told this process that the plugin is registered.
    Registered,
    /// The kubelet told this process that it does not take the plugin. A new socket follows.
    Refused,
    /// The registration socket is gone and cannot be shown: something is in its way, or the directory is gone.
    Lost,
    /// Another live registrar has the path; it is taken up when that one dies.
    Superseded,
}

/// What is to be said of a registration at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// How far it has come.
    pub state: State,
    /// Why it is in that state; one line.
    pub reason: String,
    /// When it came into that state.
    pub since: Timestamp,
    /// Whether a person should look at it: it will not get better by waiting for what usually comes.
    pub problem: bool,
    /// Name of the plugin, once known.
    pub driver: Option<String>,
    /// The path of the plugin's socket as the kubelet is told it.
    pub endpoint: String,
    /// The path of the registration socket in this process's view, once the plugin's name is known.
    pub socket: Option<PathBuf>,
    /// Whether that path leads to our registration socket.
    pub socket_is_shown: bool,
    /// Whether nothing but a restart of the container can help: the directory of the socket was removed from the disk
    /// while it was mounted here.
    pub restart_needed: bool,
    /// The last call of a kubelet to this process or, where a state file was read, to one before it.
    pub last_kubelet_call: Option<KubeletCall>,
    /// What a kubelet said last when it refused the plugin, to this process or one before it.
    pub last_refusal: Option<Refusal>,
    /// How often a kubelet refused the plugin in the life of this process.
    pub refusals: u64,
    /// How often the registration socket was shown again in the life of this process.
    pub rebinds: u64,
    /// The plugin itself.
    pub plugin: PluginStatus,
    /// What is legal and will trouble some caller, and what some clusters refuse.
    pub warnings: Vec<String>,
}

/// What is to be said of the plugin behind a registration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginStatus {
    /// Whether it answered when it was asked last. It is asked when it comes, when its socket is another one, and when
    /// the connection to it ends; not in between.
    pub answering: bool,
    /// Why it does not, or what it is; one line.
    pub reason: String,
    /// Since when.
    pub since: Timestamp,
}

/// A call of a kubelet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KubeletCall {
    /// `GetInfo` or `NotifyRegistrationStatus`.
    pub method: String,
    /// When it came.
    pub time: Timestamp,
}

/// The kubelet's no.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// What the kubelet gave as the reason.
    pub message: String,
    /// When it came.
    pub time: Timestamp,
}

impl State {
    /// All states, in the order of a registration.
    pub const ALL: [Self; 6] = [
        Self::WaitingForPlugin,
        Self::WaitingForKubelet,
        Self::Registered,
        Self::Refused,
        Self::Lost,
        Self::Superseded,
    ];

    /// The word for it, for example `waiting_for_plugin`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WaitingForPlugin => "waiting_for_plugin",
            Self::WaitingForKubelet => "waiting_for_kubelet",
            Self::Registered => "registered",
            Self::Refused => "refused",
            Self::Lost => "lost",
            Self::Superseded => "superseded",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::State;

    #[test]
    fn a_state_has_the_same_word_in_text_and_in_json() {
        for state in State::ALL {
            assert_eq!(
                serde_json::to_string(&state).unwrap(),
                format!("\"{state}\"")
            );
        }
    }
}
