//! The file of a socket and what is around it.

/// The file of a socket and what is around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketFile {
    /// Its permission bits.
    pub mode: u32,
    /// The user whose file it is.
    pub owner: u32,
    /// The user who listens on it, if the kernel says.
    pub listener: Option<u32>,
    /// Whether the path leads over a symbolic link at its end.
    pub is_link: bool,
    /// The permission bits of the directory.
    pub directory_mode: u32,
    /// What else is in the directory, sorted.
    pub beside: Vec<String>,
}
