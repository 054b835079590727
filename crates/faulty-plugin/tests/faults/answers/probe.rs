use super::{PROBE, Row};

pub(super) const TABLE: &[Row] = &[
    (
        "probe-unimplemented",
        PROBE,
        &["Unimplemented: unknown method Probe"],
    ),
    (
        "probe-unavailable",
        PROBE,
        &["Unavailable: the array is away"],
    ),
    ("probe-internal", PROBE, &["Internal: the array is away"]),
    (
        "probe-deadline-exceeded",
        PROBE,
        &["DeadlineExceeded: the array took too long"],
    ),
    (
        "probe-failed-precondition",
        PROBE,
        &["FailedPrecondition: the array is away"],
    ),
    ("probe-message-empty", PROBE, &["FailedPrecondition"]),
    (
        "probe-details",
        PROBE,
        &["FailedPrecondition: the array is away: CAkSEXRoZSBhcnJheSBpcyBhd2F5GgMKAXg"],
    ),
    ("probe-never-ready", PROBE, &["ready=false", "ready=false"]),
    (
        "probe-flips",
        PROBE,
        &["ready=true", "ready=false", "ready=true"],
    ),
    ("probe-bare-bool", PROBE, &["bytes 0801"]),
    (
        "probe-ready-wrong-inside",
        PROBE,
        &["bytes 0a060a0474727565"],
    ),
    ("probe-ready-unset", PROBE, &["ready=unset"]),
];
