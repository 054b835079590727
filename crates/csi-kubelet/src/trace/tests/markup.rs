//! Enough of an XML reader to see whether a text is well-formed: it knows elements, attributes and references, and nothing else.

/// An element's name with its attributes as they are written, and the text directly inside.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) text: String,
}

impl Element {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn number(&self, name: &str) -> f64 {
        self.attribute(name).unwrap().parse().unwrap()
    }
}

/// All elements in the order in which they begin. Elements of these names have no end tag.
pub(super) fn elements(markup: &str, void: &[&str]) -> Result<Vec<Element>, String> {
    let mut elements: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut rest = markup;
    while !rest.is_empty() {
        let (text, tag) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
        let text = resolved(text)?;
        match open.last() {
            Some(&inner) => elements[inner].text.push_str(&text),
            None if text.trim().is_empty() => {}
            None => return Err(format!("text outside: {text:?}")),
        }
        let Some(tag) = tag.strip_prefix('<') else {
            break;
        };
        let (tag, behind) = tag.split_once('>').ok_or("a tag without end")?;
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            let inner = open
                .pop()
                .ok_or_else(|| format!("</{name}> ends nothing"))?;
            if elements[inner].name != name {
                return Err(format!("</{name}> ends {}", elements[inner].name));
            }
            continue;
        }
        let (tag, empty) = match tag.strip_suffix('/') {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let element = element(tag)?;
        if !empty && !void.contains(&element.name.as_str()) {
            open.push(elements.len());
        }
        elements.push(element);
    }
    match open.pop() {
        None => Ok(elements),
        Some(inner) => Err(format!("{} has no end", elements[inner].name)),
    }
}

fn element(tag: &str) -> Result<Element, String> {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    if !is_name(name) {
        return Err(format!("no name of an element: {name:?}"));
    }
    let mut attributes: Vec<(String, String)> = Vec::new();
    while !rest.trim_start().is_empty() {
        let (attribute, value) = rest
            .trim_start()
            .split_once("=\"")
            .ok_or_else(|| format!("no attribute: {rest:?}"))?;
        let (value, behind) = value
            .split_once('"')
            .ok_or_else(|| format!("a value without end: {value:?}"))?;
        if !is_name(attribute) || attributes.iter().any(|(other, _)| other == attribute) {
            return Err(format!("a wrong or second attribute {attribute:?}"));
        }
        attributes.push((attribute.to_owned(), resolved(value)?));
        rest = behind;
    }
    Ok(Element {
        name: name.to_owned(),
        attributes,
        text: String::new(),
    })
}

/// The text without references, if it has none but those every reader knows, and only characters that XML 1.0 allows.
fn resolved(text: &str) -> Result<String, String> {
    let forbidden = |c: char| (c < ' ' && !"\t\n\r".contains(c)) || "\u{fffe}\u{ffff}".contains(c);
    if let Some(c) = text.chars().find(|&c| forbidden(c)) {
        return Err(format!("no character of XML: {c:?}"));
    }
    let mut parts = text.split('&');
    let mut resolved = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (reference, behind) = part
            .split_once(';')
            .ok_or_else(|| format!("a bare ampersand: {part:?}"))?;
        resolved.push(match reference {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#39" => '\'',
            _ => return Err(format!("an unknown reference: {reference:?}")),
        });
        resolved.push_str(behind);
    }
    Ok(resolved)
}

#[test]
fn what_is_not_well_formed_is_found() {
    assert_eq!(
        elements("<a b=\"1&amp;\">x<c/>y</a>\n", &[]).unwrap()[0].text,
        "xy"
    );
    for (markup, message) in [
        ("<a>", "a has no end"),
        ("<a></b>", "</b> ends a"),
        ("<a>\u{1}</a>", "no character of XML: '\\u{1}'"),
        ("<a>&b</a>", "a bare ampersand: \"b\""),
        ("<a>&nbsp;</a>", "an unknown reference: \"nbsp\""),
        ("<a b=\"1\" b=\"2\"/>", "a wrong or second attribute \"b\""),
        ("<a b=1/>", "no attribute: \"b=1\""),
        ("<a/>x", "text outside: \"x\""),
    ] {
        assert_eq!(elements(markup, &[]).unwrap_err(), message, "{markup}");
    }
}
