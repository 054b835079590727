//! What the results of all checks mean for the plugin.

use std::fmt::Write as _;

use super::state::CheckState;
use crate::{Check, CheckName, OnFailure, Readiness, Reason};

/// What stands between the checks in a reason.
const SEPARATOR: &str = "; ";

/// All checks of a plugin, and the readiness they add up to.
///
/// - The plugin is ready when every check is passing.
/// - Until that happens for the first time it is starting, whatever fails: callers wait for it.
/// - Later it is not ready while a check fails that means [`OnFailure::Error`], and starting again, which is `ready=false`,
///   while only such fail that mean [`OnFailure::NotReady`].
///
/// The reason names each check that is not passing, those that mean an error first. Where the names alone are too long
/// for a [`Reason`], it says how many more there are. Without any check the plugin is ready.
#[derive(Clone, Debug)]
pub(super) struct CheckSet {
    members: Vec<Member>,
    been_ready: bool,
}

#[derive(Clone, Debug)]
struct Member {
    name: CheckName,
    on_failure: OnFailure,
    state: CheckState,
}

impl CheckSet {
    /// Checks that have never run.
    pub(super) fn new<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Self {
        let member = |check: &Check| Member {
            name: check.name().clone(),
            on_failure: check.policy().on_failure,
            state: CheckState::new(check.policy()),
        };
        let members: Vec<_> = checks.into_iter().map(member).collect();
        let been_ready = members.is_empty();
        Self {
            members,
            been_ready,
        }
    }

    /// Takes in a result of the check at `index`, counted as they were given; returns its state if the verdict became another.
    ///
    /// An index that no check has changes nothing.
    pub(super) fn record(
        &mut self,
        index: usize,
        result: Result<(), Reason>,
    ) -> Option<&CheckState> {
        let member = self.members.get_mut(index)?;
        let changed = member.state.record(result);
        self.been_ready |= self.members.iter().all(Member::passes);
        let member = self.members.get(index)?;
        changed.then_some(&member.state)
    }

    /// What the results so far mean for the plugin.
    pub(super) fn readiness(&self) -> Readiness {
        let bad = |meaning: OnFailure| {
            let bad = move |member: &&Member| member.on_failure == meaning && !member.passes();
            self.members.iter().filter(bad)
        };
        let is_error = self.been_ready && bad(OnFailure::Error).next().is_some();
        let complaints: Vec<_> = bad(OnFailure::Error)
            .chain(bad(OnFailure::NotReady))
            .filter_map(|member| Some((member.name.as_str(), member.state.complaint()?)))
            .collect();
        match (complaints.is_empty(), is_error) {
            (true, _) => Readiness::Ready,
            (false, true) => Readiness::not_ready(listed(&complaints)),
            (false, false) => Readiness::starting(listed(&complaints)),
        }
    }
}

impl Member {
    fn passes(&self) -> bool {
        self.state.complaint().is_none()
    }
}

/// Every check and what it says, with the same room for each.
fn listed(complaints: &[(&str, String)]) -> String {
    /// Room for `; and N more checks`.
    const REST: usize = 40;
    /// Less than this of what a check says is of no use.
    const LEAST: usize = 16;
    let share = Reason::MAX_LEN / complaints.len().max(1);
    let mut list = String::new();
    for (done, (name, complaint)) in complaints.iter().enumerate() {
        let needed = SEPARATOR.len() + name.len() + ": ".len();
        if list.len() + needed + LEAST + REST > Reason::MAX_LEN && complaints.len() > 1 {
            // Infallible: a String takes everything.
            let _ = write!(
                list,
                "{SEPARATOR}and {} more checks",
                complaints.len() - done
            );
            break;
        }
        if done > 0 {
            list.push_str(SEPARATOR);
        }
        list.push_str(name);
        list.push_str(": ");
        push_cut(
            &mut list,
            complaint,
            share.saturating_sub(needed).max(LEAST),
        );
    }
    list
}

/// Adds `text`, cut with `…` where it has more than `room` bytes.
fn push_cut(list: &mut String, text: &str, room: usize) {
    const ELLIPSIS: &str = "…";
    if text.len() <= room {
        list.push_str(text);
    } else {
        let end = text.floor_char_boundary(room.saturating_sub(ELLIPSIS.len()));
        list.push_str(text.get(..end).unwrap_or_default());
        list.push_str(ELLIPSIS);
    }
}

#[cfg(test)]
mod tests {
    use super::CheckSet;
    use crate::{Check, CheckPolicy, CheckTarget, OnFailure, Readiness, Reason};

    fn check(name: &str, on_failure: OnFailure) -> Check {
        let target = CheckTarget::Path {
            path: "/dev/x".parse().unwrap(),
        };
        let policy = CheckPolicy {
            failure_threshold: 1,
            on_failure,
            ..CheckPolicy::default()
        };
        Check::new(name.parse().unwrap(), target, policy).unwrap()
    }

    fn set() -> CheckSet {
        CheckSet::new(&[
            check("pool", OnFailure::NotReady),
            check("array", OnFailure::Error),
        ])
    }

    const POOL: usize = 0;
    const ARRAY: usize = 1;

    fn fail(set: &mut CheckSet, index: usize, reason: &str) {
        set.record(index, Err(Reason::from(reason)));
    }

    fn pass(set: &mut CheckSet, index: usize) {
        set.record(index, Ok(()));
    }

    #[test]
    fn until_all_passed_once_the_plugin_is_starting_whatever_fails() {
        let mut set = set();
        let starting = |reason: &str| Readiness::starting(reason);
        assert_eq!(
            set.readiness(),
            starting("array: not checked yet; pool: not checked yet")
        );
        fail(&mut set, ARRAY, "refused");
        pass(&mut set, POOL);
        assert_eq!(set.readiness(), starting("array: refused"));
        pass(&mut set, ARRAY);
        assert_eq!(set.readiness(), Readiness::Ready);
    }

    #[test]
    fn later_a_failure_means_what_its_policy_says_and_errors_win() {
        let mut set = set();
        pass(&mut set, ARRAY);
        pass(&mut set, POOL);
        fail(&mut set, POOL, "offline");
        assert_eq!(set.readiness(), Readiness::starting("pool: offline"));
        fail(&mut set, ARRAY, "refused");
        assert_eq!(
            set.readiness(),
            Readiness::not_ready("array: refused; pool: offline")
        );
        pass(&mut set, POOL);
        assert_eq!(set.readiness(), Readiness::not_ready("array: refused"));
        pass(&mut set, ARRAY);
        assert_eq!(set.readiness(), Readiness::Ready);
    }

    #[test]
    fn that_all_passed_once_is_remembered_though_nobody_asked_meanwhile() {
        let mut set = set();
        pass(&mut set, ARRAY);
        pass(&mut set, POOL);
        fail(&mut set, ARRAY, "refused");
        assert_eq!(set.readiness(), Readiness::not_ready("array: refused"));
    }

    #[test]
    fn a_result_tells_of_a_changed_verdict_once() {
        let mut set = set();
        assert!(set.record(ARRAY, Ok(())).is_some());
        assert!(set.record(ARRAY, Ok(())).is_none());
        assert!(set.record(2, Ok(())).is_none(), "no such check");
    }

    #[test]
    fn nothing_to_check_is_ready() {
        assert_eq!(CheckSet::new(&[]).readiness(), Readiness::Ready);
    }

    #[test]
    fn long_reasons_leave_room_for_every_name() {
        let names = ["a", "b", "c"];
        let mut set = CheckSet::new(&names.map(|name| check(name, OnFailure::Error)));
        for index in 0..names.len() {
            fail(&mut set, index, &"x".repeat(1000));
        }
        let part = |name| format!("{name}: {}…", "x".repeat(333));
        let reason = names.map(part).join("; ");
        assert_eq!(set.readiness(), Readiness::starting(reason.clone()));
        assert!(reason.len() <= Reason::MAX_LEN);
    }

    #[test]
    fn one_long_reason_has_all_the_room() {
        let mut set = CheckSet::new(&[check("a", OnFailure::Error)]);
        fail(&mut set, 0, &"x".repeat(1024));
        let reason = set.readiness();
        let text = reason.reason().unwrap().as_str();
        assert_eq!(text, format!("a: {}…", "x".repeat(1016)));
    }

    #[test]
    fn names_beyond_the_limit_are_counted() {
        let checks: Vec<_> = (0..40)
            .map(|n| check(&format!("{n:0>63}"), OnFailure::Error))
            .collect();
        let readiness = CheckSet::new(&checks).readiness();
        let text = readiness.reason().unwrap().as_str();
        assert!(text.len() <= Reason::MAX_LEN);
        assert!(text.ends_with("; and 28 more checks"), "{text}");
        assert_eq!(text.matches("not checked yet").count(), 12);
    }
}
