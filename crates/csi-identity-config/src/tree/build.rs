//! From the events of a YAML parser to a tree.

use std::collections::HashMap;
use std::rc::Rc;

use granit_parser::{Event, Marker, Parser, ScalarStyle, Span, Tag, options};

use super::extent::Extent;
use super::{Content, Entry, Meaning, Node, Scalar, scalar, syntax};
use crate::error::{Flaw, Problem, quoted};
use crate::limits;
use crate::position::Position;

/// Reads the one document of a text.
pub(crate) fn parse(text: &str) -> Result<Rc<Node>, Flaw> {
    let options = options! {
        disallow_directives: true,
        emit_unresolved_aliases: true,
        flow_nesting_limit: limits::DEPTH,
        block_nesting_limit: limits::DEPTH,
    };
    let mut builder = Builder::default();
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, span) = next.map_err(|error| syntax::flaw(text, &error))?;
        let at = position(&span.start);
        builder
            .take(event, at, &span, text)
            .map_err(|wrong| match wrong {
                Wrong::Here(problem) => Flaw { at, problem },
                Wrong::There(flaw) => flaw,
            })?;
    }
    match builder.root {
        Some(root) if is_absent(&root) => Err(empty(text)),
        Some(root) => Ok(root),
        None => Err(empty(text)),
    }
}

pub(super) fn position(marker: &Marker) -> Position {
    Position {
        line: marker.line(),
        column: marker.col() + 1,
    }
}

fn is_absent(node: &Node) -> bool {
    matches!(&node.content, Content::Scalar(scalar) if scalar.meaning == Meaning::Nothing)
}

fn empty(text: &str) -> Flaw {
    let found = if text.trim().is_empty() {
        "an empty file"
    } else {
        "a file without any key"
    };
    Flaw {
        at: Position::START,
        problem: Problem::Empty { found },
    }
}

/// A problem of the event at hand, or of another place.
enum Wrong {
    Here(Problem),
    There(Flaw),
}

impl From<Problem> for Wrong {
    fn from(problem: Problem) -> Self {
        Self::Here(problem)
    }
}

#[derive(Default)]
struct Builder {
    root: Option<Rc<Node>>,
    /// The lists and mappings that have begun and not ended.
    open: Vec<Open>,
    /// The nodes that aliases can stand for; those still open are not among them.
    anchored: HashMap<usize, Rc<Node>>,
}

/// A list or mapping that has not ended.
struct Open {
    at: Position,
    anchor: usize,
    extent: Extent,
    inside: Inside,
}

enum Inside {
    List(Vec<Rc<Node>>),
    Mapping {
        entries: Vec<Entry>,
        first: HashMap<String, Position>,
        key: Option<(String, Position)>,
    },
}

impl Builder {
    fn take(
        &mut self,
        event: Event<'_>,
        at: Position,
        span: &Span,
        text: &str,
    ) -> Result<(), Wrong> {
        if let Some(tag) = event.tag() {
            return Err(tagged(tag, span, at));
        }
        match event {
            Event::DocumentStart(..) if self.root.is_some() => Err(Problem::NotSupported {
                found: "a second document".to_owned(),
                remedy: "one file is one configuration, so remove this line and what follows",
            }
            .into()),
            Event::Scalar(value, style, anchor, _) => {
                let value = value.into_owned();
                let scalar = match style {
                    // The parser says `~` where there is nothing.
                    ScalarStyle::Plain if span.is_empty() => Scalar::plain(String::new()),
                    ScalarStyle::Plain => Scalar::plain(value),
                    _ => Scalar::quoted(value),
                };
                if scalar.text.contains('\0') {
                    return Err(Problem::Nul.into());
                }
                let node = Node {
                    at,
                    extent: Extent::scalar(scalar.text.len()),
                    content: Content::Scalar(scalar),
                };
                self.place(Rc::new(node), anchor, at)
            }
            Event::SequenceStart(_, anchor, _) => {
                self.begin(at, anchor, Inside::List(Vec::new()));
                Ok(())
            }
            Event::MappingStart(_, anchor, _) => {
                let inside = Inside::Mapping {
                    entries: Vec::new(),
                    first: HashMap::new(),
                    key: None,
                };
                self.begin(at, anchor, inside);
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(id) => match self.anchored.get(&id) {
                Some(node) => self.place(Rc::clone(node), 0, at),
                None => Err(Problem::Cycle {
                    alias: span.slice(text).map(shorten).unwrap_or_default(),
                }
                .into()),
            },
            Event::UnresolvedAlias(name) => Err(Problem::UnknownAlias {
                alias: shorten(&format!("*{name}")),
            }
            .into()),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, at: Position, anchor: usize, inside: Inside) {
        self.open.push(Open {
            at,
            anchor,
            extent: Extent::collection(),
            inside,
        });
    }

    fn end(&mut self) -> Result<(), Wrong> {
        // The parser pairs beginnings and ends, so there is always one open.
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let Open {
            at,
            anchor,
            extent,
            inside,
        } = open;
        let content = match inside {
            Inside::List(items) => Content::List(items),
            Inside::Mapping { entries, .. } => Content::Mapping(entries),
        };
        let node = Node {
            at,
            content,
            extent,
        };
        self.place(Rc::new(node), anchor, at)
    }

    /// Puts a complete node, which stands at `at`, to where it belongs.
    fn place(&mut self, node: Rc<Node>, anchor: usize, at: Position) -> Result<(), Wrong> {
        let there = |problem| Wrong::There(Flaw { at, problem });
        if anchor != 0 {
            self.anchored.insert(anchor, Rc::clone(&node));
        }
        let nested_in = self.open.len();
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.extent.add(node.extent, nested_in).map_err(there)?;
        match &mut open.inside {
            Inside::List(items) => items.push(node),
            Inside::Mapping {
                entries,
                first,
                key,
            } => match key.take() {
                Some((key, at)) => entries.push(Entry {
                    key,
                    at,
                    value: node,
                }),
                None => {
                    let text = key_text(&node).map_err(there)?;
                    if let Some(&first) = first.get(text) {
                        let key = quoted(text);
                        return Err(there(Problem::DuplicateKey { key, first }));
                    }
                    first.insert(text.to_owned(), at);
                    *key = Some((text.to_owned(), at));
                }
            },
        }
        Ok(())
    }
}

fn key_text(node: &Node) -> Result<&str, Problem> {
    let Content::Scalar(Scalar { text, meaning }) = &node.content else {
        return Err(Problem::KeyNotText {
            found: node.found(),
            remedy: "a key is text".to_owned(),
        });
    };
    match meaning {
        Meaning::Merge => Err(Problem::NotSupported {
            found: "the merge key <<".to_owned(),
            remedy: "YAML 1.2 has none, so write the keys out, or give a whole mapping by an alias",
        }),
        Meaning::Text => Ok(text),
        Meaning::Nothing if text.is_empty() => Err(Problem::KeyNotText {
            found: node.found(),
            remedy: "write the key before the ':'".to_owned(),
        }),
        _ => Err(Problem::KeyNotText {
            found: node.found(),
            remedy: format!("a key is text, so quote it: \"{}\"", scalar::short(text)),
        }),
    }
}

fn tagged(tag: &Tag, span: &Span, at: Position) -> Wrong {
    Wrong::There(Flaw {
        at: span.tag_start().map_or(at, |start| position(&start)),
        problem: Problem::NotSupported {
            found: format!("the tag {}", shorten(&tag.original())),
            remedy: "leave it out; what is meant as text is quoted",
        },
    })
}

/// A name from the file for a message, on one line and not too long.
fn shorten(name: &str) -> String {
    const MOST: usize = 60;
    name.chars()
        .flat_map(char::escape_debug)
        .take(MOST)
        .collect()
}
