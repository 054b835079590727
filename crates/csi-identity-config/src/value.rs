//! Reading one value.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use crate::duration;
use crate::error::{Flaws, Problem, quoted};
use crate::outline::{Key, Shape, listed};
use crate::tree::{Content, Entry, Meaning, Node, Scalar};

/// The value of a key, or an item of its list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    pub(crate) key: &'static Key,
    pub(crate) node: &'a Node,
}

/// Each reader gives nothing where the value is wrong, having added to the flaws what is.
impl<'a> Value<'a> {
    /// Text; numbers and the like have to be quoted.
    pub(crate) fn text(self, flaws: &mut Flaws) -> Option<&'a str> {
        let remedy = match &self.node.content {
            Content::Scalar(Scalar { text, meaning }) => match meaning {
                Meaning::Text => return Some(text),
                Meaning::Number | Meaning::Boolean(_) | Meaning::OldBoolean | Meaning::Merge => {
                    format!("it is text, so quote it: {}", quoted(text))
                }
                Meaning::Nothing => self.like_example("write text"),
            },
            Content::List(_) | Content::Mapping(_) => self.like_example("write text"),
        };
        self.is_wrong(remedy, flaws)
    }

    /// Text that has a type of its own.
    pub(crate) fn parse<T: FromStr<Err: Display>>(self, flaws: &mut Flaws) -> Option<T> {
        let text = self.text(flaws)?;
        self.accept(text.parse(), flaws)
    }

    /// One of the words of the key, or of those that are known.
    pub(crate) fn word<T: FromStr<Err: Display>>(self, flaws: &mut Flaws) -> Option<T> {
        match self.word_text() {
            Some(text) => self.accept(text.parse(), flaws),
            None => {
                let remedy = match &self.key.shape {
                    Shape::Word(words) => {
                        format!("write {}", listed(words.iter().copied(), "or"))
                    }
                    _ => self.like_example("write names or mappings"),
                };
                self.is_wrong(remedy, flaws)
            }
        }
    }

    pub(crate) fn duration(self, flaws: &mut Flaws) -> Option<Duration> {
        match self.word_text() {
            Some(text) => self.accept(duration::parse_duration(text), flaws),
            None => self.is_wrong(
                self.like_example("a duration is a number and its unit"),
                flaws,
            ),
        }
    }

    pub(crate) fn boolean(self, flaws: &mut Flaws) -> Option<bool> {
        match &self.node.content {
            Content::Scalar(Scalar {
                meaning: Meaning::Boolean(boolean),
                ..
            }) => Some(*boolean),
            _ => self.is_wrong("write true or false, without quotes".to_owned(), flaws),
        }
    }

    /// A whole number in decimal; the other forms that YAML has mean different things to different readers.
    pub(crate) fn whole<T: TryFrom<i64>>(
        self,
        least: i64,
        most: i64,
        flaws: &mut Flaws,
    ) -> Option<T> {
        let number = match &self.node.content {
            Content::Scalar(Scalar {
                text,
                meaning: Meaning::Number,
            }) => text.parse().ok().filter(|n: &i64| n.to_string() == *text),
            _ => None,
        };
        number
            .filter(|number| (least..=most).contains(number))
            .and_then(|number| T::try_from(number).ok())
            .or_else(|| {
                let remedy = format!(
                    "write a whole number from {least} to {most}, in decimal and without quotes"
                );
                self.is_wrong(remedy, flaws)
            })
    }

    /// The items of a list, each under the same key.
    pub(crate) fn items(self, flaws: &mut Flaws) -> Option<impl Iterator<Item = Self> + use<'a>> {
        match &self.node.content {
            Content::List(items) => Some(items.iter().map(move |node| Self { node, ..self })),
            _ => self.is_wrong(self.like_example("write a list"), flaws),
        }
    }

    /// The entries of a mapping.
    pub(crate) fn entries(self, flaws: &mut Flaws) -> Option<&'a [Entry]> {
        match &self.node.content {
            Content::Mapping(entries) => Some(entries),
            _ => self.is_wrong(self.like_example("write a mapping"), flaws),
        }
    }

    /// Free keys with their texts, under the key of this value.
    pub(crate) fn texts(self, flaws: &mut Flaws) -> Option<Vec<(&'a Entry, &'a str)>> {
        let entries = self.entries(flaws)?;
        // Each is read even if one is wrong, so that all errors are told.
        let texts: Vec<_> = entries
            .iter()
            .map(|entry| Some((entry, self.at(&entry.value).text(flaws)?)))
            .collect();
        texts.into_iter().collect()
    }

    pub(crate) fn is_mapping(self) -> bool {
        matches!(self.node.content, Content::Mapping(_))
    }

    /// Another node under the same key.
    pub(crate) fn at(self, node: &Node) -> Value<'_> {
        Value {
            key: self.key,
            node,
        }
    }

    /// A value that its type has accepted or refused.
    pub(crate) fn accept<T, E: Display>(
        self,
        result: Result<T, E>,
        flaws: &mut Flaws,
    ) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(reason) => {
                let problem = Problem::bad_value(self.key.name, &reason);
                flaws.add(self.node.at, problem);
                None
            }
        }
    }

    /// A value of the wrong kind, and what would be right.
    pub(crate) fn is_wrong<T>(self, remedy: String, flaws: &mut Flaws) -> Option<T> {
        let problem = Problem::WrongKind {
            found: self.node.found(),
            key: self.key.name,
            remedy,
        };
        flaws.add(self.node.at, problem);
        None
    }

    /// The text where it could be a word, quoted or not; what word is the business of its type.
    fn word_text(self) -> Option<&'a str> {
        match &self.node.content {
            Content::Scalar(Scalar {
                text,
                meaning: Meaning::Text | Meaning::OldBoolean,
            }) => Some(text),
            _ => None,
        }
    }

    /// `advice, as in key: example`.
    pub(crate) fn like_example(self, advice: &str) -> String {
        let Key { name, example, .. } = self.key;
        format!("{advice}, as in {name}: {example}")
    }
}
