//! What others rely on: names, numbers and types on the wire, and secrets that stay secret.

mod calls;
mod facts;
mod redaction;
mod schema;
mod wire;
