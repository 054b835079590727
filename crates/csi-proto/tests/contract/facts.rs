//! Facts about a protocol, read from a table or from descriptors, and how two sets of them differ.

use std::collections::{BTreeMap, BTreeSet};

use prost_reflect::{
    DescriptorPool, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, MethodDescriptor,
    Value,
};

/// The columns after the name, as they are called in reports.
const COLUMNS: [&str; 4] = ["number", "label", "type", "mark"];

/// What is not there is a dash, in tables as in reports.
const NOTHING: &str = "-";

/// For each kind and full name, what the columns say.
#[derive(Debug, Default)]
pub(crate) struct Facts(BTreeMap<(String, String), [String; 4]>);

impl Facts {
    /// Reads a table with a heading, one fact a line, columns parted by tabs.
    pub(crate) fn from_table(table: &str) -> Self {
        let mut facts = Self::default();
        for line in table.lines().skip(1) {
            let columns: Vec<&str> = line.split('\t').collect();
            let [kind, name, rest @ ..] = columns.as_slice() else {
                panic!("too few columns: {line:?}")
            };
            let rest: [&str; 4] = rest
                .try_into()
                .unwrap_or_else(|_| panic!("not six columns: {line:?}"));
            facts.insert(kind, name, rest);
        }
        facts
    }

    /// Reads all files that are not Google's own.
    pub(crate) fn from_descriptors(encoded: &[u8]) -> Self {
        let pool = DescriptorPool::decode(encoded)
            .unwrap_or_else(|error| panic!("bad descriptors: {error}"));
        let mut facts = Self::default();
        for file in pool
            .files()
            .filter(|file| !file.name().starts_with("google/"))
        {
            let syntax = file.file_descriptor_proto().syntax().to_owned();
            facts.insert(
                "file",
                file.name(),
                [NOTHING, &syntax, file.package_name(), NOTHING],
            );
        }
        let ours = |file: prost_reflect::FileDescriptor| !file.name().starts_with("google/");
        for extension in pool
            .all_extensions()
            .filter(|extension| ours(extension.parent_file()))
        {
            let (number, kind) = (
                extension.number().to_string(),
                format!("{:?}", extension.kind()),
            );
            let extended = extension.containing_message();
            facts.insert(
                "extension",
                extension.full_name(),
                [&number, NOTHING, &kind, extended.full_name()],
            );
        }
        for message in pool
            .all_messages()
            .filter(|message| ours(message.parent_file()) && !message.is_map_entry())
        {
            facts.insert_message(&message);
        }
        for list in pool.all_enums().filter(|list| ours(list.parent_file())) {
            facts.insert_enum(&list);
        }
        for service in pool
            .services()
            .filter(|service| ours(service.parent_file()))
        {
            facts.insert("service", service.full_name(), [NOTHING; 4]);
            service
                .methods()
                .for_each(|method| facts.insert_rpc(&method));
        }
        facts
    }

    /// Names each fact that is not the same in both, and how it differs.
    pub(crate) fn differences(&self, table: &Self) -> Vec<String> {
        let keys: BTreeSet<_> = self.0.keys().chain(table.0.keys()).collect();
        let mut differences = Vec::new();
        for key @ (kind, name) in keys {
            match (self.0.get(key), table.0.get(key)) {
                (Some(found), Some(wanted)) => {
                    for (column, (found, wanted)) in COLUMNS.iter().zip(found.iter().zip(wanted)) {
                        if found != wanted {
                            differences.push(format!(
                                "{kind} {name}: {column} is {found}, the table says {wanted}"
                            ));
                        }
                    }
                }
                (Some(_), None) => differences.push(format!("{kind} {name} is not in the table")),
                (None, _) => differences.push(format!("{kind} {name} is only in the table")),
            }
        }
        differences
    }

    /// Full names of the messages that have a field marked as secret.
    pub(crate) fn secret_holders(&self) -> BTreeSet<&str> {
        let secret = self.0.iter().filter(|(_, [.., mark])| mark == "secret");
        secret
            .filter_map(|((_, name), _)| name.rsplit_once('.'))
            .map(|(message, _)| message)
            .collect()
    }

    /// Full names of all facts of a kind.
    pub(crate) fn names(&self, kind: &str) -> BTreeSet<&str> {
        self.0
            .keys()
            .filter(|key| key.0 == kind)
            .map(|key| key.1.as_str())
            .collect()
    }

    fn insert(&mut self, kind: &str, name: &str, rest: [&str; 4]) {
        let before = self
            .0
            .insert((kind.to_owned(), name.to_owned()), rest.map(str::to_owned));
        assert_eq!(before, None, "{kind} {name} is there twice");
    }

    fn insert_message(&mut self, message: &MessageDescriptor) {
        self.insert("message", message.full_name(), [NOTHING; 4]);
        for field in message.fields() {
            let mark = if is_secret(&field) { "secret" } else { NOTHING };
            let number = field.number().to_string();
            self.insert(
                "field",
                field.full_name(),
                [&number, &label(&field), &type_name(&field), mark],
            );
        }
    }

    fn insert_enum(&mut self, list: &EnumDescriptor) {
        self.insert("enum", list.full_name(), [NOTHING; 4]);
        for value in list.values() {
            // Protobuf puts a value beside its enum; the table puts it inside, so that the enum is seen.
            let name = format!("{}.{}", list.full_name(), value.name());
            self.insert(
                "value",
                &name,
                [&value.number().to_string(), NOTHING, NOTHING, NOTHING],
            );
        }
    }

    fn insert_rpc(&mut self, method: &MethodDescriptor) {
        let label = match (method.is_client_streaming(), method.is_server_streaming()) {
            (false, false) => NOTHING,
            (false, true) => "server stream",
            (true, false) => "client stream",
            (true, true) => "both stream",
        };
        let signature = format!(
            "{} -> {}",
            method.input().full_name(),
            method.output().full_name()
        );
        self.insert(
            "rpc",
            method.full_name(),
            [NOTHING, label, &signature, NOTHING],
        );
    }
}

fn is_secret(field: &FieldDescriptor) -> bool {
    let pool = field.parent_pool();
    let option = pool
        .all_extensions()
        .find(|extension| extension.full_name() == "csi.v1.csi_secret");
    option.is_some_and(|option| *field.options().get_extension(&option) == Value::Bool(true))
}

fn label(field: &FieldDescriptor) -> String {
    match field.containing_oneof() {
        Some(_) if field.field_descriptor_proto().proto3_optional() => "optional".to_owned(),
        Some(oneof) => format!("oneof {}", oneof.name()),
        None if field.is_list() => "repeated".to_owned(),
        None => NOTHING.to_owned(),
    }
}

fn type_name(field: &FieldDescriptor) -> String {
    match field.kind() {
        Kind::Message(entry) if field.is_map() => {
            let (key, value) = (entry.map_entry_key_field(), entry.map_entry_value_field());
            format!("map<{}, {}>", type_name(&key), type_name(&value))
        }
        Kind::Message(message) => message.full_name().to_owned(),
        Kind::Enum(list) => list.full_name().to_owned(),
        scalar => format!("{scalar:?}").to_lowercase(),
    }
}
