//! "Did you mean": the known name closest to a text that is none.

use std::cmp::Reverse;

/// Longer texts are no misspelling of anything, and comparing them costs time.
const LONGEST: usize = 64;

/// The candidate that `text` most probably means, if one is near enough; for "did you mean".
///
/// Case, dashes, a leading `csi.v1.` and a missing `_SERVICE` do not count as differences; up to one wrong letter in
/// three is forgiven. Texts of more than 64 bytes are near to nothing.
///
/// ```
/// use csi_identity::nearest;
///
/// assert_eq!(nearest("nodeid", ["node_id", "endpoint"]), Some("node_id"));
/// assert_eq!(nearest("colour", ["node_id", "endpoint"]), None);
/// ```
pub fn nearest<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if text.len() > LONGEST {
        return None;
    }
    let folded = fold(text.trim());
    let wanted = folded.strip_prefix("CSI_V1_").unwrap_or(&folded);
    candidates
        .into_iter()
        .flat_map(|name| {
            let form = fold(name);
            let short = form.strip_suffix("_SERVICE").map(str::to_owned);
            [Some(form), short]
                .into_iter()
                .flatten()
                .map(move |form| (name, form))
        })
        .map(|(name, form)| (distance(wanted, &form), form, name))
        .filter(|(distance, form, _)| distance * 3 <= form.len())
        // Of two that are equally near, the one that begins alike: people err late in a word.
        .min_by_key(|(distance, form, _)| (*distance, Reverse(common_prefix(wanted, form))))
        .map(|(.., name)| name)
}

/// The text without what does not count: in capitals, with `_` for everything that is no letter or digit.
fn fold(text: &str) -> String {
    text.to_ascii_uppercase()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// How many letters to insert, remove or replace, or neighbours to swap, to get from one text to the other.
fn distance(from: &str, to: &str) -> usize {
    let (from, to) = (from.as_bytes(), to.as_bytes());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let replaced = last[j] + usize::from(a != b);
            let mut least = replaced.min(row[j] + 1).min(last[j + 1] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                least = least.min(before_last[j - 1] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distance_counts_edits_of_a_letter_and_swaps_of_two() {
        for (from, to, edits) in [
            ("", "", 0),
            ("", "ABC", 3),
            ("ABC", "", 3),
            ("ABC", "ABC", 0),
            ("KITTEN", "SITTING", 3),
            ("AB", "BA", 1),
            ("NMAE", "NAME", 1),
            ("ABC", "CAB", 2),
        ] {
            assert_eq!(distance(from, to), edits, "{from:?} -> {to:?}");
        }
    }

    #[test]
    fn of_two_equally_near_the_one_that_begins_alike_wins() {
        for (text, found) in [("ofline", "OFFLINE"), ("onlne", "ONLINE")] {
            assert_eq!(nearest(text, ["ONLINE", "OFFLINE"]), Some(found));
            assert_eq!(nearest(text, ["OFFLINE", "ONLINE"]), Some(found));
        }
    }

    #[test]
    fn the_case_of_the_candidates_does_not_count_either() {
        let keys = ["node_id", "max_volumes_per_node", "accessible_topology"];
        for (text, found) in [
            ("nodeId", Some("node_id")),
            ("NODE-ID", Some("node_id")),
            ("max_volumes", None),
            ("accesible_topology", Some("accessible_topology")),
        ] {
            assert_eq!(nearest(text, keys), found, "{text:?}");
        }
    }

    #[test]
    fn the_closest_name_wins_and_far_texts_get_none() {
        let names = [
            "CONTROLLER_SERVICE",
            "GROUP_CONTROLLER_SERVICE",
            "NODE_SERVICE",
        ];
        for (text, found) in [
            ("controller-service", Some("CONTROLLER_SERVICE")),
            ("Controler", Some("CONTROLLER_SERVICE")),
            ("csi.v1.Node", Some("NODE_SERVICE")),
            ("group controller", Some("GROUP_CONTROLLER_SERVICE")),
            ("foo", None),
            ("", None),
        ] {
            assert_eq!(nearest(text, names), found, "{text:?}");
        }
        assert_eq!(nearest(&"NODE_SERVICE".repeat(6), names), None);
    }
}
