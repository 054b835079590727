use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Something a kubelet does that a registrar should survive.
///
/// Each is read from text: `refuse=TEXT`, `refuse-first=N`, `never-notify`, `deaf-after-failure`, `restart-every=DURATION`,
/// `slow-getinfo=DURATION`, `drop-connection`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Every plugin is refused with this text after NodeGetInfo.
    Refuse(String),
    /// So many registrations of each driver are refused, and all after them judged fairly.
    RefuseFirst(u32),
    /// The registrar is never told a verdict, though all else happens.
    NeverNotify,
    /// A socket on which anything failed is left alone until another one takes its place; what kubelets to 1.35 do only
    /// after a failure in RegisterPlugin.
    DeafAfterFailure,
    /// The kubelet restarts again and again: it forgets all but the API objects and finds every socket anew.
    RestartEvery(Duration),
    /// So long a pause between the dial and GetInfo.
    SlowGetInfo(Duration),
    /// The registration connection is lost during NodeGetInfo, so that no verdict can be told.
    DropConnection,
}

/// Why a text is no [`Fault`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultError {
    /// Nothing is called so.
    #[error(
        "{text:?} is no fault; write refuse=TEXT, refuse-first=N, never-notify, deaf-after-failure, restart-every=DURATION, \
         slow-getinfo=DURATION or drop-connection"
    )]
    Unknown {
        /// What was given.
        text: String,
    },
    /// The number is none.
    #[error("{text:?} is no number of refusals; write it as in refuse-first=2")]
    Number {
        /// What stands after `=`.
        text: String,
    },
    /// The duration is none, or no time at all.
    #[error("{text:?} is no time; write it as in {fault}=5s")]
    Duration {
        /// The fault.
        fault: &'static str,
        /// What stands after `=`.
        text: String,
    },
}

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || FaultError::Unknown {
            text: text.to_owned(),
        };
        let Some((name, value)) = text.split_once('=') else {
            return match text {
                "never-notify" => Ok(Self::NeverNotify),
                "deaf-after-failure" => Ok(Self::DeafAfterFailure),
                "drop-connection" => Ok(Self::DropConnection),
                _ => Err(unknown()),
            };
        };
        match name {
            "refuse" if !value.is_empty() => Ok(Self::Refuse(value.to_owned())),
            "refuse-first" => value
                .parse()
                .map(Self::RefuseFirst)
                .or(Err(FaultError::Number {
                    text: value.to_owned(),
                })),
            "restart-every" => duration("restart-every", value).map(Self::RestartEvery),
            "slow-getinfo" => duration("slow-getinfo", value).map(Self::SlowGetInfo),
            _ => Err(unknown()),
        }
    }
}

fn duration(fault: &'static str, text: &str) -> Result<Duration, FaultError> {
    match humantime::parse_duration(text) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err(FaultError::Duration {
            fault,
            text: text.to_owned(),
        }),
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refuse(text) => write!(f, "refuse={text}"),
            Self::RefuseFirst(count) => write!(f, "refuse-first={count}"),
            Self::NeverNotify => f.write_str("never-notify"),
            Self::DeafAfterFailure => f.write_str("deaf-after-failure"),
            Self::RestartEvery(pause) => {
                write!(f, "restart-every={}", humantime::format_duration(*pause))
            }
            Self::SlowGetInfo(pause) => {
                write!(f, "slow-getinfo={}", humantime::format_duration(*pause))
            }
            Self::DropConnection => f.write_str("drop-connection"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_read_from_what_it_is_shown_as() {
        for (text, fault) in [
            ("refuse=not=here", Fault::Refuse("not=here".to_owned())),
            ("refuse-first=2", Fault::RefuseFirst(2)),
            ("never-notify", Fault::NeverNotify),
            ("deaf-after-failure", Fault::DeafAfterFailure),
            (
                "restart-every=2s",
                Fault::RestartEvery(Duration::from_secs(2)),
            ),
            (
                "slow-getinfo=10ms",
                Fault::SlowGetInfo(Duration::from_millis(10)),
            ),
            ("drop-connection", Fault::DropConnection),
        ] {
            assert_eq!(text.parse(), Ok(fault.clone()));
            assert_eq!(fault.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_fault_says_what_is_one() {
        for (text, message) in [
            (
                "refuse-first=two",
                "\"two\" is no number of refusals; write it as in refuse-first=2",
            ),
            (
                "restart-every=0s",
                "\"0s\" is no time; write it as in restart-every=5s",
            ),
            (
                "slow-getinfo=",
                "\"\" is no time; write it as in slow-getinfo=5s",
            ),
        ] {
            assert_eq!(text.parse::<Fault>().unwrap_err().to_string(), message);
        }
        for text in ["", "refuse", "refuse=", "never-notify=1", "slow"] {
            assert_eq!(
                text.parse::<Fault>().unwrap_err().to_string(),
                format!(
                    "{text:?} is no fault; write refuse=TEXT, refuse-first=N, never-notify, deaf-after-failure, \
                     restart-every=DURATION, slow-getinfo=DURATION or drop-connection"
                )
            );
        }
    }
}
