//! Reading a mapping with known keys.

use csi_identity::nearest;

use crate::error::{Flaws, Problem, quoted};
use crate::outline::{Key, Section, listed};
use crate::position::Position;
use crate::tree::Entry;
use crate::value::Value;

/// The keys of a section as a file has them.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    section: &'static Section,
    at: Position,
    entries: &'a [Entry],
}

impl<'a> Fields<'a> {
    /// The keys of a mapping; those that the section does not have, or not together, are flaws.
    pub(crate) fn of(
        section: &'static Section,
        value: Value<'a>,
        flaws: &mut Flaws,
    ) -> Option<Self> {
        let fields = Self {
            section,
            at: value.node.at,
            entries: value.entries(flaws)?,
        };
        fields.check_names(flaws);
        fields.check_exclusion(flaws);
        fields.check_choice(flaws);
        Some(fields)
    }

    /// The value of a key that has to be there.
    pub(crate) fn required<T>(
        &self,
        key: &'static Key,
        flaws: &mut Flaws,
        read: impl FnOnce(Value<'a>, &mut Flaws) -> Option<T>,
    ) -> Option<T> {
        if let Some(value) = self.value(key) {
            return read(value, flaws);
        }
        if self.is_misspelt(key) {
            return None;
        }
        let problem = Problem::MissingKey {
            key: key.name,
            section: self.section.name,
            example: key.example,
        };
        flaws.add(self.at, problem);
        None
    }

    /// The value of a key that may be there.
    pub(crate) fn optional<T>(
        &self,
        key: &'static Key,
        flaws: &mut Flaws,
        read: impl FnOnce(Value<'a>, &mut Flaws) -> Option<T>,
    ) -> Option<T> {
        read(self.value(key)?, flaws)
    }

    /// What a key has, whatever it is.
    pub(crate) fn value(&self, key: &'static Key) -> Option<Value<'a>> {
        let node = &self.entry(key)?.value;
        Some(Value { key, node })
    }

    fn entry(&self, key: &Key) -> Option<&'a Entry> {
        self.entries.iter().find(|entry| entry.key == key.name)
    }

    fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.section.keys.iter().map(|key| key.name)
    }

    fn unknown(&self) -> impl Iterator<Item = &'a Entry> {
        self.entries
            .iter()
            .filter(|entry| self.names().all(|name| name != entry.key))
    }

    fn nearest(&self, entry: &Entry) -> Option<&'static str> {
        nearest(&entry.key, self.names())
    }

    /// Whether an unknown key seems to be this one, which is told already.
    fn is_misspelt(&self, key: &Key) -> bool {
        self.unknown()
            .any(|entry| self.nearest(entry) == Some(key.name))
    }

    fn check_names(&self, flaws: &mut Flaws) {
        for entry in self.unknown() {
            if flaws.is_full() {
                return;
            }
            let remedy = if let Some(name) = self.nearest(entry) {
                format!("did you mean {name}?")
            } else if let Some(inner) = self.section.section_with(&entry.key) {
                format!("it belongs in {inner}")
            } else {
                format!("it has {}", listed(self.names(), "and"))
            };
            let problem = Problem::UnknownKey {
                key: quoted(&entry.key),
                section: self.section.name,
                remedy,
            };
            flaws.add(entry.at, problem);
        }
    }

    fn check_exclusion(&self, flaws: &mut Flaws) {
        let Some((a, b)) = self.section.not_both else {
            return;
        };
        let mut found: Vec<_> = [a, b]
            .into_iter()
            .filter_map(|key| Some((key.name, self.entry(key)?.at)))
            .collect();
        found.sort_by_key(|&(_, at)| at);
        if let [(first, first_at), (second, at)] = found[..] {
            let problem = Problem::Conflict {
                first,
                first_at,
                second,
            };
            flaws.add(at, problem);
        }
    }

    fn check_choice(&self, flaws: &mut Flaws) {
        let choices = self.section.exactly_one_of;
        let found: Vec<_> = choices
            .iter()
            .filter_map(|key| Some((key.name, self.entry(key)?.at)))
            .collect();
        if found.len() == 1 || choices.is_empty() {
            return;
        }
        let section = self.section.name;
        let several = listed(found.iter().map(|&(name, _)| name), "and");
        match found.get(1) {
            Some(&(_, at)) => {
                let keys = several;
                flaws.add(at, Problem::SeveralOf { section, keys });
            }
            None if choices.iter().any(|key| self.is_misspelt(key)) => {}
            None => {
                let keys = listed(choices.iter().map(|key| key.name), "and");
                flaws.add(self.at, Problem::NoneOf { section, keys });
            }
        }
    }
}
