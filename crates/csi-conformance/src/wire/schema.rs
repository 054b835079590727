//! The replies that are judged, as far as their fields go (csi.proto of CSI 1.12).

use crate::Method;

/// What a message may hold.
#[derive(Debug)]
pub struct Message {
    /// Its fields.
    pub fields: &'static [Known],
}

/// A field that a message has.
#[derive(Debug)]
pub struct Known {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Whether there may be many of them.
    pub repeated: bool,
}

/// The type of a field, as far as the wire knows it.
#[derive(Debug)]
pub enum Kind {
    /// `string`
    Text,
    /// `bool`, integers and enums
    Varint,
    /// Another message.
    Message(&'static Message),
}

impl Message {
    /// The reply of a method, for those whose replies are judged.
    #[must_use]
    pub fn reply_of(method: Method) -> Option<&'static Self> {
        Some(match method {
            Method::GET_PLUGIN_INFO => &PLUGIN_INFO,
            Method::GET_PLUGIN_CAPABILITIES => &PLUGIN_CAPABILITIES,
            Method::PROBE => &PROBE,
            Method::CONTROLLER_GET_CAPABILITIES
            | Method::NODE_GET_CAPABILITIES
            | Method::GROUP_CONTROLLER_GET_CAPABILITIES => &SERVICE_CAPABILITIES,
            Method::NODE_GET_INFO => &NODE_INFO,
            _ => return None,
        })
    }

    pub(super) fn field(&self, number: u32) -> Option<&'static Known> {
        self.fields.iter().find(|field| field.number == number)
    }
}

const fn one(number: u32, name: &'static str, kind: Kind) -> Known {
    Known {
        number,
        name,
        kind,
        repeated: false,
    }
}

const fn many(number: u32, name: &'static str, kind: Kind) -> Known {
    Known {
        number,
        name,
        kind,
        repeated: true,
    }
}

static PLUGIN_INFO: Message = Message {
    fields: &[
        one(1, "name", Kind::Text),
        one(2, "vendor_version", Kind::Text),
        many(3, "manifest", Kind::Message(&TEXT_ENTRY)),
    ],
};

static TEXT_ENTRY: Message = Message {
    fields: &[one(1, "key", Kind::Text), one(2, "value", Kind::Text)],
};

static PLUGIN_CAPABILITIES: Message = Message {
    fields: &[many(1, "capabilities", Kind::Message(&PLUGIN_CAPABILITY))],
};

static PLUGIN_CAPABILITY: Message = Message {
    fields: &[
        one(1, "service", Kind::Message(&TYPE)),
        one(2, "volume_expansion", Kind::Message(&TYPE)),
    ],
};

/// Service, VolumeExpansion and the RPCs of the other services all hold one enum.
static TYPE: Message = Message {
    fields: &[one(1, "type", Kind::Varint)],
};

static SERVICE_CAPABILITIES: Message = Message {
    fields: &[many(1, "capabilities", Kind::Message(&SERVICE_CAPABILITY))],
};

static SERVICE_CAPABILITY: Message = Message {
    fields: &[one(1, "rpc", Kind::Message(&TYPE))],
};

static PROBE: Message = Message {
    fields: &[one(1, "ready", Kind::Message(&BOOL_VALUE))],
};

static BOOL_VALUE: Message = Message {
    fields: &[one(1, "value", Kind::Varint)],
};

static NODE_INFO: Message = Message {
    fields: &[
        one(1, "node_id", Kind::Text),
        one(2, "max_volumes_per_node", Kind::Varint),
        one(3, "accessible_topology", Kind::Message(&TOPOLOGY)),
    ],
};

static TOPOLOGY: Message = Message {
    fields: &[many(1, "segments", Kind::Message(&TEXT_ENTRY))],
};
