use super::{INFO, Row};

pub(super) const TABLE: &[Row] = &[
    ("name-empty", INFO, &[" 1.2.3, manifest of 6"]),
    (
        "name-too-long",
        INFO,
        &["dddddddd..(64) 1.2.3, manifest of 6"],
    ),
    (
        "name-underscore",
        INFO,
        &["disk_a.faultless.dev 1.2.3, manifest of 6"],
    ),
    (
        "name-space",
        INFO,
        &["disk a.faultless.dev 1.2.3, manifest of 6"],
    ),
    (
        "name-slash",
        INFO,
        &["disk/a.faultless.dev 1.2.3, manifest of 6"],
    ),
    (
        "name-not-ascii",
        INFO,
        &["dísk.faultless.dev 1.2.3, manifest of 6"],
    ),
    (
        "name-not-utf8",
        INFO,
        &["bytes 0a1264ff736b2e6661756c746c6573732e6465761205312e322e33"],
    ),
    (
        "name-ends-with-dash",
        INFO,
        &["disk.faultless.dev- 1.2.3, manifest of 6"],
    ),
    (
        "name-dash-before-dot",
        INFO,
        &["disk-.faultless.dev 1.2.3, manifest of 6"],
    ),
    (
        "name-empty-label",
        INFO,
        &["disk..faultless.dev 1.2.3, manifest of 6"],
    ),
    (
        "name-leading-dot",
        INFO,
        &[".disk.faultless.dev 1.2.3, manifest of 6"],
    ),
    (
        "name-upper-case",
        INFO,
        &["Disk.Faultless.dev 1.2.3, manifest of 6"],
    ),
    (
        "name-digit-first",
        INFO,
        &["1disk.faultless.dev 1.2.3, manifest of 6"],
    ),
    (
        "name-digit-last",
        INFO,
        &["disk.faultless.dev2 1.2.3, manifest of 6"],
    ),
    ("name-one-letter", INFO, &["d 1.2.3, manifest of 6"]),
    ("name-without-dot", INFO, &["disk 1.2.3, manifest of 6"]),
    (
        "name-placeholder-domain",
        INFO,
        &["disk.example.com 1.2.3, manifest of 6"],
    ),
    (
        "name-changes-per-call",
        INFO,
        &[
            "disk.faultless.dev 1.2.3, manifest of 6",
            "tape.faultless.dev 1.2.3, manifest of 6",
            "disk.faultless.dev 1.2.3, manifest of 6",
        ],
    ),
    (
        "version-empty",
        INFO,
        &["disk.faultless.dev , manifest of 6"],
    ),
    (
        "version-too-long",
        INFO,
        &["disk.faultless.dev 1.2.3-rr..(129), manifest of 6"],
    ),
    (
        "version-not-semver",
        INFO,
        &["disk.faultless.dev build seven, manifest of 6"],
    ),
    (
        "version-changes-per-call",
        INFO,
        &[
            "disk.faultless.dev 1.2.3, manifest of 6",
            "disk.faultless.dev 1.2.4, manifest of 6",
        ],
    ),
    (
        "manifest-too-big",
        INFO,
        &["disk.faultless.dev 1.2.3, manifest of 5155"],
    ),
    (
        "manifest-over-message-limit",
        INFO,
        &["disk.faultless.dev 1.2.3, manifest of 5242915"],
    ),
    (
        "info-unimplemented",
        INFO,
        &["Unimplemented: unknown method GetPluginInfo"],
    ),
    ("info-internal", INFO, &["Internal: no configuration"]),
    (
        "info-unavailable",
        INFO,
        &["Unavailable: the array is away"],
    ),
    ("status-message-empty", INFO, &["Internal"]),
    ("name-long", INFO, &["dddddddd..(63) 1.2.3, manifest of 6"]),
    (
        "manifest-key-empty",
        INFO,
        &["disk.faultless.dev 1.2.3, manifest of 7"],
    ),
    (
        "manifest-changes-per-call",
        INFO,
        &[
            "disk.faultless.dev 1.2.3, manifest of 6",
            "disk.faultless.dev 1.2.3, manifest of 7",
        ],
    ),
    (
        "info-fails-sometimes",
        INFO,
        &[
            "disk.faultless.dev 1.2.3, manifest of 6",
            "Unavailable: the array is busy",
            "disk.faultless.dev 1.2.3, manifest of 6",
        ],
    ),
];
