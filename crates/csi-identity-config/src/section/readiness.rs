//! The keys that say how readiness is told: the fixed answer to Probe, the time of starting, and the gate.

use std::time::Duration;

use csi_identity::{ReadinessPolicy, WhileStarting};

use crate::duration;
use crate::error::{Flaws, Problem};
use crate::fields::Fields;
use crate::outline::{Key, Section, Shape};
use crate::value::Value;

pub(super) const STARTUP_TIMEOUT: Key = Key::optional(
    "startup_timeout",
    Shape::TextLike(duration::FORM),
    "2m",
    "How long the plugin may be starting before Probe fails; without it, for ever.",
);

pub(super) const WHILE_STARTING: Key = Key::optional(
    "while_starting",
    Shape::Word(&["not_ready", "error"]),
    "not_ready",
    "What Probe answers before the plugin is ready for the first time: not_ready (the default) is OK with ready false, \
     for which callers wait; error is the error NOT_READY, at which Kubernetes sidecars exit.",
);

pub(super) const PROBE: Key = Key::optional(
    "probe",
    Shape::Section(&PROBE_SECTION),
    "{ready: true}",
    "A fixed answer to Probe, instead of checks.",
);

const PROBE_SECTION: Section = Section::new("probe", &[&READY]);

const READY: Key = Key::required(
    "ready",
    Shape::Boolean,
    "true",
    "True is ready for ever, false is starting for ever.",
);

pub(super) const GATE_ON_READINESS: Key = Key::optional(
    "gate_on_readiness",
    Shape::Boolean,
    "true",
    "Whether Controller and Node calls are refused with UNAVAILABLE while the plugin is not ready; false by default.",
);

pub(super) fn policy(fields: &Fields<'_>, flaws: &mut Flaws) -> ReadinessPolicy {
    ReadinessPolicy {
        startup_limit: fields.optional(&STARTUP_TIMEOUT, flaws, startup_timeout),
        while_starting: fields
            .optional(&WHILE_STARTING, flaws, Value::word)
            .unwrap_or_default(),
    }
}

fn startup_timeout(value: Value<'_>, flaws: &mut Flaws) -> Option<Duration> {
    let limit = value.duration(flaws)?;
    let some_time = if limit.is_zero() {
        Err("no plugin is ready in no time; give it some, or leave the key out to wait for ever")
    } else {
        Ok(limit)
    };
    value.accept(some_time, flaws)
}

pub(super) fn probe(value: Value<'_>, flaws: &mut Flaws) -> Option<bool> {
    Fields::of(&PROBE_SECTION, value, flaws)?.required(&READY, flaws, Value::boolean)
}

/// A fixed `ready: false` is a start without end, so what else is said of the start must not make an error of it.
pub(super) fn check_fixed(
    fixed_probe: Option<bool>,
    policy: &ReadinessPolicy,
    fields: &Fields<'_>,
    flaws: &mut Flaws,
) {
    if fixed_probe != Some(false) {
        return;
    }
    let with_limit = policy.startup_limit.is_some();
    let is_error = policy.while_starting == WhileStarting::Error;
    for (is_wrong, key, shown) in [
        (with_limit, &STARTUP_TIMEOUT, "startup_timeout"),
        (is_error, &WHILE_STARTING, "while_starting: error"),
    ] {
        if let Some(value) = fields.value(key).filter(|_| is_wrong) {
            flaws.add(value.node.at, Problem::FixedProbe { key: shown });
        }
    }
}
