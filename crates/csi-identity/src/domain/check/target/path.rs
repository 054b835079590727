//! Where files and mounts are.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A path that begins with `/`, at most 4,095 bytes of text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AbsolutePath(Box<str>);

/// Why a text is no [`AbsolutePath`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AbsolutePathError {
    /// There is no text.
    #[error("path is empty; write one that begins with /")]
    Empty,
    /// The path depends on the directory of the process.
    #[error("path {path:?} does not begin with /; write the whole path")]
    Relative {
        /// The path.
        path: String,
    },
    /// No path can have a NUL.
    #[error("path {path:?} has a NUL byte; leave it out, no file has one in its name")]
    Nul {
        /// The path.
        path: String,
    },
    /// The path is over the limit of the system.
    #[error("path is {len} bytes long, the limit is {}", AbsolutePath::MAX_LEN)]
    TooLong {
        /// The length of the path.
        len: usize,
    },
}

/// A type of file system as `/proc/self/mountinfo` names it, for example `ext4` or `nfs4`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FsType(Box<str>);

/// Why a text is no [`FsType`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} names no type of file system; write one word as /proc/self/mountinfo has it, for example ext4"
)]
pub struct FsTypeError {
    text: String,
}

impl AbsolutePath {
    /// How many bytes a path may have: `PATH_MAX` without the closing NUL.
    pub const MAX_LEN: usize = 4095;

    /// The path.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        Path::new(&*self.0)
    }
}

impl FromStr for AbsolutePath {
    type Err = AbsolutePathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        use AbsolutePathError as E;
        let path = || text.to_owned();
        if text.is_empty() {
            Err(E::Empty)
        } else if text.len() > Self::MAX_LEN {
            Err(E::TooLong { len: text.len() })
        } else if text.contains('\0') {
            Err(E::Nul { path: path() })
        } else if !text.starts_with('/') {
            Err(E::Relative { path: path() })
        } else {
            Ok(Self(text.into()))
        }
    }
}

impl fmt::Display for AbsolutePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FsType {
    /// The name of the type.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for FsType {
    type Err = FsTypeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(Self(text.into()))
        } else {
            Err(FsTypeError {
                text: text.to_owned(),
            })
        }
    }
}

impl fmt::Display for FsType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{AbsolutePath, FsType};

    #[test]
    fn a_path_is_absolute_and_bounded() {
        let longest = format!("/{}", "x".repeat(4094));
        for text in ["/", "/dev/disk/by-id/x", "/a b/ü", &longest] {
            assert_eq!(text.parse::<AbsolutePath>().unwrap().to_string(), text);
        }
        for (text, message) in [
            ("", "path is empty; write one that begins with /"),
            (
                "dev/x",
                r#"path "dev/x" does not begin with /; write the whole path"#,
            ),
            (
                "/a\0",
                r#"path "/a\0" has a NUL byte; leave it out, no file has one in its name"#,
            ),
            (
                &format!("{longest}x"),
                "path is 4096 bytes long, the limit is 4095",
            ),
        ] {
            assert_eq!(
                text.parse::<AbsolutePath>().unwrap_err().to_string(),
                message
            );
        }
    }

    #[test]
    fn a_type_of_file_system_is_one_word() {
        for text in ["ext4", "fuse.s3fs", "9p"] {
            assert_eq!(text.parse::<FsType>().unwrap().to_string(), text);
        }
        for text in ["", "ext 4", "ext4\n"] {
            assert_eq!(
                text.parse::<FsType>().unwrap_err().to_string(),
                format!(
                    "{text:?} names no type of file system; write one word as /proc/self/mountinfo has it, for example ext4"
                )
            );
        }
    }
}
