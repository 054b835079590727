//! What an offer may say, but should not.

use std::fmt;

/// One thing in an [`Offer`](crate::Offer) that contradicts itself or the specification.
///
/// It may still be served. Tools show it as a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CapabilityAdvice {
    /// The accessibility constraints follow from the node's topology alone, and the Controller is served elsewhere.
    TopologyDerived,
    /// Volumes can be expanded both online and offline, which states two intents.
    OnlineAndOffline,
    /// Online expansion needs EXPAND_VOLUME of the Controller or Node service.
    OnlineWithoutExpander,
    /// Offline expansion needs EXPAND_VOLUME of the Controller service.
    OfflineWithoutController,
    /// A service has EXPAND_VOLUME, but no volume expansion is stated.
    ExpansionNotStated,
}

impl fmt::Display for CapabilityAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TopologyDerived => {
                "VOLUME_ACCESSIBILITY_CONSTRAINTS follows from this node's topology; offer it on the instance that \
                 serves the Controller too, since all instances of one version must report the same"
            }
            Self::OnlineAndOffline => {
                "volume expansion is stated as both ONLINE and OFFLINE, which contradict each other; state one"
            }
            Self::OnlineWithoutExpander => {
                "volume expansion ONLINE needs EXPAND_VOLUME of the Controller or Node service, and neither can have it"
            }
            Self::OfflineWithoutController => {
                "volume expansion OFFLINE needs EXPAND_VOLUME of the Controller service, which cannot have it"
            }
            Self::ExpansionNotStated => {
                "EXPAND_VOLUME is offered, but no volume expansion is stated; state online or offline"
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::CapabilityAdvice as Advice;

    #[test]
    fn advice_says_what_would_be_right() {
        for (advice, text) in [
            (
                Advice::TopologyDerived,
                "VOLUME_ACCESSIBILITY_CONSTRAINTS follows from this node's topology; offer it on the instance that \
                 serves the Controller too, since all instances of one version must report the same",
            ),
            (
                Advice::OnlineAndOffline,
                "volume expansion is stated as both ONLINE and OFFLINE, which contradict each other; state one",
            ),
            (
                Advice::OnlineWithoutExpander,
                "volume expansion ONLINE needs EXPAND_VOLUME of the Controller or Node service, and neither can have it",
            ),
            (
                Advice::OfflineWithoutController,
                "volume expansion OFFLINE needs EXPAND_VOLUME of the Controller service, which cannot have it",
            ),
            (
                Advice::ExpansionNotStated,
                "EXPAND_VOLUME is offered, but no volume expansion is stated; state online or offline",
            ),
        ] {
            assert_eq!(advice.to_string(), text);
        }
    }
}
