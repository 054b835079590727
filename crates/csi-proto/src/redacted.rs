//! What debug output shows in place of secrets.

use std::fmt;

/// Stands for a map of secrets: tells how many there are and nothing else.
pub(crate) struct Redacted(pub(crate) usize);

impl fmt::Debug for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("{redacted, 1 key}"),
            count => write!(f, "{{redacted, {count} keys}}"),
        }
    }
}
