//! A fault and its name.

use std::fmt;
use std::str::FromStr;

use csi_identity::nearest;

use crate::faults::FAULTS;
use crate::plugin::Plugin;

/// One thing a plugin does wrong.
#[derive(Clone, Copy)]
pub struct Fault {
    name: &'static str,
    does: &'static str,
    breaks: &'static str,
    needs: Needs,
    change: fn(&mut Plugin),
}

/// What it takes to see a fault, apart from calls to the plugin's socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Needs {
    /// Nothing else.
    Calls,
    /// To know that this is the socket that the controller's services are expected on.
    ControllerEndpoint,
    /// Calls with empty requests, of the RPCs that the plugin's capabilities promise.
    EmptyRequests,
    /// To start and to stop the plugin.
    Command,
    /// To ask at a socket of this name, beside the path that the plugin was given.
    Socket(&'static str),
}

/// A text that is the name of no fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no fault {name:?}{}; --list shows all", hint(.nearest))]
pub struct UnknownFault {
    name: String,
    nearest: Option<&'static str>,
}

fn hint(nearest: &Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(", did you mean {name}?"))
}

impl Fault {
    pub(crate) const fn new(
        name: &'static str,
        does: &'static str,
        breaks: &'static str,
        change: fn(&mut Plugin),
    ) -> Self {
        Self {
            name,
            does,
            breaks,
            needs: Needs::Calls,
            change,
        }
    }

    pub(crate) const fn needing(self, needs: Needs) -> Self {
        Self { needs, ..self }
    }

    /// Its name, lower-case words with dashes between.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// What the plugin does, as the rest of a sentence that begins with "it".
    #[must_use]
    pub const fn does(self) -> &'static str {
        self.does
    }

    /// What it offends against, or whom it troubles.
    #[must_use]
    pub const fn breaks(self) -> &'static str {
        self.breaks
    }

    /// What it takes to see it.
    #[must_use]
    pub const fn needs(self) -> Needs {
        self.needs
    }

    pub(crate) fn apply(self, plugin: &mut Plugin) {
        (self.change)(plugin);
    }
}

impl PartialEq for Fault {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Fault {}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fault({})", self.name)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl FromStr for Fault {
    type Err = UnknownFault;

    fn from_str(text: &str) -> Result<Self, UnknownFault> {
        let found = FAULTS.iter().find(|fault| fault.name == text);
        found.copied().ok_or_else(|| UnknownFault {
            name: text.to_owned(),
            nearest: nearest(text, FAULTS.iter().map(|fault| fault.name)),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Fault;
    use crate::FAULTS;

    #[test]
    fn names_are_kebab_case_and_each_is_there_once() {
        let names: BTreeSet<_> = FAULTS.iter().map(|fault| fault.name()).collect();
        assert_eq!(names.len(), FAULTS.len());
        for name in names {
            let words = name.split('-');
            let is_word = |word: &str| {
                !word.is_empty()
                    && word
                        .bytes()
                        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            };
            assert!(
                words.clone().count() > 1 && words.clone().all(is_word),
                "{name}"
            );
        }
    }

    #[test]
    fn texts_are_parts_of_a_sentence() {
        for fault in FAULTS {
            for text in [fault.does(), fault.breaks()] {
                assert!(text.len() > 10 && !text.ends_with('.'), "{fault}: {text}");
            }
            assert!(
                fault.does().starts_with(|c: char| c.is_lowercase()),
                "{fault}"
            );
        }
    }

    #[test]
    fn a_name_is_found_and_an_unknown_one_names_the_nearest() {
        assert_eq!("name-empty".parse::<Fault>().unwrap().name(), "name-empty");
        for (text, message) in [
            (
                "name-emtpy",
                "there is no fault \"name-emtpy\", did you mean name-empty?; --list shows all",
            ),
            ("xyz", "there is no fault \"xyz\"; --list shows all"),
        ] {
            assert_eq!(text.parse::<Fault>().unwrap_err().to_string(), message);
        }
    }
}
