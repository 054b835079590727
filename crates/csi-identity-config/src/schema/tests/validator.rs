//! As much of JSON Schema (draft 2020-12) as the schema uses; any other keyword is a failure of the test.

use regex_lite::Regex;
use serde_json::{Map, Value};

/// Whether the schema lets the value through.
pub(super) fn is_valid(schema: &Value, value: &Value) -> bool {
    let keywords = schema.as_object().unwrap();
    keywords
        .iter()
        .all(|(keyword, rule)| follows(keyword, rule, keywords, value))
}

/// Whether the value follows one keyword; each is about one type and lets all others through.
fn follows(keyword: &str, rule: &Value, keywords: &Map<String, Value>, value: &Value) -> bool {
    let rules = || rule.as_array().unwrap().iter();
    match keyword {
        "$schema" | "title" | "description" => rule.is_string(),
        "type" => is_of_type(rule.as_str().unwrap(), value),
        "enum" => rules().any(|allowed| allowed == value),
        "anyOf" => rules().any(|schema| is_valid(schema, value)),
        "oneOf" => rules().filter(|schema| is_valid(schema, value)).count() == 1,
        "not" => !is_valid(rule, value),
        "pattern" => {
            let pattern = Regex::new(rule.as_str().unwrap()).unwrap();
            value.as_str().is_none_or(|text| pattern.is_match(text))
        }
        "minimum" => value
            .as_i64()
            .is_none_or(|number| number >= rule.as_i64().unwrap()),
        "maximum" => value
            .as_i64()
            .is_none_or(|number| number <= rule.as_i64().unwrap()),
        "items" => value
            .as_array()
            .is_none_or(|items| items.iter().all(|item| is_valid(rule, item))),
        "minItems" => value
            .as_array()
            .is_none_or(|items| items.len() >= count(rule)),
        "minProperties" => value
            .as_object()
            .is_none_or(|entries| entries.len() >= count(rule)),
        "required" => value
            .as_object()
            .is_none_or(|entries| rules().all(|name| entries.contains_key(name.as_str().unwrap()))),
        "properties" => value.as_object().is_none_or(|entries| {
            let known = rule.as_object().unwrap().iter();
            known
                .filter_map(|(name, schema)| Some((schema, entries.get(name)?)))
                .all(|(schema, value)| is_valid(schema, value))
        }),
        "additionalProperties" => value.as_object().is_none_or(|entries| {
            let known = keywords.get("properties").and_then(Value::as_object);
            entries
                .iter()
                .filter(|(name, _)| known.is_none_or(|known| !known.contains_key(*name)))
                .all(|(_, value)| match rule {
                    Value::Bool(allowed) => *allowed,
                    schema => is_valid(schema, value),
                })
        }),
        other => panic!("the keyword {other:?} is not known here"),
    }
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64(),
        other => panic!("the type {other:?} is not known here"),
    }
}

fn count(rule: &Value) -> usize {
    rule.as_u64().unwrap().try_into().unwrap()
}
