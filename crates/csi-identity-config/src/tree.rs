//! A configuration as its text has it: scalars, lists and mappings, each with its place.
//!
//! Knows YAML and no key. An alias is the node it stands for, shared; how large everything is with aliases written out
//! is counted while the tree grows, so that nothing explodes.

mod build;
mod extent;
mod scalar;
mod syntax;

use std::rc::Rc;

use crate::error::quoted;
use crate::position::Position;

use extent::Extent;

pub(crate) use build::parse;
pub(crate) use scalar::{Meaning, Scalar};

/// A value and its place.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) at: Position,
    pub(crate) content: Content,
    extent: Extent,
}

#[derive(Debug)]
pub(crate) enum Content {
    Scalar(Scalar),
    List(Vec<Rc<Node>>),
    Mapping(Vec<Entry>),
}

/// A key of a mapping and its value.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) at: Position,
    pub(crate) value: Rc<Node>,
}

impl Node {
    /// What it is, for a message.
    pub(crate) fn found(&self) -> String {
        match &self.content {
            Content::Scalar(scalar) => scalar.found(),
            Content::List(_) => "a list".to_owned(),
            Content::Mapping(_) => "a mapping".to_owned(),
        }
    }
}

impl Scalar {
    fn found(&self) -> String {
        let text = &self.text;
        match self.meaning {
            Meaning::Text => format!("the text {}", quoted(text)),
            Meaning::Nothing if text.is_empty() => "nothing".to_owned(),
            Meaning::Nothing => "null".to_owned(),
            Meaning::Boolean(_) => format!("the boolean {text}"),
            Meaning::Number => format!("the number {}", scalar::short(text)),
            Meaning::OldBoolean | Meaning::Merge => format!("the bare word {text}"),
        }
    }
}
