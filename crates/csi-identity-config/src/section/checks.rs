//! `checks`: what the plugin depends on, checked in the background.

mod target;

use std::collections::BTreeMap;

use csi_identity::{Check, CheckName, CheckPolicy, CheckPolicyError};

use crate::duration;
use crate::error::{Flaws, Problem};
use crate::fields::Fields;
use crate::outline::{Key, Section, Shape};
use crate::value::Value;

pub(super) const CHECKS: Key = Key::optional(
    "checks",
    Shape::List(&Shape::Section(&CHECK), 0),
    r#"[{name: array, tcp: "array.example.org:3260"}]"#,
    "What the plugin depends on. It is ready when all of them pass.",
);

const CHECK: Section = Section {
    exactly_one_of: target::KINDS,
    ..Section::new(
        "a check",
        &[
            &NAME,
            &target::TCP,
            &target::HTTP,
            &target::EXEC,
            &target::PATH,
            &target::MOUNT,
            &target::GRPC,
            &INTERVAL,
            &TIMEOUT,
            &FAILURE_THRESHOLD,
            &SUCCESS_THRESHOLD,
            &ON_FAILURE,
        ],
    )
};

const NAME: Key = Key::required(
    "name",
    Shape::Text,
    "array",
    "What the check is called in reasons and logs; 1 to 63 letters, digits, '-', '_' and '.', each name once.",
);

const INTERVAL: Key = Key::optional(
    "interval",
    Shape::TextLike(duration::FORM),
    "5s",
    "From the beginning of one run to that of the next; 5s by default.",
);

const TIMEOUT: Key = Key::optional(
    "timeout",
    Shape::TextLike(duration::FORM),
    "1s",
    "How long a run may take, at most the interval; 1s by default.",
);

const FAILURE_THRESHOLD: Key = Key::optional(
    "failure_threshold",
    Shape::Whole(1, MOST),
    "3",
    "How many failures in a row make the check fail; 3 by default.",
);

const SUCCESS_THRESHOLD: Key = Key::optional(
    "success_threshold",
    Shape::Whole(1, MOST),
    "1",
    "How many successes in a row make the check pass; 1 by default.",
);

const MOST: i64 = u32::MAX as i64;

const ON_FAILURE: Key = Key::optional(
    "on_failure",
    Shape::Word(&["error", "not_ready"]),
    "error",
    "What Probe answers while the check fails: error (the default) is NOT_READY, at which the plugin may be restarted; \
     not_ready is OK with ready false, for backends whose outage no restart cures.",
);

pub(super) fn read(value: Value<'_>, flaws: &mut Flaws) -> Option<Vec<Check>> {
    let mut checks = Vec::new();
    let mut first_at = BTreeMap::<CheckName, _>::new();
    for item in value.items(flaws)? {
        let Some(check) = check(item, flaws) else {
            continue;
        };
        match first_at.get(check.name()) {
            Some(&first) => {
                let problem = Problem::Duplicate {
                    what: "check",
                    value: check.name().to_string(),
                    first,
                };
                flaws.add(item.node.at, problem);
            }
            None => {
                first_at.insert(check.name().clone(), item.node.at);
                checks.push(check);
            }
        }
    }
    Some(checks)
}

fn check(value: Value<'_>, flaws: &mut Flaws) -> Option<Check> {
    let fields = Fields::of(&CHECK, value, flaws)?;
    let name = fields.required(&NAME, flaws, Value::parse);
    let target = target::read(&fields, flaws);
    let policy = policy(&fields, flaws);
    match Check::new(name?, target?, policy) {
        Ok(check) => Some(check),
        Err(reason) => {
            let key = match reason {
                CheckPolicyError::ZeroInterval | CheckPolicyError::LongInterval { .. } => &INTERVAL,
                _ => &TIMEOUT,
            };
            let blamed = fields.value(key).or_else(|| fields.value(&INTERVAL));
            blamed.unwrap_or(value).accept(Err(reason), flaws)
        }
    }
}

fn policy(fields: &Fields<'_>, flaws: &mut Flaws) -> CheckPolicy {
    let default = CheckPolicy::default();
    let threshold = |value: Value<'_>, flaws: &mut Flaws| value.whole(1, MOST, flaws);
    CheckPolicy {
        interval: fields
            .optional(&INTERVAL, flaws, Value::duration)
            .unwrap_or(default.interval),
        timeout: fields
            .optional(&TIMEOUT, flaws, Value::duration)
            .unwrap_or(default.timeout),
        failure_threshold: fields
            .optional(&FAILURE_THRESHOLD, flaws, threshold)
            .unwrap_or(default.failure_threshold),
        success_threshold: fields
            .optional(&SUCCESS_THRESHOLD, flaws, threshold)
            .unwrap_or(default.success_threshold),
        on_failure: fields
            .optional(&ON_FAILURE, flaws, Value::word)
            .unwrap_or(default.on_failure),
    }
}
