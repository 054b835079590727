use proptest::prelude::*;

use super::{NameAdvice, NameConsumer, PluginName};

const CONSUMERS: [NameConsumer; 7] = NameConsumer::ALL;

fn padded(len: usize) -> String {
    format!("{}.com", "a".repeat(len - 4))
}

/// Verdicts in the order of [`NameConsumer::ALL`]: specification, RFC 1035, CSINode, CSIDriver, StorageClass,
/// csi-sanity, gocsi. The message is what [`PluginName`] says, or nothing where it takes the name.
#[test]
fn each_consumer_judges_by_its_own_rule_and_the_type_by_that_of_the_api_server() {
    let (longest, too_long) = (padded(63), padded(64));
    let rows: &[(&str, &str, &str)] = &[
        ("example.com", "YYYYYYY", ""),
        ("Example.com", "YYYnYYY", ""),
        ("EXAMPLE.COM", "YYYnYYY", ""),
        (
            "example_driver.com",
            "nnnnYYY",
            "plugin name has '_' at byte 7; allowed are ASCII letters, digits, '-' and '.'; write '-' in its place",
        ),
        ("1example.com", "YnYYYnY", ""),
        ("127.0.0.1", "YnYYYnY", ""),
        ("a", "YYYYYnn", ""),
        ("ab", "YYYYYYn", ""),
        ("nodots", "YYYYYYn", ""),
        ("csi-mock", "YYYYYYn", ""),
        ("a1", "YYYYYnn", ""),
        ("exampledriver2", "YYYYYnn", ""),
        ("csi.example2", "YYYYYnY", ""),
        (
            "example.com-",
            "nnnnnnn",
            "plugin name has the label \"com-\", which ends with '-' at byte 11; end it with a letter or digit",
        ),
        (
            "-example.com",
            "nnnnnnn",
            "plugin name has the label \"-example\", which begins with '-' at byte 0; begin it with a letter or digit",
        ),
        (
            "example.com.",
            "nnnnnnn",
            "plugin name has an empty label at byte 12; remove the extra '.'",
        ),
        (
            ".example.com",
            "nnnnnnn",
            "plugin name has an empty label at byte 0; remove the extra '.'",
        ),
        (
            "example..com",
            "YnnnYYY",
            "plugin name has an empty label at byte 8; remove the extra '.'",
        ),
        (
            "a-.b",
            "YnnnYYn",
            "plugin name has the label \"a-\", which ends with '-' at byte 1; end it with a letter or digit",
        ),
        (
            "a.-b",
            "YnnnYYY",
            "plugin name has the label \"-b\", which begins with '-' at byte 2; begin it with a letter or digit",
        ),
        (&longest, "YYYYYYY", ""),
        (
            &too_long,
            "nnnYnnn",
            "plugin name is 64 bytes long, the limit is 63",
        ),
        (
            "ex/ample",
            "nnnnYnn",
            "plugin name has '/' at byte 2; allowed are ASCII letters, digits, '-' and '.'",
        ),
        (
            "ex\\ample.com",
            "nnnnnYn",
            "plugin name has '\\\\' at byte 2; allowed are ASCII letters, digits, '-' and '.'",
        ),
        (
            "",
            "nnnnnnn",
            "plugin name is empty; take one under a domain you own, such as disk.example.org",
        ),
        (
            " ",
            "nnnnnnn",
            "plugin name has ' ' at byte 0; allowed are ASCII letters, digits, '-' and '.'; remove it",
        ),
        (
            "example.com\n",
            "nnnnnnn",
            "plugin name has '\\n' at byte 11; allowed are ASCII letters, digits, '-' and '.'; remove it",
        ),
        (
            "ä.com",
            "nnnnnnn",
            "plugin name has 'ä' at byte 0; allowed are ASCII letters, digits, '-' and '.'",
        ),
        (
            "../x",
            "nnnnnnn",
            "plugin name has '/' at byte 2; allowed are ASCII letters, digits, '-' and '.'",
        ),
        (
            ".",
            "nnnnnnn",
            "plugin name has an empty label at byte 0; remove the extra '.'",
        ),
        (
            "a.b.c/d",
            "nnnnYnn",
            "plugin name has '/' at byte 5; allowed are ASCII letters, digits, '-' and '.'",
        ),
        (
            "a/b/c",
            "nnnnnnn",
            "plugin name has '/' at byte 1; allowed are ASCII letters, digits, '-' and '.'",
        ),
    ];
    for (name, verdicts, message) in rows {
        let found: String = CONSUMERS
            .iter()
            .map(|c| if c.accepts(name) { 'Y' } else { 'n' })
            .collect();
        assert_eq!(&found, verdicts, "{name:?}");
        match name.parse::<PluginName>() {
            Ok(parsed) => assert_eq!((parsed.as_str(), ""), (*name, *message)),
            Err(error) => assert_eq!(&error.to_string(), message, "{name:?}"),
        }
    }
}

#[test]
fn a_driver_object_name_may_have_253_bytes() {
    assert!(NameConsumer::CsiDriverObject.accepts(&padded(253)));
    assert!(!NameConsumer::CsiDriverObject.accepts(&padded(254)));
}

#[test]
fn advice_says_who_will_mind_and_why() {
    let rows: &[(&str, &[&str])] = &[
        ("disk.acme.io", &[]),
        ("a.notexample.com", &[]),
        (
            "nodots",
            &[
                "the name has no dot: other plugins may choose it too, and gocsi's validator refuses it; \
               put it under a domain you own",
            ],
        ),
        (
            "Disk.Acme.io",
            &[
                "the name has upper-case letters: Kubernetes refuses it for a CSIDriver object, and Lease names made \
               from it are invalid; use disk.acme.io",
            ],
        ),
        (
            "csi.1acme.io",
            &[r#"the label "1acme" begins with a digit: RFC 1035 wants a letter there"#],
        ),
        (
            "disk.acme2",
            &[
                "csi-sanity fails the name: it wants two characters or more, with a letter first and last",
            ],
        ),
        (
            "my-disk.acme.io",
            &[
                r#"gocsi's validator refuses the name: it takes no dash in the first label, here "my-disk""#,
            ],
        ),
    ];
    for (name, expected) in rows {
        let advice: Vec<_> = name
            .parse::<PluginName>()
            .unwrap()
            .advice()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(&advice, expected, "{name:?}");
    }
}

#[test]
fn reserved_domains_are_placeholders_in_either_order() {
    for (name, domain) in [
        ("disk.example.com", "example.com"),
        ("Disk.EXAMPLE.org", "example.org"),
        ("example.net", "example.net"),
        ("com.example.disk", "example.com"),
        ("org.example", "example.org"),
        ("disk.example", "example"),
        ("disk.test", "test"),
        ("disk.invalid", "invalid"),
        ("localhost", "localhost"),
        ("disk.localhost", "localhost"),
    ] {
        let advice = name.parse::<PluginName>().unwrap().advice();
        assert!(
            advice.contains(&NameAdvice::Placeholder { domain }),
            "{name:?}: {advice:?}"
        );
    }
    assert_eq!(
        NameAdvice::Placeholder {
            domain: "example.com"
        }
        .to_string(),
        "the name lies in example.com, which is reserved for documentation and tests; use a domain you own",
    );
}

/// Texts near the rules: mostly allowed characters, some that are not.
fn name_like() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9.-]{0,70}",
        "[a-c1.-]{0,6}",
        "[a-b_/\\\\ .ä-]{0,8}",
        "[a-z]{1,8}(\\.[a-z]{1,8}){0,6}",
        any::<String>()
    ]
}

proptest! {
    #[test]
    fn a_name_is_what_the_api_server_takes(text in name_like()) {
        let parsed = text.parse::<PluginName>();
        prop_assert_eq!(parsed.is_ok(), NameConsumer::CsiNode.accepts(&text));
        if let Ok(name) = parsed {
            prop_assert_eq!(name.to_string().parse::<PluginName>(), Ok(name.clone()));
            prop_assert_eq!(name.as_str(), text);
        }
    }

    #[test]
    fn advice_names_exactly_those_who_refuse_a_legal_name(text in name_like()) {
        if let Ok(name) = text.parse::<PluginName>() {
            let advice = name.advice();
            for consumer in CONSUMERS {
                let warned = advice.iter().any(|advice| advice.consumer() == Some(consumer));
                prop_assert_eq!(warned, !consumer.accepts(&text), "{} on {:?}: {:?}", consumer, text, advice);
            }
        }
    }
}
