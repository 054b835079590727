//! The configuration file of `csi-identity serve`.
//!
//! A plugin's Identity can be told in a file instead of a command line, in YAML 1.2 or JSON, with the names that the
//! wire has. [`Configuration::from_text`] takes the text to the checked types of [`csi_identity`] and [`csi_endpoint`];
//! nothing here reads files or looks anything up. What is wrong is told with its line and column and with what would be
//! right, all of it at once ([`ConfigErrors`]).
//!
//! [`EXAMPLE`] shows every key with its meaning; [`schema()`] is the same for editors, as a JSON Schema.
//!
//! # YAML
//!
//! Scalars mean what the core schema of YAML 1.2 says, so `NO` is text and `0123` a number. Where text is wanted, a
//! number, a boolean or one of the words `yes`, `no`, `on` and `off`, which are booleans to readers of YAML 1.1, is an
//! error that says "quote it": nothing is turned into text that may have been meant as something else. Aliases are
//! followed, within limits; tags, directives, merge keys (`<<`) and several documents are errors. A key stands once.
//!
//! Hostile files end early: at most 1 MiB, 10,000 values, 16 levels, aliases counted as what they stand for.

mod configuration;
mod duration;
mod error;
mod example;
mod fields;
mod limits;
mod outline;
mod position;
mod schema;
mod section;
mod text;
mod tree;
mod value;

pub use configuration::{Configuration, SocketSettings};
pub use duration::{DurationError, parse_duration};
pub use error::{ConfigError, ConfigErrors, Problem};
pub use example::EXAMPLE;
pub use position::Position;
pub use schema::schema;
