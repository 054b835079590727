//! What of a reply is not as its message type says.

use super::{Kind, Malformed, Message, Value, fields};

/// Something in a reply that is not as csi.proto says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// The bytes are no protobuf message.
    #[error("{path} is no protobuf message: {error}")]
    Malformed {
        /// The field, or the reply itself.
        path: String,
        /// Why.
        error: Malformed,
    },
    /// A known field has another wire type than its own.
    #[error("{path} is {found}; it has to be {wanted}")]
    WrongType {
        /// The field.
        path: String,
        /// What it has to be.
        wanted: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A text has bytes that are not UTF-8.
    #[error("{path} is not UTF-8: \"{shown}\"")]
    NotUtf8 {
        /// The field.
        path: String,
        /// The bytes, escaped.
        shown: String,
    },
    /// A field that is not repeated is there more than once.
    #[error("{path} is there more than once; the last one counts")]
    Twice {
        /// The field.
        path: String,
    },
    /// A field that the message does not have.
    #[error("{path} has a field of number {number}, which CSI 1.12 does not have there")]
    Unknown {
        /// The message.
        path: String,
        /// The number.
        number: u32,
    },
}

/// All flaws of a reply, by its type.
///
/// ```
/// use csi_conformance::{Method, wire::{Message, flaws}};
///
/// // `bool ready` in place of `google.protobuf.BoolValue ready`.
/// let probe = Message::reply_of(Method::PROBE).unwrap();
/// let found: Vec<String> = flaws(&[0x08, 0x01], probe).iter().map(ToString::to_string).collect();
/// assert_eq!(found, ["ready is a varint (wire type 0); it has to be a message (wire type 2)"]);
/// ```
#[must_use]
pub fn flaws(bytes: &[u8], message: &'static Message) -> Vec<Flaw> {
    let mut found = Vec::new();
    walk(bytes, message, "", &mut found);
    found
}

fn walk(bytes: &[u8], message: &'static Message, path: &str, found: &mut Vec<Flaw>) {
    let here = || if path.is_empty() { "the reply" } else { path }.to_owned();
    let all = match fields(bytes) {
        Ok(all) => all,
        Err(error) => {
            let path = here();
            return found.push(Flaw::Malformed { path, error });
        }
    };
    let mut seen = std::collections::BTreeMap::<u32, usize>::new();
    for field in all {
        let Some(known) = message.field(field.number) else {
            found.push(Flaw::Unknown {
                path: here(),
                number: field.number,
            });
            continue;
        };
        let index = seen.entry(field.number).or_default();
        let dot = if path.is_empty() { "" } else { "." };
        let mut path = format!("{path}{dot}{}", known.name);
        if known.repeated {
            path.push_str(&format!("[{index}]"));
        }
        *index += 1;
        if !known.repeated && *index == 2 {
            found.push(Flaw::Twice { path: path.clone() });
        }
        match (&known.kind, field.value) {
            (Kind::Message(inner), Value::Bytes(bytes)) => walk(bytes, inner, &path, found),
            (Kind::Text, Value::Bytes(bytes)) => {
                if std::str::from_utf8(bytes).is_err() {
                    let shown = bytes.escape_ascii().to_string();
                    found.push(Flaw::NotUtf8 { path, shown });
                }
            }
            (Kind::Varint, Value::Varint(_)) => {}
            (wanted, value) => found.push(Flaw::WrongType {
                path,
                wanted: match wanted {
                    Kind::Text => "a text (wire type 2)",
                    Kind::Varint => "a varint (wire type 0)",
                    Kind::Message(_) => "a message (wire type 2)",
                },
                found: value.kind(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::flaws;
    use crate::Method;
    use crate::wire::Message;

    #[test]
    fn each_flaw_names_the_field() {
        for (method, bytes, messages) in [
            (Method::PROBE, &[][..], &[][..]),
            (Method::PROBE, &[0x0a, 0x02, 0x08, 0x01], &[]),
            (
                Method::PROBE,
                &[0x0a, 0x02, 0x0a, 0x00],
                &[
                    "ready.value is length-delimited (wire type 2); it has to be a varint (wire type 0)",
                ],
            ),
            (
                Method::GET_PLUGIN_INFO,
                &[0x0a, 0x02, 0xc3, 0x28, 0x48, 0x00],
                &[
                    "name is not UTF-8: \"\\xc3(\"",
                    "the reply has a field of number 9, which CSI 1.12 does not have there",
                ],
            ),
            (
                Method::GET_PLUGIN_CAPABILITIES,
                &[0x0a, 0x00, 0x0a, 0x03, 0x0a, 0x01, 0x08],
                &[
                    "capabilities[1].service is no protobuf message: it ends within the field that begins at byte 0",
                ],
            ),
            (
                Method::GET_PLUGIN_INFO,
                &[0x0a, 0x01, b'a', 0x0a, 0x01, b'b', 0x0a, 0x01, b'c'],
                &["name is there more than once; the last one counts"],
            ),
            (
                Method::NODE_GET_INFO,
                &[0x12, 0x00],
                &[
                    "max_volumes_per_node is length-delimited (wire type 2); it has to be a varint (wire type 0)",
                ],
            ),
        ] {
            let message = Message::reply_of(method).unwrap();
            let found: Vec<_> = flaws(bytes, message)
                .iter()
                .map(ToString::to_string)
                .collect();
            assert_eq!(found, messages, "{bytes:?}");
        }
    }
}
