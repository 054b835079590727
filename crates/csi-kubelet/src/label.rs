//! The rules of the API server for labels, and of the admission plugin NodeRestriction.

use csi_identity::TopologyKey;

/// How long a name and a value may be.
const MAX_NAME: usize = 63;

/// How long a prefix may be, which the CSI specification limits further.
const MAX_PREFIX: usize = 253;

/// Whether an API server takes a label: its key and its value.
///
/// # Errors
///
/// What is wrong with it, and what would be right.
pub fn check_label(key: &str, value: &str) -> Result<(), String> {
    check_key(key).and_then(|()| check_value(value))
}

fn check_key(key: &str) -> Result<(), String> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let good_prefix = prefix
        .is_none_or(|prefix| prefix.len() <= MAX_PREFIX && prefix.split('.').all(is_domain_label));
    if good_prefix && is_name(name) {
        return Ok(());
    }
    Err(format!(
        "{key:?} is no label key; it has a name of at most {MAX_NAME} letters, digits, '-', '_' and '.', with a letter or digit \
         at both ends, and may have a lower-case domain and '/' before it"
    ))
}

fn check_value(value: &str) -> Result<(), String> {
    if value.is_empty() || is_name(value) {
        return Ok(());
    }
    Err(format!(
        "{value:?} is no label value; it has at most {MAX_NAME} letters, digits, '-', '_' and '.', with a letter or digit at \
         both ends, or nothing"
    ))
}

/// Whether NodeRestriction keeps a kubelet from setting a label, be it long or short.
pub(crate) fn is_closed_to_kubelets(key: &str) -> bool {
    let mut key = key;
    loop {
        match key.parse::<TopologyKey>() {
            Ok(key) => return !key.may_be_set_by_kubelet(),
            // The rule looks at the end of the prefix alone, so a long one is shortened from its front.
            Err(_) => match key.split_once('.') {
                Some((_, rest)) if rest.contains('/') => key = rest,
                _ => return false,
            },
        }
    }
}

fn is_name(text: &str) -> bool {
    let edge = |c: char| c.is_ascii_alphanumeric();
    text.len() <= MAX_NAME
        && text.starts_with(edge)
        && text.ends_with(edge)
        && text.chars().all(|c| edge(c) || "-_.".contains(c))
}

fn is_domain_label(text: &str) -> bool {
    let edge = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.starts_with(edge) && text.ends_with(edge) && text.chars().all(|c| edge(c) || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_have_the_rules_of_labels() {
        let long = format!("{}io/x", "a.".repeat(125));
        for key in ["a", "A_b.c-d", "a.io/Zone", "1.io/0", &long] {
            assert_eq!(check_key(key), Ok(()), "{key}");
        }
        for key in [
            "",
            "/a",
            "a/",
            "A.io/b",
            "a..io/b",
            "a/b/c",
            "-a",
            &long.replace("/x", ".long.io/x"),
        ] {
            assert!(check_key(key).is_err(), "{key}");
        }
        assert!(check_value("").is_ok() && check_value(&"x".repeat(63)).is_ok());
        assert!(check_value(&"x".repeat(64)).is_err() && check_value("a b").is_err());
    }

    #[test]
    fn domains_of_kubernetes_are_closed_but_for_a_few_keys() {
        let long = "a.".repeat(60);
        for key in [
            "kubernetes.io/x",
            "a.k8s.io/x",
            "node-restriction.kubernetes.io/x",
            &format!("{long}kubernetes.io/x"),
        ] {
            assert!(is_closed_to_kubelets(key), "{key}");
        }
        for key in [
            "topology.kubernetes.io/zone",
            "x.node.kubernetes.io/y",
            "zone",
            "a.io/x",
            &format!("{long}a.io/x"),
        ] {
            assert!(!is_closed_to_kubelets(key), "{key}");
        }
    }
}
