//! By whose measure a plugin is judged.

use std::fmt;
use std::str::FromStr;

use crate::{Caller, Rule, Severity, Theme};

/// By whose measure a plugin is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// The CSI specification alone, with gRPC and protobuf below it.
    Spec,
    /// The same, and what breaks a caller of Kubernetes or a client in another language.
    #[default]
    Kubernetes,
    /// The specification, and what breaks Nomad.
    Nomad,
    /// As Kubernetes, and what guides to porting demand counts as much as the specification.
    Document,
    /// The verdicts of csi-sanity 5.4 on the Identity service, its slips included.
    CsiSanity,
}

/// A text that is no [`Profile`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no profile; it is one of spec, kubernetes, nomad, document and csi-sanity")]
pub struct ProfileError {
    text: String,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Spec,
        Self::Kubernetes,
        Self::Nomad,
        Self::Document,
        Self::CsiSanity,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Kubernetes => "kubernetes",
            Self::Nomad => "nomad",
            Self::Document => "document",
            Self::CsiSanity => "csi-sanity",
        }
    }

    /// How bad it is here to break a rule; nothing if the rule does not count.
    #[must_use]
    pub fn severity(self, rule: &Rule) -> Option<Severity> {
        if (rule.theme == Theme::Sanity) != (self == Self::CsiSanity) {
            return None;
        }
        let breaks_nomad = rule.breaks.contains(&Caller::Nomad);
        let counts = match (self, rule.severity) {
            // What is advice for the sake of callers or tools is none for the specification.
            (Self::Spec, Severity::Advice) => rule.clause.starts_with("CSI "),
            (Self::Spec, Severity::Breaks) => false,
            (Self::CsiSanity, _) | (_, Severity::Must | Severity::Advice) => true,
            (Self::Nomad, Severity::Breaks) => breaks_nomad,
            (Self::Kubernetes | Self::Document, Severity::Breaks) => {
                rule.breaks.iter().any(|&caller| caller != Caller::Nomad)
            }
        };
        let demanded = self == Self::Document && rule.in_guides;
        counts.then_some(if demanded {
            Severity::Must
        } else {
            rule.severity
        })
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Profile {
    type Err = ProfileError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|profile| profile.name() == text);
        found.ok_or_else(|| ProfileError {
            text: text.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Profile;
    use crate::{Severity, rule};

    #[test]
    fn a_profile_decides_which_rules_count_and_how_much() {
        use Profile::{CsiSanity, Document, Kubernetes, Nomad, Spec};
        use Severity::{Advice, Breaks, Must};
        for (id, profile, severity) in [
            ("CSI-ID-010", Spec, Some(Must)),
            ("CSI-ID-010", CsiSanity, None),
            ("CSI-ID-014", Spec, None),
            ("CSI-ID-015", Spec, Some(Advice)),
            ("CSI-ID-016", Spec, None),
            ("CSI-ID-014", Kubernetes, Some(Breaks)),
            ("CSI-ID-014", Nomad, None),
            ("CSI-ID-062", Nomad, Some(Breaks)),
            ("CSI-ID-015", Kubernetes, Some(Advice)),
            ("CSI-ID-015", Document, Some(Must)),
            ("CSI-SANITY-3", CsiSanity, Some(Must)),
            ("CSI-SANITY-3", Kubernetes, None),
        ] {
            assert_eq!(
                profile.severity(rule(id).unwrap()),
                severity,
                "{id} {profile}"
            );
        }
    }

    #[test]
    fn profiles_are_parsed_by_their_names() {
        for profile in Profile::ALL {
            assert_eq!(profile.name().parse(), Ok(profile));
        }
        assert_eq!(
            "k8s".parse::<Profile>().unwrap_err().to_string(),
            "\"k8s\" is no profile; it is one of spec, kubernetes, nomad, document and csi-sanity"
        );
    }
}
