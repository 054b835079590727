//! What a rule is, and what it finds.

use crate::{Method, Observation};

/// A rule for plugins.
#[derive(Debug)]
pub struct Rule {
    /// Its name, which stays the same for ever: `CSI-ID-010`.
    pub id: &'static str,
    /// What is so if the rule is kept.
    pub title: &'static str,
    /// What it is about.
    pub theme: Theme,
    /// How bad it is to break it.
    pub severity: Severity,
    /// The caller that breaks, where it is about callers.
    pub breaks: &'static [Caller],
    /// Where the rule comes from.
    pub clause: &'static str,
    /// Whether guides to porting ask for it, beyond the specification.
    pub in_guides: bool,
    /// What happens if it is broken.
    pub why: &'static str,
    /// What to do, in Go.
    pub go: &'static str,
    /// What to do, in Rust.
    pub rust: &'static str,
    /// The rules that, if broken too, are the cause, so that this is only what follows.
    pub implied_by: &'static [&'static str],
    /// What speaks against a plugin; nothing if it keeps the rule.
    pub(crate) check: fn(&Observation) -> Vec<Evidence>,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The specification, gRPC or protobuf does not allow it.
    Must,
    /// It is allowed, and a caller that many have does not do its work.
    Breaks,
    /// It is allowed and works, and something else would be better.
    Advice,
}

/// Who calls plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Caller {
    /// The sidecars and tools of Kubernetes, the kubelet, the API server.
    Kubernetes(&'static str),
    /// Nomad.
    Nomad,
    /// Any other client.
    Other(&'static str),
}

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Theme {
    /// Whether the three RPCs of the Identity service are there.
    Presence,
    /// Name, version and manifest.
    Identity,
    /// The capabilities as such.
    Capabilities,
    /// The capabilities and what is really served.
    Reality,
    /// Probe.
    Probe,
    /// NodeGetInfo.
    NodeInfo,
    /// The status of errors.
    Status,
    /// What goes over the wire.
    Wire,
    /// What clients send as authority.
    Authority,
    /// Many calls, cancelled calls, cut connections, deadlines.
    Behaviour,
    /// The socket's file.
    Endpoint,
    /// Start and stop of the process.
    Process,
    /// The verdicts of csi-sanity.
    Sanity,
}

/// What speaks against a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Which socket; empty where there is but one.
    pub socket: &'static str,
    /// What was seen.
    pub seen: String,
    /// The bytes it is about, where they matter.
    pub bytes: Option<Bytes>,
}

/// Bytes that came over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Whose message they are; nothing for a body that is none.
    pub message_of: Option<Method>,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Evidence {
    pub(crate) fn new(socket: &'static str, seen: impl Into<String>) -> Self {
        Self {
            socket,
            seen: seen.into(),
            bytes: None,
        }
    }

    pub(crate) fn with_bytes(mut self, method: Method, bytes: &[u8]) -> Self {
        self.bytes = Some(Bytes {
            message_of: Some(method),
            bytes: bytes.to_owned(),
        });
        self
    }

    pub(crate) fn with_body(mut self, bytes: &[u8]) -> Self {
        self.bytes = Some(Bytes {
            message_of: None,
            bytes: bytes.to_owned(),
        });
        self
    }
}

impl Severity {
    /// The word for it in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::Breaks => "BREAKS",
            Self::Advice => "ADVICE",
        }
    }
}

impl Caller {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kubernetes(name) | Self::Other(name) => name,
            Self::Nomad => "Nomad",
        }
    }
}

impl Theme {
    /// Its heading.
    #[must_use]
    pub fn heading(self) -> &'static str {
        match self {
            Self::Presence => "The three calls",
            Self::Identity => "Name, version and manifest",
            Self::Capabilities => "Capabilities",
            Self::Reality => "Capabilities and what is served",
            Self::Probe => "Probe",
            Self::NodeInfo => "NodeGetInfo",
            Self::Status => "Errors",
            Self::Wire => "On the wire",
            Self::Authority => "Other clients' authorities",
            Self::Behaviour => "Under use",
            Self::Endpoint => "The socket's file",
            Self::Process => "Start and stop",
            Self::Sanity => "What csi-sanity says",
        }
    }
}

impl Rule {
    pub(crate) const fn must(id: &'static str, theme: Theme, title: &'static str) -> Self {
        Self {
            id,
            title,
            theme,
            severity: Severity::Must,
            breaks: &[],
            clause: "",
            in_guides: false,
            why: "",
            go: "",
            rust: "",
            implied_by: &[],
            check: |_| Vec::new(),
        }
    }

    pub(crate) const fn breaks(
        id: &'static str,
        theme: Theme,
        callers: &'static [Caller],
        title: &'static str,
    ) -> Self {
        Self {
            severity: Severity::Breaks,
            breaks: callers,
            ..Self::must(id, theme, title)
        }
    }

    pub(crate) const fn advice(id: &'static str, theme: Theme, title: &'static str) -> Self {
        Self {
            severity: Severity::Advice,
            ..Self::must(id, theme, title)
        }
    }
}
