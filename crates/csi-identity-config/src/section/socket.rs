//! `socket`: who may connect.

use std::collections::BTreeMap;

use csi_endpoint::SocketMode;

use crate::configuration::SocketSettings;
use crate::error::{Flaws, Problem, quoted};
use crate::fields::Fields;
use crate::outline::{Key, Section, Shape};
use crate::tree::{Content, Meaning, Scalar};
use crate::value::Value;

pub(super) const SOCKET: Key = Key::optional(
    "socket",
    Shape::Section(&SECTION),
    r#"{mode: "0660", group: 1000}"#,
    "Who may connect to the socket.",
);

const SECTION: Section = Section::new("socket", &[&MODE, &GROUP, &ALLOW_UIDS]);

const MODE: Key = Key::optional(
    "mode",
    Shape::TextLike("^(0o)?0?[0-7]{3}$"),
    r#""0660""#,
    "The permissions of the socket in octal, in quotes; 0600 by default.",
);

const GROUP: Key = Key::optional(
    "group",
    Shape::Whole(0, LARGEST_ID),
    "1000",
    "The id of the group that the socket is given to; that of the process by default.",
);

const ALLOW_UIDS: Key = Key::optional(
    "allow_uids",
    Shape::List(&Shape::Whole(0, LARGEST_ID), 1),
    "[0, 1000]",
    "The ids of the users that may connect; by default all that the mode lets in.",
);

/// The number after it is -1 to the kernel, which stands for no id.
const LARGEST_ID: i64 = u32::MAX as i64 - 1;

pub(super) fn read(value: Value<'_>, flaws: &mut Flaws) -> Option<SocketSettings> {
    let fields = Fields::of(&SECTION, value, flaws)?;
    Some(SocketSettings {
        mode: fields.optional(&MODE, flaws, mode),
        group: fields.optional(&GROUP, flaws, group),
        allow_uids: fields.optional(&ALLOW_UIDS, flaws, allow_uids),
    })
}

fn mode(value: Value<'_>, flaws: &mut Flaws) -> Option<SocketMode> {
    match &value.node.content {
        Content::Scalar(Scalar {
            text,
            meaning: Meaning::Number,
        }) => {
            let quoted = quoted(text);
            let remedy = format!("a number may be read as octal or decimal, so quote it: {quoted}");
            value.is_wrong(remedy, flaws)
        }
        _ => value.parse(flaws),
    }
}

fn group(value: Value<'_>, flaws: &mut Flaws) -> Option<u32> {
    match &value.node.content {
        Content::Scalar(Scalar {
            text,
            meaning: Meaning::Text,
        }) if text.parse::<u32>().is_err() => {
            let advice = "write the number of the group, since names differ between containers";
            value.is_wrong(value.like_example(advice), flaws)
        }
        _ => value.whole(0, LARGEST_ID, flaws),
    }
}

fn allow_uids(value: Value<'_>, flaws: &mut Flaws) -> Option<Vec<u32>> {
    let mut first_at = BTreeMap::new();
    let mut uids = Vec::new();
    let mut items = value.items(flaws)?.peekable();
    if items.peek().is_none() {
        let nobody = "nobody could connect; name a uid, or leave the key out to let in all that the mode lets in";
        return value.accept(Err(nobody), flaws);
    }
    for item in items {
        let Some(uid) = item.whole::<u32>(0, LARGEST_ID, flaws) else {
            continue;
        };
        if let Some(&first) = first_at.get(&uid) {
            let problem = Problem::Duplicate {
                what: "uid",
                value: uid.to_string(),
                first,
            };
            flaws.add(item.node.at, problem);
        } else {
            first_at.insert(uid, item.node.at);
            uids.push(uid);
        }
    }
    Some(uids)
}
