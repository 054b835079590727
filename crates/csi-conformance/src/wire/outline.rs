//! Bytes for people: in hex, and as fields.

use super::{Kind, Message, Value, fields};

/// How many bytes are shown in hex.
const SHOWN: usize = 64;

/// Bytes in hex, shortened.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let shown = bytes.get(..SHOWN).unwrap_or(bytes);
    let mut text: Vec<String> = shown.iter().map(|byte| format!("{byte:02x}")).collect();
    if shown.len() < bytes.len() {
        text.push(format!("... ({} bytes)", bytes.len()));
    }
    if text.is_empty() {
        return "(no bytes)".to_owned();
    }
    text.join(" ")
}

/// The fields of a reply in one line, as far as they can be read; names where they are known.
pub(crate) fn outline(bytes: &[u8], message: Option<&'static Message>) -> String {
    let Ok(all) = fields(bytes) else {
        return format!("not readable: {}", hex(bytes));
    };
    if all.is_empty() {
        return "empty".to_owned();
    }
    let one = |field: &super::Field<'_>| {
        let known = message.and_then(|message| message.field(field.number));
        let name = match known {
            Some(known) => format!("{}({})", known.name, field.number),
            None => format!("field {}", field.number),
        };
        let value = match (field.value, known.map(|known| &known.kind)) {
            (Value::Varint(number), _) => format!("varint {number}"),
            (Value::Fixed64(number), _) => format!("fixed64 {number}"),
            (Value::Fixed32(number), _) => format!("fixed32 {number}"),
            (Value::Bytes(bytes), Some(Kind::Message(inner))) => {
                format!("{{ {} }}", outline(bytes, Some(inner)))
            }
            (Value::Bytes(bytes), _) => shortened(bytes),
        };
        format!("{name}: {value}")
    };
    let mut parts: Vec<String> = all.iter().take(FIELDS).map(one).collect();
    if all.len() > FIELDS {
        parts.push(format!("... ({} fields)", all.len()));
    }
    parts.join(", ")
}

/// How many fields are shown.
const FIELDS: usize = 16;

fn shortened(bytes: &[u8]) -> String {
    let shown = bytes.get(..SHOWN).unwrap_or(bytes);
    let dots = if shown.len() < bytes.len() { "..." } else { "" };
    format!("\"{}{dots}\"", shown.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::{hex, outline};
    use crate::Method;
    use crate::wire::Message;

    #[test]
    fn bytes_are_shown_with_the_names_of_their_fields() {
        let probe = Message::reply_of(Method::PROBE);
        for (bytes, text) in [
            (
                &[0x0a, 0x02, 0x08, 0x01][..],
                "ready(1): { value(1): varint 1 }",
            ),
            (&[0x08, 0x01], "ready(1): varint 1"),
            (&[0x12, 0x01, 0xff], "field 2: \"\\xff\""),
            (&[], "empty"),
            (&[0x0a], "not readable: 0a"),
        ] {
            assert_eq!(outline(bytes, probe), text);
        }
        assert_eq!(hex(&[0x0a, 0xff]), "0a ff");
        assert!(hex(&[0; 65]).ends_with("00 ... (65 bytes)"));
    }
}
