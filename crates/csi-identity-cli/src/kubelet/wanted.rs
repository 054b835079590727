use std::collections::BTreeSet;
use std::fmt;

use csi_kubelet::{Event, What};

use crate::verdict::Verdict;

/// What has to happen before a kubelet may stop by itself.
#[derive(Debug)]
pub(super) struct Wanted {
    /// Nothing is expected in particular, so any plugin decides.
    any: bool,
    missing: BTreeSet<String>,
}

impl Wanted {
    pub(super) fn new(expected: Vec<String>) -> Self {
        Self {
            any: expected.is_empty(),
            missing: expected.into_iter().collect(),
        }
    }

    /// What an event decides, if it does.
    pub(super) fn judge(&mut self, event: &Event) -> Option<Verdict> {
        let driver = event.driver.as_deref().unwrap_or_default();
        match event.what {
            What::Registered if self.any => Some(Verdict::Pass),
            What::Registered => {
                let was_missing = self.missing.remove(driver);
                (was_missing && self.missing.is_empty()).then_some(Verdict::Pass)
            }
            What::Refused { .. } => {
                (self.any || self.missing.contains(driver)).then_some(Verdict::Fail)
            }
            _ => None,
        }
    }
}

/// What has not come.
impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.any {
            return f.write_str("no plugin was registered or refused");
        }
        let missing: Vec<_> = self.missing.iter().map(String::as_str).collect();
        write!(f, "not registered: {}", missing.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn judge(expected: &[&str], events: &[(&str, What)]) -> Option<Verdict> {
        let mut wanted = Wanted::new(expected.iter().map(|&name| name.to_owned()).collect());
        events.iter().find_map(|(driver, what)| {
            wanted.judge(&Event {
                time: SystemTime::UNIX_EPOCH,
                took: None,
                socket: None,
                driver: Some((*driver).to_owned()),
                what: what.clone(),
            })
        })
    }

    #[test]
    fn what_is_missing_is_named() {
        let any = Wanted::new(Vec::new());
        assert_eq!(any.to_string(), "no plugin was registered or refused");
        let both = Wanted::new(vec!["b".to_owned(), "a".to_owned()]);
        assert_eq!(both.to_string(), "not registered: a, b");
    }

    fn refused() -> What {
        What::Refused {
            message: String::new(),
            cause: None,
        }
    }

    #[test]
    fn the_expected_drivers_decide_and_without_any_the_first_one_does() {
        let registered = || What::Registered;
        for (expected, events, verdict) in [
            (&[][..], vec![("a", registered())], Some(Verdict::Pass)),
            (&[], vec![("a", refused())], Some(Verdict::Fail)),
            (&[], vec![("a", What::Discovered)], None),
            (&["a"], vec![("b", registered()), ("b", refused())], None),
            (
                &["a"],
                vec![("b", refused()), ("a", registered())],
                Some(Verdict::Pass),
            ),
            (
                &["a"],
                vec![("a", refused()), ("a", registered())],
                Some(Verdict::Fail),
            ),
            (
                &["a", "b"],
                vec![("a", registered()), ("a", registered())],
                None,
            ),
            (
                &["a", "b"],
                vec![("b", registered()), ("a", registered())],
                Some(Verdict::Pass),
            ),
        ] {
            assert_eq!(judge(expected, &events), verdict, "{expected:?} {events:?}");
        }
    }
}
