//! The one domain-name rule that Kubernetes and the CSI specification share.

/// Whether `text` is a DNS-1123 subdomain: dot-separated labels of lower-case letters, digits and inner dashes.
///
/// Length limits differ between callers, so they are checked there.
pub(crate) fn is_subdomain(text: &str) -> bool {
    text.split('.').all(|label| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
            && !label.starts_with('-')
            && !label.ends_with('-')
    })
}

#[cfg(test)]
mod tests {
    use super::is_subdomain;

    #[test]
    fn labels_are_lower_case_letters_digits_and_inner_dashes() {
        for good in ["a", "0", "a-b", "a.b", "1a.2-b.c"] {
            assert!(is_subdomain(good), "{good:?}");
        }
        for bad in [
            "", ".", "a.", ".a", "a..b", "-a", "a-", "a.-b", "a-.b", "A", "a_b", "a/b", "ä",
        ] {
            assert!(!is_subdomain(bad), "{bad:?}");
        }
    }
}
