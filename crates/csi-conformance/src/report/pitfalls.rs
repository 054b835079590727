//! Which pitfall of the guide to porting a rule is about.

/// The pitfalls of `docs/pitfalls.md`: anchor, heading, and the rules that find them.
const PITFALLS: &[(&str, &str, &[&str])] = &[
    (
        "name-letters",
        "A name that the API server refuses",
        &["CSI-ID-010", "CSI-ID-011", "CSI-ID-012", "CSI-ID-013"],
    ),
    ("name-upper-case", "Upper case in the name", &["CSI-ID-014"]),
    (
        "name-taste",
        "A name that only some accept",
        &[
            "CSI-ID-015",
            "CSI-ID-016",
            "CSI-ID-017",
            "CSI-ID-018",
            "CSI-SANITY-3",
        ],
    ),
    (
        "name-length",
        "A name too long for the path",
        &["CSI-ID-024", "CSI-ID-164"],
    ),
    (
        "name-changes",
        "A name that is not always the same",
        &["CSI-ID-025", "CSI-ID-027", "CSI-ID-176"],
    ),
    (
        "version",
        "A version that says nothing",
        &["CSI-ID-019", "CSI-ID-020", "CSI-ID-021", "CSI-ID-026"],
    ),
    (
        "manifest",
        "A manifest that is too big",
        &["CSI-ID-022", "CSI-ID-023", "CSI-ID-120"],
    ),
    (
        "rpc-missing",
        "One of the three is missing",
        &["CSI-ID-001", "CSI-ID-002", "CSI-ID-003"],
    ),
    (
        "info-asks-the-array",
        "GetPluginInfo asks the storage system",
        &["CSI-ID-004", "CSI-ID-071", "CSI-ID-038"],
    ),
    (
        "no-such-capability",
        "A capability that does not exist",
        &[
            "CSI-ID-030",
            "CSI-ID-031",
            "CSI-ID-032",
            "CSI-ID-033",
            "CSI-ID-037",
            "CSI-SANITY-1",
        ],
    ),
    (
        "declared-not-served",
        "Declared, and not there",
        &[
            "CSI-ID-040",
            "CSI-ID-042",
            "CSI-ID-044",
            "CSI-ID-052",
            "CSI-ID-055",
            "CSI-ID-056",
        ],
    ),
    (
        "served-not-declared",
        "There, and not declared",
        &["CSI-ID-041", "CSI-ID-043", "CSI-ID-045"],
    ),
    (
        "promised-not-implemented",
        "Promised, and UNIMPLEMENTED",
        &["CSI-ID-053"],
    ),
    (
        "topology-on-one-side",
        "Topology on one side only",
        &["CSI-ID-046", "CSI-ID-047"],
    ),
    (
        "expansion-on-one-side",
        "Expansion on one side only",
        &["CSI-ID-048", "CSI-ID-049", "CSI-ID-050", "CSI-ID-051"],
    ),
    (
        "capabilities-change",
        "Capabilities that change",
        &[
            "CSI-ID-005",
            "CSI-ID-034",
            "CSI-ID-035",
            "CSI-ID-036",
            "CSI-ID-072",
            "CSI-ID-073",
            "CSI-ID-074",
        ],
    ),
    (
        "probe-fails-at-start",
        "Probe fails while the plugin starts",
        &["CSI-ID-060", "CSI-ID-062"],
    ),
    (
        "array-down",
        "The array is down, and every plugin restarts",
        &["CSI-ID-061", "CSI-SANITY-2"],
    ),
    (
        "probe-slow",
        "A busy plugin is killed",
        &[
            "CSI-ID-006",
            "CSI-ID-064",
            "CSI-ID-065",
            "CSI-ID-069",
            "CSI-ID-070",
            "CSI-ID-145",
        ],
    ),
    (
        "ready-unset",
        "csc ends with a nil pointer",
        &["CSI-ID-063"],
    ),
    ("bare-bool", "ready is a plain bool", &["CSI-ID-068"]),
    (
        "probe-wears-out",
        "Probe wears the plugin out",
        &["CSI-ID-066", "CSI-ID-067"],
    ),
    (
        "node-info",
        "NodeGetInfo that a kubelet refuses",
        &[
            "CSI-ID-054",
            "CSI-ID-080",
            "CSI-ID-081",
            "CSI-ID-082",
            "CSI-ID-083",
            "CSI-ID-088",
            "CSI-ID-089",
            "CSI-ID-090",
        ],
    ),
    (
        "topology-keys",
        "Topology keys that a node cannot have",
        &["CSI-ID-084", "CSI-ID-085", "CSI-ID-086", "CSI-ID-087"],
    ),
    (
        "error-text",
        "Errors that help nobody, or say too much",
        &[
            "CSI-ID-095",
            "CSI-ID-096",
            "CSI-ID-097",
            "CSI-ID-098",
            "CSI-ID-123",
        ],
    ),
    (
        "deadlines",
        "Deadlines that do not count",
        &["CSI-ID-099", "CSI-ID-143"],
    ),
    (
        "strict-requests",
        "A plugin that is strict with requests",
        &["CSI-ID-140", "CSI-ID-146", "CSI-ID-147"],
    ),
    (
        "authority",
        "PROTOCOL_ERROR, and the plugin logs nothing",
        &["CSI-ID-130", "CSI-ID-131", "CSI-ID-132"],
    ),
    (
        "lost-callers",
        "One lost caller, and nobody is answered",
        &["CSI-ID-141", "CSI-ID-142", "CSI-ID-144"],
    ),
    (
        "own-messages",
        "Messages that protobuf did not write",
        &[
            "CSI-ID-110",
            "CSI-ID-111",
            "CSI-ID-112",
            "CSI-ID-113",
            "CSI-ID-122",
        ],
    ),
    (
        "own-server",
        "A gRPC server of one's own, or something in between",
        &[
            "CSI-ID-007",
            "CSI-ID-008",
            "CSI-ID-114",
            "CSI-ID-115",
            "CSI-ID-116",
            "CSI-ID-117",
            "CSI-ID-118",
            "CSI-ID-119",
            "CSI-ID-121",
            "CSI-ID-124",
            "CSI-ID-150",
        ],
    ),
    (
        "endpoint",
        "The plugin listens somewhere else",
        &["CSI-ID-160", "CSI-ID-166", "CSI-ID-167", "CSI-ID-170"],
    ),
    (
        "stale-socket",
        "address already in use",
        &["CSI-ID-173", "CSI-ID-175", "CSI-ID-177", "CSI-ID-179"],
    ),
    (
        "sigterm",
        "Each update takes 30 s longer",
        &["CSI-ID-172", "CSI-ID-178"],
    ),
    (
        "socket-access",
        "Everybody may call the plugin",
        &["CSI-ID-161", "CSI-ID-162", "CSI-ID-163"],
    ),
    (
        "socket-neighbours",
        "Other files beside the socket",
        &["CSI-ID-165", "CSI-ID-174"],
    ),
    ("start-slow", "The plugin listens late", &["CSI-ID-171"]),
];

/// The anchor and the heading of a rule's pitfall.
pub(super) fn pitfall(id: &str) -> Option<(&'static str, &'static str)> {
    let mut all = PITFALLS.iter();
    let found = all.find(|(_, _, rules)| rules.contains(&id))?;
    Some((found.0, found.1))
}

#[cfg(test)]
mod tests {
    use super::PITFALLS;
    use crate::rule;

    #[test]
    fn each_rule_of_a_pitfall_is_there_and_belongs_to_no_other() {
        let mut all: Vec<_> = PITFALLS.iter().flat_map(|row| row.2).collect();
        for id in &all {
            assert!(rule(id).is_some(), "{id}");
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
