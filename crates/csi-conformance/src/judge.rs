//! From what was seen to what is wrong with it.

use csi_identity::nearest;

use crate::{Evidence, Observation, Profile, Rule, Severity, rules};

/// A rule that a plugin breaks.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Which.
    pub rule: &'static Rule,
    /// How bad that is, by the profile.
    pub severity: Severity,
    /// What was seen.
    pub evidence: Vec<Evidence>,
    /// The finding that is the cause, so that this one goes when that goes.
    pub implied_by: Option<&'static str>,
}

/// Which rules count.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// By whose measure.
    pub profile: Profile,
    only: Vec<&'static str>,
    skip: Vec<&'static str>,
}

/// An id that no rule has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no rule {id:?}{}", hint(*nearest))]
pub struct UnknownRule {
    id: String,
    nearest: Option<&'static str>,
}

impl Finding {
    /// Whether a plugin with this finding fails; advice counts only if it is to be followed strictly.
    ///
    /// What follows from another finding does not count beside that.
    #[must_use]
    pub fn fails(&self, strict: bool) -> bool {
        let is_serious = strict || self.severity != Severity::Advice;
        is_serious && self.implied_by.is_none()
    }
}

impl Selection {
    /// The rules of a profile: of these only some, if any are named, and not those that are to be skipped.
    ///
    /// Ids may be given in lower case.
    ///
    /// # Errors
    ///
    /// No rule has one of the ids.
    pub fn new(profile: Profile, only: &[String], skip: &[String]) -> Result<Self, UnknownRule> {
        let known = |id: &String| {
            let mut all = rules().map(|rule| rule.id);
            let found = all.find(|known| known.eq_ignore_ascii_case(id));
            found.ok_or_else(|| UnknownRule {
                id: id.clone(),
                nearest: nearest(&id.to_ascii_uppercase(), rules().map(|rule| rule.id)),
            })
        };
        Ok(Self {
            profile,
            only: only.iter().map(known).collect::<Result<_, _>>()?,
            skip: skip.iter().map(known).collect::<Result<_, _>>()?,
        })
    }

    /// Whether a rule counts, and how much.
    #[must_use]
    pub fn severity(&self, rule: &Rule) -> Option<Severity> {
        let wanted = self.only.is_empty() || self.only.contains(&rule.id);
        let severity = self.profile.severity(rule)?;
        (wanted && !self.skip.contains(&rule.id)).then_some(severity)
    }
}

/// Judges what was seen, worst first.
#[must_use]
pub fn judge(seen: &Observation, selection: &Selection) -> Vec<Finding> {
    let mut findings: Vec<Finding> = rules()
        .filter_map(|rule| {
            let severity = selection.profile.severity(rule)?;
            let evidence = (rule.check)(seen);
            (!evidence.is_empty()).then_some(Finding {
                rule,
                severity,
                evidence,
                implied_by: None,
            })
        })
        .collect();
    let broken: Vec<&str> = findings.iter().map(|finding| finding.rule.id).collect();
    for finding in &mut findings {
        let mut causes = finding.rule.implied_by.iter().copied();
        finding.implied_by = causes.find(|cause| broken.contains(cause));
    }
    // A skipped cause still is one; only it is not shown.
    findings.retain(|finding| selection.severity(finding.rule).is_some());
    findings.sort_by_key(|finding| (finding.severity, finding.implied_by.is_some()));
    findings
}

fn hint(nearest: Option<&'static str>) -> String {
    match nearest {
        Some(nearest) => format!("; did you mean {nearest}?"),
        None => "; --rules lists them".to_owned(),
    }
}
