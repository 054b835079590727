//! Which keys there are, and what each may hold: the one table that reading, "did you mean" and the JSON Schema share.

/// A mapping with known keys.
#[derive(Debug)]
pub(crate) struct Section {
    /// How messages call it.
    pub(crate) name: &'static str,
    pub(crate) keys: &'static [&'static Key],
    /// Of which of its keys exactly one has to be there; empty where there is no such rule.
    pub(crate) exactly_one_of: &'static [&'static Key],
    /// Which of its keys exclude each other.
    pub(crate) not_both: Option<(&'static Key, &'static Key)>,
}

/// A key of a section.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    /// What it is for, as the schema says it.
    pub(crate) about: &'static str,
    /// A value for it, in YAML.
    pub(crate) example: &'static str,
    pub(crate) required: bool,
    pub(crate) shape: Shape,
}

/// What a value looks like.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Text; its type may have rules that a schema does not tell.
    Text,
    /// Text of this form, which is a regular expression.
    TextLike(&'static str),
    /// One of these words.
    Word(&'static [&'static str]),
    Boolean,
    /// A whole number in this range.
    Whole(i64, i64),
    /// A list, and how many items it has at least.
    List(&'static Self, usize),
    /// Free keys with text.
    TextByKey {
        /// How many there are at least.
        at_least: usize,
    },
    Section(&'static Section),
    /// One or the other.
    Either(&'static [Self]),
}

impl Section {
    pub(crate) const fn new(name: &'static str, keys: &'static [&'static Key]) -> Self {
        Self {
            name,
            keys,
            exactly_one_of: &[],
            not_both: None,
        }
    }

    /// The section inside that has a key of this name.
    pub(crate) fn section_with(&self, name: &str) -> Option<&'static str> {
        self.keys.iter().find_map(|key| match key.shape {
            Shape::Section(inner) => inner
                .keys
                .iter()
                .any(|key| key.name == name)
                .then_some(inner.name),
            _ => None,
        })
    }
}

impl Key {
    pub(crate) const fn optional(
        name: &'static str,
        shape: Shape,
        example: &'static str,
        about: &'static str,
    ) -> Self {
        Self {
            name,
            about,
            example,
            required: false,
            shape,
        }
    }

    pub(crate) const fn required(
        name: &'static str,
        shape: Shape,
        example: &'static str,
        about: &'static str,
    ) -> Self {
        Self {
            name,
            about,
            example,
            required: true,
            shape,
        }
    }
}

/// `a`, `a and b`, `a, b and c`, with another last word than "and" where that is better.
pub(crate) fn listed(names: impl IntoIterator<Item = &'static str>, last: &str) -> String {
    let names: Vec<_> = names.into_iter().collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [begin @ .., end] => format!("{} {last} {end}", begin.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn lists_read_like_sentences() {
        for (names, text) in [
            (vec![], ""),
            (vec!["a"], "a"),
            (vec!["a", "b"], "a or b"),
            (vec!["a", "b", "c"], "a, b or c"),
        ] {
            assert_eq!(listed(names, "or"), text);
        }
    }
}
