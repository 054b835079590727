use super::{CAPABILITIES, INFO, NODE_INFO, Row};

pub(super) const TABLE: &[Row] = &[
    ("wire-name-wrong-type", INFO, &["bytes 08071205312e322e33"]),
    (
        "wire-capabilities-wrong-type",
        CAPABILITIES,
        &["bytes 0d02000000"],
    ),
    ("wire-node-id-wrong-type", NODE_INFO, &["bytes 0807"]),
    ("wire-field-cut", INFO, &["bytes 0a126469736b2e6661756c74"]),
    (
        "wire-field-zero",
        INFO,
        &[
            "bytes 0a126469736b2e6661756c746c6573732e6465761205312e322e331a0a0a056275696c64120137020178",
        ],
    ),
    (
        "wire-field-unknown",
        INFO,
        &["disk.faultless.dev 1.2.3, manifest of 6 in 43 bytes for 39"],
    ),
    (
        "wire-name-twice",
        INFO,
        &["disk.faultless.dev 1.2.3, manifest of 6 in 45 bytes for 39"],
    ),
    (
        "wire-truncated-message",
        INFO,
        &["disk.faultless.dev 1.2.3, manifest of 6 and 10 bytes missing"],
    ),
    ("wire-no-message", INFO, &[""]),
    (
        "wire-two-messages",
        INFO,
        &["disk.faultless.dev 1.2.3, manifest of 6, disk.faultless.dev 1.2.3, manifest of 6"],
    ),
    (
        "wire-no-trailers",
        INFO,
        &["disk.faultless.dev 1.2.3, manifest of 6, no status"],
    ),
    (
        "wire-no-status",
        INFO,
        &["disk.faultless.dev 1.2.3, manifest of 6, trailers without a status"],
    ),
    ("wire-trailers-only-without-status", INFO, &["no status"]),
    (
        "wire-status-not-a-number",
        INFO,
        &["disk.faultless.dev 1.2.3, manifest of 6, status OK"],
    ),
    ("wire-status-99", INFO, &["status 99: trouble"]),
    (
        "wire-status-message-raw",
        INFO,
        &["Internal: das Gerät fehlt"],
    ),
    ("wire-content-type", INFO, &["application/json, 44 bytes"]),
    (
        "wire-http-404",
        INFO,
        &["HTTP 404, text/plain, 9 bytes, no status"],
    ),
    (
        "wire-http-503",
        INFO,
        &["HTTP 503, text/plain, 11 bytes, no status"],
    ),
    (
        "wire-compressed",
        INFO,
        &["grpc-encoding: gzip, compressed 1f8b0800"],
    ),
    ("wire-compressed-flag", INFO, &["compressed 0a126469"]),
    (
        "wire-large-headers",
        INFO,
        &["3 times x-trace: tttttttt..(4096), disk.faultless.dev 1.2.3, manifest of 6"],
    ),
    (
        "wire-giant-headers",
        INFO,
        &["16 times x-trace: tttttttt..(4096), disk.faultless.dev 1.2.3, manifest of 6"],
    ),
    (
        "wire-rst-stream",
        INFO,
        &["stream error received: unexpected internal error encountered"],
    ),
    (
        "wire-rst-stream-refused",
        INFO,
        &["stream error received: refused stream before processing any application logic"],
    ),
    (
        "wire-rst-stream-after-message",
        INFO,
        &["stream error received: stream no longer needed"],
    ),
];
