//! What each endpoint makes of what is known. No I/O, no HTTP but for the codes.

use std::borrow::Cow;

use csi_identity::Reason;
use csi_registration::{State, Status};
use http::StatusCode;

use crate::outcome::{Answer, Outcome};
use crate::registration_check::Found;

/// The endpoints that pass a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    Healthz,
    Livez,
    Readyz,
    Registrationz,
}

/// An answer to whoever checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) code: StatusCode,
    /// One line.
    pub(crate) line: Cow<'static, str>,
    /// What is wrong with a good answer; one line.
    pub(crate) warning: Option<String>,
}

impl Check {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Healthz => "healthz",
            Self::Livez => "livez",
            Self::Readyz => "readyz",
            Self::Registrationz => "registrationz",
        }
    }
}

impl Verdict {
    /// As livenessprobe 2.19 has it (`cmd/livenessprobe/main.go`), body included: liveness probes that exist rely on it.
    pub(crate) fn healthz(outcome: &Outcome) -> Self {
        match &outcome.answer {
            Answer::Ready => Self::ok(),
            answer => Self::bad(StatusCode::INTERNAL_SERVER_ERROR, &answer.reason()),
        }
    }

    /// As node-driver-registrar 2.17 has it (`cmd/csi-node-driver-registrar/node_register.go`), body included.
    pub(crate) fn registration_socket(found: Found) -> Self {
        match found {
            Found::Good => Self::ok(),
            Found::NoSocket => Self {
                code: StatusCode::NOT_FOUND,
                line: "registration socket does not exist".into(),
                warning: None,
            },
            Found::Bad(reason) => Self::bad(StatusCode::INTERNAL_SERVER_ERROR, &reason),
        }
    }

    /// Whether a restart would help. A plugin that is starting needs none, nor does one that has no Probe.
    pub(crate) fn livez(outcome: &Outcome, registration: Option<&Status>) -> Self {
        if let Some(status) = registration.filter(|status| status.restart_needed) {
            let reason = Reason::from(status.reason.as_str());
            return Self::bad(StatusCode::SERVICE_UNAVAILABLE, &reason);
        }
        match &outcome.answer {
            Answer::NotReady => Self {
                line: "ok, though the plugin says that it is not ready yet".into(),
                ..Self::ok()
            },
            _ => Self::readyz(outcome),
        }
    }

    /// Whether the plugin can work.
    pub(crate) fn readyz(outcome: &Outcome) -> Self {
        match &outcome.answer {
            Answer::Ready => Self::ok(),
            answer if answer.is_unimplemented() => Self {
                warning: unimplemented_warning(answer),
                ..Self::ok()
            },
            answer => Self::bad(StatusCode::SERVICE_UNAVAILABLE, &answer.reason()),
        }
    }

    /// Whether the kubelet has the plugin. 404 where nothing is shown to it, as with node-driver-registrar.
    pub(crate) fn registrationz(registration: Option<&Status>) -> Self {
        let Some(status) = registration else {
            return Self {
                code: StatusCode::NOT_FOUND,
                line: "registration is off: this process registers no plugin with the kubelet"
                    .into(),
                warning: None,
            };
        };
        let code = match status.state {
            State::Registered => StatusCode::OK,
            _ if !status.socket_is_shown => StatusCode::NOT_FOUND,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        let line = Reason::from(format!("{}: {}", status.state, status.reason));
        Self::bad(code, &line)
    }

    pub(crate) fn is_good(&self) -> bool {
        self.code == StatusCode::OK
    }

    fn ok() -> Self {
        Self {
            code: StatusCode::OK,
            line: "ok".into(),
            warning: None,
        }
    }

    fn bad(code: StatusCode, line: &Reason) -> Self {
        Self {
            code,
            line: line.as_str().to_owned().into(),
            warning: None,
        }
    }
}

/// What is to be said of a plugin without a Probe.
pub(crate) fn unimplemented_warning(answer: &Answer) -> Option<String> {
    answer.is_unimplemented().then(|| {
        format!(
            "the plugin does not implement Probe, which every caller but the kubelet takes for a failure ({})",
            answer.reason()
        )
    })
}
