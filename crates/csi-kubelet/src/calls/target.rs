//! What becomes of a path that a kubelet hands to grpc-go, which takes it for a part of a URL.

use std::borrow::Cow;

use crate::go_text::quote;

/// The path that is dialled: escapes are decoded, and what follows a `?` or `#` is cut off.
///
/// # Errors
///
/// In Go's words, if it has a `%` that begins no escape.
pub(super) fn dialled_path(path: &str) -> Result<Cow<'_, str>, String> {
    let end = path.find(['?', '#']).unwrap_or(path.len());
    let kept = &path[..end];
    if !kept.contains('%') {
        return Ok(kept.into());
    }
    let mut decoded = Vec::with_capacity(kept.len());
    let mut rest = kept.as_bytes();
    while let [first, behind @ ..] = rest {
        let mut byte = *first;
        rest = behind;
        if byte == b'%' {
            let Some(escaped) = escaped(behind) else {
                let url = quote(&format!("passthrough:///{path}"));
                let bytes = &kept.as_bytes()[kept.len() - behind.len() - 1..];
                let escape = quote(&String::from_utf8_lossy(&bytes[..bytes.len().min(3)]));
                return Err(format!("parse {url}: invalid URL escape {escape}"));
            };
            byte = escaped;
            rest = &behind[2..];
        }
        decoded.push(byte);
    }
    // What is no text cannot be dialled here.
    Ok(String::from_utf8_lossy(&decoded).into_owned().into())
}

/// The byte that two digits stand for.
fn escaped(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*digits.get(at)?).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

#[cfg(test)]
mod tests {
    use super::dialled_path;

    #[test]
    fn a_path_is_taken_for_a_part_of_a_url() {
        for (path, dialled) in [
            ("/run/a b-é.sock", "/run/a b-é.sock"),
            ("/run/a%2Fb%20%C3%A9.sock", "/run/a/b é.sock"),
            ("/run/a?b#c.sock", "/run/a"),
            ("/run/a#b?c%zz.sock", "/run/a"),
        ] {
            assert_eq!(dialled_path(path).as_deref(), Ok(dialled));
        }
        for (path, escape) in [
            ("/run/a%zz.sock", "%zz"),
            ("/run/50%", "%"),
            ("/run/%2", "%2"),
        ] {
            assert_eq!(
                dialled_path(path).unwrap_err(),
                format!("parse \"passthrough:///{path}\": invalid URL escape \"{escape}\"")
            );
        }
    }
}
