//! The `:authority` of HTTP/2 requests on Unix sockets: repaired where a server would refuse it, imposed where a client
//! shall be like another one.

mod choice;
mod frame;
mod hpack;
mod huffman;
mod impose;
mod machine;
mod repair;
mod table;

pub use choice::Authority;
pub(crate) use impose::ImposedAuthority;
pub use repair::AuthorityRepair;
