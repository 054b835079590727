//! What a configuration file means, and what is wrong with those that mean nothing.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

mod good;
mod hostile;
mod properties;
mod wrong_checks;
mod wrong_identity;
mod wrong_settings;
mod wrong_yaml;

use csi_identity_config::Configuration;

/// A text, and the line for each of its errors.
type Wrong<'a> = (&'a str, &'a [&'a str]);

/// Each text has exactly these errors, one line each.
fn assert_wrong(table: &[Wrong<'_>]) {
    for (text, lines) in table {
        match Configuration::from_text(text, "csi.yaml") {
            Ok(configuration) => panic!("{text:?} is {configuration:?}"),
            Err(errors) => {
                let found: Vec<_> = errors.iter().map(ToString::to_string).collect();
                assert_eq!(found, *lines, "{text:?}");
                assert_eq!(errors.to_string(), lines.join("\n"));
            }
        }
    }
}

fn read(text: &str) -> Configuration {
    Configuration::from_text(text, "csi.yaml").unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}
