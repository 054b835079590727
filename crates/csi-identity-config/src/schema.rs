//! The JSON Schema of a configuration, made of the table that the reader itself goes by.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use crate::outline::{Key, Section, Shape};
use crate::section::CONFIGURATION;

/// The JSON Schema (draft 2020-12) of a configuration, for editors and other tools.
///
/// It knows every key, the kind of each value and which keys exclude each other. What it refuses the reader refuses too;
/// the rules of single texts, such as the name of a plugin, are the reader's alone.
#[must_use]
pub fn schema() -> Value {
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of csi-identity serve",
    });
    if let (Some(head), Value::Object(body)) = (schema.as_object_mut(), section(&CONFIGURATION)) {
        head.extend(body);
    }
    schema
}

fn section(section: &Section) -> Value {
    let properties: Map<_, _> = section
        .keys
        .iter()
        .map(|key| (key.name.to_owned(), described(key)))
        .collect();
    let required: Vec<_> = section
        .keys
        .iter()
        .filter(|key| key.required)
        .map(|key| key.name)
        .collect();
    let mut schema = Map::new();
    let mut insert = |name: &str, value| schema.insert(name.to_owned(), value);
    insert("type", json!("object"));
    insert("properties", Value::Object(properties));
    insert("additionalProperties", json!(false));
    if !required.is_empty() {
        insert("required", json!(required));
    }
    if !section.exactly_one_of.is_empty() {
        let alternatives = section.exactly_one_of.iter();
        let alternatives: Vec<_> = alternatives
            .map(|key| json!({"required": [key.name]}))
            .collect();
        insert("oneOf", json!(alternatives));
    }
    if let Some((a, b)) = section.not_both {
        insert("not", json!({"required": [a.name, b.name]}));
    }
    Value::Object(schema)
}

fn described(key: &Key) -> Value {
    let mut schema = Map::new();
    schema.insert("description".to_owned(), json!(key.about));
    if let Value::Object(shape) = shape(&key.shape) {
        schema.extend(shape);
    }
    Value::Object(schema)
}

fn shape(of: &Shape) -> Value {
    match of {
        Shape::Text => json!({"type": "string"}),
        Shape::TextLike(pattern) => json!({"type": "string", "pattern": pattern}),
        Shape::Word(words) => json!({"enum": words}),
        Shape::Boolean => json!({"type": "boolean"}),
        Shape::Whole(least, most) => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        Shape::List(item, at_least) => {
            json!({"type": "array", "items": shape(item), "minItems": at_least})
        }
        Shape::TextByKey { at_least } => json!({
            "type": "object",
            "additionalProperties": {"type": "string"},
            "minProperties": at_least,
        }),
        Shape::Section(inner) => section(inner),
        Shape::Either(shapes) => {
            let shapes: Vec<_> = shapes.iter().map(shape).collect();
            json!({"anyOf": shapes})
        }
    }
}
