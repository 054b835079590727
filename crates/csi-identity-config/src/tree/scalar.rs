//! What a scalar means by the core schema of YAML 1.2 (section 10.3), which is that of JSON too.

/// A scalar, and what it means.
#[derive(Debug)]
pub(crate) struct Scalar {
    /// The text, with quotes and escapes resolved.
    pub(crate) text: String,
    pub(crate) meaning: Meaning,
}

/// What a scalar means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Text,
    /// `null`, `~`, or nothing at all.
    Nothing,
    Boolean(bool),
    /// A whole number or a floating-point one.
    Number,
    /// `yes`, `no`, `on` or `off` without quotes: text here, but a boolean to readers of YAML 1.1, which most languages
    /// still have. It is refused wherever it stands, so that a file means the same to all of them.
    OldBoolean,
    /// `<<` without quotes, which YAML 1.1 has as a key that merges mappings; refused in the same way.
    Merge,
}

impl Scalar {
    pub(crate) fn quoted(text: String) -> Self {
        Self {
            text,
            meaning: Meaning::Text,
        }
    }

    pub(crate) fn plain(text: String) -> Self {
        let meaning = meaning(&text);
        Self { text, meaning }
    }
}

fn meaning(text: &str) -> Meaning {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Meaning::Nothing,
        "true" | "True" | "TRUE" => Meaning::Boolean(true),
        "false" | "False" | "FALSE" => Meaning::Boolean(false),
        "yes" | "Yes" | "YES" | "no" | "No" | "NO" | "on" | "On" | "ON" | "off" | "Off" | "OFF" => {
            Meaning::OldBoolean
        }
        "<<" => Meaning::Merge,
        _ if is_number(text) => Meaning::Number,
        _ => Meaning::Text,
    }
}

fn is_number(text: &str) -> bool {
    let all = |text: &str, allowed: fn(&u8) -> bool| {
        !text.is_empty() && text.as_bytes().iter().all(allowed)
    };
    if let Some(digits) = text.strip_prefix("0o") {
        return all(digits, |byte| (b'0'..=b'7').contains(byte));
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return all(digits, u8::is_ascii_hexdigit);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |text: &str| all(text, u8::is_ascii_digit);
    let exponent_is_one =
        exponent.is_none_or(|text| digits(text.strip_prefix(['-', '+']).unwrap_or(text)));
    let mantissa_is_one = match mantissa.split_once('.') {
        Some(("", fraction)) => digits(fraction),
        Some((whole, fraction)) => digits(whole) && (fraction.is_empty() || digits(fraction)),
        None => digits(mantissa),
    };
    mantissa_is_one && exponent_is_one
}

/// The beginning of a number, which may be a megabyte long.
pub(crate) fn short(number: &str) -> String {
    const MOST: usize = 40;
    match number.get(..MOST) {
        Some(beginning) if number.len() > MOST => format!("{beginning}..."),
        _ => number.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Meaning, meaning};

    #[test]
    fn plain_scalars_mean_what_the_core_schema_says() {
        for (texts, expected) in [
            (
                "1 -1 +1 0123 0o17 0xFf 1.10 1. .5 -0.5 1e3 1E-3 1.5e+3 .inf -.INF .nan",
                Meaning::Number,
            ),
            (
                "1.2.3 1_000 0x 0o8 0xg 1e e1 . -. 1.e 12:30 -.nan - + 5s .infinity 1.5.e1 ١",
                Meaning::Text,
            ),
            ("true True TRUE", Meaning::Boolean(true)),
            ("false False FALSE", Meaning::Boolean(false)),
            ("null Null NULL ~", Meaning::Nothing),
            ("yes No ON off", Meaning::OldBoolean),
            ("<<", Meaning::Merge),
            ("y n nULL tRUE none NOPE", Meaning::Text),
        ] {
            for text in texts.split(' ') {
                assert_eq!(meaning(text), expected, "{text}");
            }
        }
        assert_eq!(meaning(""), Meaning::Nothing);
    }
}
