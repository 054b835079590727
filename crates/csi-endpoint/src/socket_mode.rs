//! The permission bits of a socket file.

use std::{fmt, str::FromStr};

/// The permission bits of a socket file, 0600 unless something else is asked for.
///
/// To connect to a Unix socket a process needs the write bit (`unix(7)`), so 0660 lets the group in and 0640 does not.
///
/// ```
/// use csi_endpoint::SocketMode;
///
/// let mode: SocketMode = "0660".parse()?;
/// assert_eq!(mode.bits(), 0o660);
/// assert_eq!(SocketMode::default().to_string(), "0600");
/// # Ok::<(), csi_endpoint::SocketModeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SocketMode(u16);

/// Why a text is no [`SocketMode`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SocketModeError {
    /// Something else than octal digits.
    #[error(
        "socket mode {text:?} is not octal; write three or four digits from 0 to 7, as in 0660"
    )]
    NotOctal {
        /// What was given.
        text: String,
    },
    /// Too few or too many digits, so that one cannot tell whose bits they are.
    #[error(
        "socket mode {text:?} has {digits} digits; write three, or four of which the first is 0, as in 0660"
    )]
    Digits {
        /// What was given.
        text: String,
        /// How many digits it has.
        digits: usize,
    },
    /// Set-user-id, set-group-id or sticky bits.
    #[error(
        "socket mode {text:?} has bits above 0777, which mean nothing on a socket; the first of four digits is 0, as in 0660"
    )]
    Special {
        /// What was given.
        text: String,
    },
}

impl SocketMode {
    /// The bits, at most `0o777`.
    pub fn bits(self) -> u32 {
        self.0.into()
    }
}

impl Default for SocketMode {
    fn default() -> Self {
        Self(0o600)
    }
}

impl FromStr for SocketMode {
    type Err = SocketModeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        use SocketModeError as E;
        let own = || text.to_owned();
        let digits = text.strip_prefix("0o").unwrap_or(text);
        let mut bits = 0;
        for digit in digits.chars() {
            let value = digit
                .to_digit(8)
                .ok_or_else(|| E::NotOctal { text: own() })?;
            bits = bits << 3 & 0o7777 | value as u16;
        }
        match digits.len() {
            0 => Err(E::NotOctal { text: own() }),
            3 => Ok(Self(bits)),
            4 if bits > 0o777 => Err(E::Special { text: own() }),
            4 => Ok(Self(bits)),
            count => Err(E::Digits {
                text: own(),
                digits: count,
            }),
        }
    }
}

impl fmt::Display for SocketMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04o}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octal_text_gives_the_bits() {
        let cases = [
            ("0660", 0o660, "0660"),
            ("660", 0o660, "0660"),
            ("0o660", 0o660, "0660"),
            ("0000", 0, "0000"),
            ("777", 0o777, "0777"),
        ];
        for (text, bits, shown) in cases {
            let mode: SocketMode = text.parse().unwrap();
            assert_eq!(mode.bits(), bits, "{text}");
            assert_eq!(mode.to_string(), shown, "{text}");
        }
        assert_eq!(SocketMode::default(), "0600".parse().unwrap());
    }

    #[test]
    fn other_text_is_refused_with_what_is_right() {
        let not_octal = |text| {
            format!(
                "socket mode {text:?} is not octal; write three or four digits from 0 to 7, as in 0660"
            )
        };
        let digits = |text, count| {
            format!(
                "socket mode {text:?} has {count} digits; write three, or four of which the first is 0, as in 0660"
            )
        };
        let special = "socket mode \"1777\" has bits above 0777, which mean nothing on a socket; the first of four digits is 0, as in 0660";
        let cases = [
            ("", not_octal("")),
            ("rw-rw----", not_octal("rw-rw----")),
            ("0680", not_octal("0680")),
            ("-660", not_octal("-660")),
            (" 660", not_octal(" 660")),
            ("0x1b0", not_octal("0x1b0")),
            ("66", digits("66", 2)),
            ("00660", digits("00660", 5)),
            ("0o0000660", digits("0o0000660", 7)),
            ("1777", special.to_owned()),
        ];
        for (text, message) in cases {
            assert_eq!(text.parse::<SocketMode>().unwrap_err().to_string(), message);
        }
    }
}
