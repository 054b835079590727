//! `plugin_info`: the answer to GetPluginInfo, named as on the wire.

use csi_identity::{Manifest, PluginInfo};

use crate::error::Flaws;
use crate::fields::Fields;
use crate::outline::{Key, Section, Shape};
use crate::value::Value;

pub(super) const PLUGIN_INFO: Key = Key::optional(
    "plugin_info",
    Shape::Section(&SECTION),
    r#"{name: disk.example.org, vendor_version: "1.2.3"}"#,
    "Who the plugin is: the answer to GetPluginInfo.",
);

const SECTION: Section = Section::new("plugin_info", &[&NAME, &VENDOR_VERSION, &MANIFEST]);

const NAME: Key = Key::required(
    "name",
    Shape::Text,
    "disk.example.org",
    "The name of the plugin, in reverse-domain form; at most 63 letters, digits, '-' and '.'.",
);

const VENDOR_VERSION: Key = Key::required(
    "vendor_version",
    Shape::Text,
    r#""1.2.3""#,
    "The version of the plugin by its vendor's count; 1 to 128 bytes, best a semantic version.",
);

const MANIFEST: Key = Key::optional(
    "manifest",
    Shape::TextByKey { at_least: 0 },
    r#"{url: "https://disk.example.org"}"#,
    "Facts about the plugin that callers show; keys and values have at most 4096 bytes together.",
);

pub(super) fn read(value: Value<'_>, flaws: &mut Flaws) -> Option<PluginInfo> {
    let fields = Fields::of(&SECTION, value, flaws)?;
    let name = fields.required(&NAME, flaws, Value::parse);
    let vendor_version = fields.required(&VENDOR_VERSION, flaws, Value::parse);
    let manifest = fields.optional(&MANIFEST, flaws, manifest);
    Some(PluginInfo {
        name: name?,
        vendor_version: vendor_version?,
        manifest: manifest.unwrap_or_default(),
    })
}

fn manifest(value: Value<'_>, flaws: &mut Flaws) -> Option<Manifest> {
    let texts = value.texts(flaws)?;
    let pairs = texts.into_iter().map(|(entry, text)| (&*entry.key, text));
    value.accept(Manifest::from_pairs(pairs), flaws)
}
