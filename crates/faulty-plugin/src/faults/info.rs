//! GetPluginInfo: name, version, manifest.

use std::time::Duration;

use csi_proto::csi::v1::GetPluginInfoResponse;
use tonic::Code;

use crate::fault::Fault;
use crate::plugin::Plugin;
use crate::reply::Reply;
use crate::rpc::INFO;

const NAME: &str = "CSI, GetPluginInfoResponse.name";
const VERSION: &str = "CSI, GetPluginInfoResponse.vendor_version";
const SIZES: &str = "CSI, Size Limits";
const PRESENT: &str = "CSI, GetPluginInfo: the plugin must implement it";

pub(super) const FAULTS: &[Fault] = &[
    Fault::new("name-empty", "has an empty name", NAME, |plugin| {
        named(plugin, "");
    }),
    Fault::new(
        "name-too-long",
        "has a name of 64 bytes, one more than allowed",
        NAME,
        |plugin| {
            named(plugin, &format!("{}.faultless.dev", "d".repeat(50)));
        },
    ),
    Fault::new(
        "name-underscore",
        "has a name with an underscore",
        NAME,
        |plugin| {
            named(plugin, "disk_a.faultless.dev");
        },
    ),
    Fault::new("name-space", "has a name with a space", NAME, |plugin| {
        named(plugin, "disk a.faultless.dev");
    }),
    Fault::new("name-slash", "has a name with a slash", NAME, |plugin| {
        named(plugin, "disk/a.faultless.dev");
    }),
    Fault::new(
        "name-not-ascii",
        "has a name with a letter outside ASCII",
        NAME,
        |plugin| {
            named(plugin, "dísk.faultless.dev");
        },
    ),
    Fault::new(
        "name-not-utf8",
        "has a name that is no UTF-8",
        "protobuf: a string is UTF-8",
        |plugin| {
            plugin.shape(INFO.path(), |reply| {
                reply.set_message(b"\x0a\x12d\xffsk.faultless.dev\x12\x051.2.3".to_vec());
            });
        },
    ),
    Fault::new(
        "name-ends-with-dash",
        "has a name that ends with a dash",
        NAME,
        |plugin| {
            named(plugin, "disk.faultless.dev-");
        },
    ),
    Fault::new(
        "name-dash-before-dot",
        "has a name with a dash at the end of a label",
        "RFC 1035, section 2.3.1; Kubernetes refuses it for CSINode",
        |plugin| {
            named(plugin, "disk-.faultless.dev");
        },
    ),
    Fault::new(
        "name-empty-label",
        "has a name with two dots in a row",
        "RFC 1035, section 2.3.1; Kubernetes refuses it for CSINode",
        |plugin| {
            named(plugin, "disk..faultless.dev");
        },
    ),
    Fault::new(
        "name-leading-dot",
        "has a name that begins with a dot",
        NAME,
        |plugin| {
            named(plugin, ".disk.faultless.dev");
        },
    ),
    Fault::new(
        "name-upper-case",
        "has a name with upper-case letters, which the specification allows",
        "Kubernetes: a CSIDriver object is named in lower case",
        |plugin| {
            named(plugin, "Disk.Faultless.dev");
        },
    ),
    Fault::new(
        "name-digit-first",
        "has a name that begins with a digit, which the specification allows",
        "RFC 1035, section 2.3.1; csi-sanity wants a letter",
        |plugin| {
            named(plugin, "1disk.faultless.dev");
        },
    ),
    Fault::new(
        "name-digit-last",
        "has a name that ends with a digit, which the specification allows",
        "csi-sanity wants a letter",
        |plugin| {
            named(plugin, "disk.faultless.dev2");
        },
    ),
    Fault::new(
        "name-one-letter",
        "has a name of one letter, which the specification allows",
        "csi-sanity wants two characters or more",
        |plugin| {
            named(plugin, "d");
        },
    ),
    Fault::new(
        "name-without-dot",
        "has a name without a dot, which the specification allows",
        "gocsi's validator wants a dot; other plugins may choose it too",
        |plugin| {
            named(plugin, "disk");
        },
    ),
    Fault::new(
        "name-placeholder-domain",
        "has a name in a domain that is reserved for examples",
        "RFC 2606: nobody owns it, so it is not unique",
        |plugin| {
            named(plugin, "disk.example.com");
        },
    ),
    Fault::new(
        "name-changes-per-call",
        "has another name at every second call",
        "CSI, GetPluginInfoResponse.name: it is unique to the plugin, so it is one",
        |plugin| {
            plugin.alternate(INFO, |info| info.name = "tape.faultless.dev".to_owned());
        },
    ),
    Fault::new("version-empty", "has an empty version", VERSION, |plugin| {
        version(plugin, "");
    }),
    Fault::new(
        "version-too-long",
        "has a version of 129 bytes, one more than allowed",
        SIZES,
        |plugin| {
            version(plugin, &format!("1.2.3-{}", "r".repeat(123)));
        },
    ),
    Fault::new(
        "version-not-semver",
        "has a version that is no semantic version, which the specification allows",
        "gocsi's validator; who compares versions cannot",
        |plugin| {
            version(plugin, "build seven");
        },
    ),
    Fault::new(
        "version-changes-per-call",
        "has another version at every second call",
        "CSI, GetPluginInfoResponse.vendor_version: it is that of the plugin, so it is one",
        |plugin| {
            plugin.alternate(INFO, |info| info.vendor_version = "1.2.4".to_owned());
        },
    ),
    Fault::new(
        "manifest-too-big",
        "has a manifest of 5 KiB, 1 KiB more than allowed",
        SIZES,
        |plugin| {
            manifest(plugin, 5, 1024);
        },
    ),
    Fault::new(
        "manifest-over-message-limit",
        "has a manifest of 5 MiB",
        "gRPC: clients take 4 MiB if nothing else is said; CSI, Size Limits",
        |plugin| {
            manifest(plugin, 5, 1024 * 1024);
        },
    ),
    Fault::new(
        "info-unimplemented",
        "answers GetPluginInfo with UNIMPLEMENTED",
        PRESENT,
        |plugin| {
            plugin.set(
                INFO.path(),
                Reply::status(Code::Unimplemented, "unknown method GetPluginInfo"),
            );
        },
    ),
    Fault::new(
        "info-internal",
        "answers GetPluginInfo with INTERNAL",
        "the registrar exits: node-driver-registrar does not ask twice",
        |plugin| {
            plugin.set(
                INFO.path(),
                Reply::status(Code::Internal, "no configuration"),
            );
        },
    ),
    Fault::new(
        "info-unavailable",
        "answers GetPluginInfo with UNAVAILABLE",
        "the registrar exits: node-driver-registrar does not ask twice",
        |plugin| {
            plugin.set(
                INFO.path(),
                Reply::status(Code::Unavailable, "the array is away"),
            );
        },
    ),
    Fault::new(
        "info-slow",
        "takes 1.2 s for GetPluginInfo",
        "node-driver-registrar, external-attacher and Nomad wait for 1 s",
        |plugin| {
            plugin.shape(INFO.path(), |reply| {
                reply.delay = Duration::from_millis(1200);
            });
        },
    ),
    Fault::new(
        "info-hangs",
        "does not answer GetPluginInfo",
        PRESENT,
        |plugin| {
            plugin.shape(INFO.path(), |reply| reply.delay = super::FOR_EVER);
        },
    ),
    Fault::new(
        "status-message-empty",
        "answers GetPluginInfo with an error that has no message",
        "CSI, Error Scheme: a status has a message for people",
        |plugin| {
            plugin.set(INFO.path(), Reply::status(Code::Internal, ""));
        },
    ),
    Fault::new(
        "name-long",
        "has a name of 63 bytes, which the specification allows",
        "a registrar's socket of that name is too long where the kubelet has another root directory",
        |plugin| {
            named(plugin, &format!("{}.faultless.dev", "d".repeat(49)));
        },
    ),
    Fault::new(
        "manifest-key-empty",
        "has a manifest with an empty key",
        "no clause: what reads it cannot name the entry",
        |plugin| {
            plugin.edit(INFO, |info| {
                drop(info.manifest.insert(String::new(), "7".to_owned()));
            });
        },
    ),
    Fault::new(
        "manifest-changes-per-call",
        "has another manifest at every second call",
        "no clause: what compares answers takes it for another plugin",
        |plugin| {
            plugin.alternate(INFO, |info| {
                drop(info.manifest.insert("build".to_owned(), "78".to_owned()));
            });
        },
    ),
    Fault::new(
        "info-fails-sometimes",
        "answers every second GetPluginInfo with UNAVAILABLE",
        "the registrar exits: node-driver-registrar does not ask twice",
        |plugin| {
            plugin.alternate_reply(INFO.path(), |reply| {
                *reply = Reply::status(Code::Unavailable, "the array is busy");
            });
        },
    ),
];

fn named(plugin: &mut Plugin, name: &str) {
    plugin.edit(INFO, |info| info.name = name.to_owned());
}

fn version(plugin: &mut Plugin, version: &str) {
    plugin.edit(INFO, |info| info.vendor_version = version.to_owned());
}

fn manifest(plugin: &mut Plugin, entries: usize, size: usize) {
    plugin.edit(INFO, |info: &mut GetPluginInfoResponse| {
        let entry = |number| (format!("entry-{number}"), "m".repeat(size));
        info.manifest = (0..entries).map(entry).collect();
    });
}
