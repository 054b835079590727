//! Text to path, strictly: a guess would bind or dial a socket that nobody else looks for.

use super::{Endpoint, EndpointError as E};

/// Takes `unix:///abs`, `unix:/abs` or `/abs` and gives the path.
pub(super) fn endpoint(text: &str) -> Result<Box<str>, E> {
    refuse_unprintable(text)?;
    absolute(bare(text)?, text)
}

/// Takes a path that has no scheme.
pub(super) fn path(text: &str) -> Result<Box<str>, E> {
    refuse_unprintable(text)?;
    if !text.starts_with('/') {
        return Err(relative(text, text));
    }
    absolute(text, text)
}

fn refuse_unprintable(text: &str) -> Result<(), E> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(E::Empty);
    }
    // What stands inside is not to be proposed without the white space around it.
    let begin = text.len() - text.trim_start().len();
    if let Some((at, found)) = trimmed.char_indices().find(|(_, c)| c.is_control()) {
        return Err(E::ControlCharacter {
            text: text.to_owned(),
            found,
            at: begin + at,
        });
    }
    if trimmed != text {
        return Err(E::WhiteSpace {
            text: text.to_owned(),
            meant: trimmed.to_owned(),
        });
    }
    Ok(())
}

/// The absolute path in an endpoint's text.
fn bare(text: &str) -> Result<&str, E> {
    if text.starts_with('/') {
        return Ok(text);
    }
    let Some(rest) = text.strip_prefix("unix:") else {
        return Err(not_unix(text));
    };
    let path = rest.strip_prefix("//").unwrap_or(rest);
    if path.is_empty() {
        Err(E::NoPath {
            text: text.to_owned(),
        })
    } else if path.starts_with('/') {
        Ok(path)
    } else if path.len() == rest.len() {
        Err(relative(text, path))
    } else {
        Err(authority(text, path))
    }
}

/// The path, once it is known to be absolute: what a directory cannot be, and short enough.
fn absolute(path: &str, text: &str) -> Result<Box<str>, E> {
    let mut clean = String::with_capacity(path.len());
    for part in path.split('/').filter(|part| !part.is_empty()) {
        clean.push('/');
        clean.push_str(part);
    }
    let end = match path.rsplit('/').next() {
        Some("") => "/",
        Some(".") => ".",
        Some("..") => "..",
        _ if clean.len() > Endpoint::MAX_LEN => {
            return Err(E::TooLong {
                len: clean.len(),
                path: clean,
            });
        }
        _ => return Ok(clean.into()),
    };
    Err(E::Directory {
        text: text.to_owned(),
        end,
    })
}

/// Why a text that begins neither with a slash nor with `unix:` is no endpoint.
fn not_unix(text: &str) -> E {
    if text.starts_with('@') || text.starts_with("unix-abstract:") {
        return E::Abstract {
            text: text.to_owned(),
        };
    }
    let Some((scheme, rest)) = text.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) else {
        return relative(text, text);
    };
    let host_and_port = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.to_owned();
    match scheme.to_ascii_lowercase().as_str() {
        "unix" if rest.trim_matches('/').is_empty() => E::NoPath { text },
        "unix" => E::UpperCase {
            text,
            meant: meant(rest),
        },
        "tcp" | "tcp4" | "tcp6" | "udp" | "http" | "https" | "dns" | "ipv4" | "ipv6" | "vsock"
        | "xds" => E::Network { text },
        _ if host_and_port => E::Network { text },
        "passthrough" | "file" if rest.contains('/') => E::OtherScheme {
            text,
            scheme: scheme.to_owned(),
            meant: meant(rest),
        },
        _ => E::UnknownScheme {
            text,
            scheme: scheme.to_owned(),
        },
    }
}

/// RFC 3986 also allows a host name here, as in `host:1234`; digits and dots alone are an IPv4 address and a port.
fn is_scheme(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

fn authority(text: &str, path: &str) -> E {
    let (authority, inside) = path.split_once('/').unwrap_or((path, ""));
    if begins_elsewhere(authority) {
        return relative(text, path);
    }
    // An authority of "localhost" is what other schemes ask for; nobody has a directory of that name in mind.
    let path = if authority == "localhost" && !inside.is_empty() {
        inside
    } else {
        path
    };
    E::Authority {
        text: text.to_owned(),
        authority: authority.to_owned(),
        meant: meant(path),
    }
}

fn relative(text: &str, path: &str) -> E {
    let text = text.to_owned();
    if path.contains("$(") || path.contains("${") || path.starts_with('$') {
        E::Unexpanded { text }
    } else if begins_elsewhere(path.split('/').next().unwrap_or(path)) {
        E::RelativeToDirectory { text }
    } else {
        E::Relative {
            text,
            meant: meant(path),
        }
    }
}

fn begins_elsewhere(first: &str) -> bool {
    first == "." || first == ".." || first.starts_with('~') || first.starts_with('$')
}

/// The endpoint that was probably meant by a path with a slip at its beginning.
fn meant(path: &str) -> String {
    let path = path.trim_start_matches('/');
    let path = path
        .strip_prefix("unix:")
        .or_else(|| path.strip_prefix("unix/"))
        .unwrap_or(path);
    format!("unix:///{}", path.trim_start_matches('/'))
}

#[cfg(test)]
mod tests;
