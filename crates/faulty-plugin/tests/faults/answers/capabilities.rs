use super::{CAPABILITIES, Row};

pub(super) const TABLE: &[Row] = &[
    (
        "capabilities-unimplemented",
        CAPABILITIES,
        &["Unimplemented: unknown method GetPluginCapabilities"],
    ),
    (
        "capabilities-internal",
        CAPABILITIES,
        &["Internal: no configuration"],
    ),
    (
        "capability-empty",
        CAPABILITIES,
        &["VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion ONLINE, empty capability"],
    ),
    (
        "capability-service-unknown",
        CAPABILITIES,
        &["VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion ONLINE, UNKNOWN"],
    ),
    (
        "capability-service-99",
        CAPABILITIES,
        &["VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion ONLINE, UNKNOWN(99)"],
    ),
    (
        "capability-expansion-unknown",
        CAPABILITIES,
        &["VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion ONLINE, volume expansion UNKNOWN"],
    ),
    (
        "capability-expansion-99",
        CAPABILITIES,
        &[
            "VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion ONLINE, volume expansion UNKNOWN(99)",
        ],
    ),
    (
        "capability-duplicate",
        CAPABILITIES,
        &[
            "VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion ONLINE, VOLUME_ACCESSIBILITY_CONSTRAINTS",
        ],
    ),
    (
        "capabilities-order-changes",
        CAPABILITIES,
        &[
            "VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion ONLINE",
            "volume expansion ONLINE, VOLUME_ACCESSIBILITY_CONSTRAINTS",
        ],
    ),
    (
        "capabilities-change",
        CAPABILITIES,
        &[
            "VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion ONLINE",
            "VOLUME_ACCESSIBILITY_CONSTRAINTS",
            "VOLUME_ACCESSIBILITY_CONSTRAINTS, volume expansion ONLINE",
        ],
    ),
];
