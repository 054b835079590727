//! How much a file may ask of its reader.
//!
//! A configuration comes from a mounted file that others may write. Whatever is in it, reading ends soon, in little
//! memory and without deep recursion.

/// How deep lists and mappings may be nested; the deepest key of a configuration is 5 deep.
pub(crate) const DEPTH: usize = 16;

/// How many values there may be, each alias counted as what it stands for.
pub(crate) const VALUES: usize = 10_000;

/// How many bytes all texts may have together, each alias counted as what it stands for.
pub(crate) const TEXT: usize = 1 << 20;
