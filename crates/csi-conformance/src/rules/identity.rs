//! Name, version and manifest.

use csi_identity::{
    Manifest, NameConsumer, PluginName, PluginNameError, VendorVersion, VersionAdvice,
};

use super::{API_SERVER, KUBELET, NOMAD, REGISTRAR, SIDECARS, each_with};
use crate::wire::PluginInfo;
use crate::{Controller, Evidence, Exchange, Method, Observation, Rule, Socket, Theme};

const THEME: Theme = Theme::Identity;
const SIZES: &str = "CSI spec.md, Size Limits";

pub(super) static RULES: &[Rule] = &[
    Rule {
        clause: "CSI csi.proto, GetPluginInfoResponse.name",
        why: "node-driver-registrar and the sidecars exit with \"driver name is empty\"; Nomad refuses the plugin.",
        go: "&csi.GetPluginInfoResponse{Name: \"disk.example.org\", VendorVersion: version}, with a domain of yours",
        rust: "name: \"disk.example.org\".parse()? gives a csi_identity::PluginName, with a domain of yours",
        in_guides: true,
        implied_by: &["CSI-ID-111"],
        check: |seen| {
            name(seen, |text| {
                matches!(text.parse::<PluginName>(), Err(PluginNameError::Empty))
            })
        },
        ..Rule::must("CSI-ID-010", THEME, "the name is not empty")
    },
    Rule {
        clause: "CSI csi.proto, GetPluginInfoResponse.name",
        why: "The API server refuses a CSINode or PersistentVolume with a longer name, so the node never gets the driver.",
        go: "choose a shorter Name; it may have 63 bytes",
        rust: "choose a shorter name; csi_identity::PluginName::MAX_LEN is 63",
        in_guides: true,
        check: |seen| {
            name(seen, |text| {
                matches!(
                    text.parse::<PluginName>(),
                    Err(PluginNameError::TooLong { .. })
                )
            })
        },
        ..Rule::must("CSI-ID-011", THEME, "the name has at most 63 bytes")
    },
    Rule {
        clause: "CSI csi.proto, GetPluginInfoResponse.name",
        why: "The API server takes nothing else for a driver's name: the kubelet registers the plugin and then fails to write the CSINode.",
        go: "in GetPluginInfo, Name: \"my-disk.example.org\" in place of \"my_disk.example.org\"; then give the new name to the CSIDriver object, to StorageClasses (provisioner) and PersistentVolumes (csi.driver)",
        rust: "in get_plugin_info, name: \"my-disk.example.org\" in place of \"my_disk.example.org\" (csi_identity::PluginName checks it); then give the new name to the CSIDriver object, to StorageClasses (provisioner) and PersistentVolumes (csi.driver)",
        in_guides: true,
        implied_by: &["CSI-ID-112"],
        check: |seen| {
            name(seen, |text| {
                is_of_legal_length(text) && !NameConsumer::SpecificationText.accepts(text)
            })
        },
        ..Rule::must(
            "CSI-ID-012",
            THEME,
            "the name has only letters, digits, '-' and '.', with a letter or digit at both ends",
        )
    },
    Rule {
        clause: "Kubernetes ValidateCSIDriverName (pkg/apis/core/validation, 1.16 to 1.36)",
        why: "Between two dots there has to be a label that begins and ends with a letter or digit; the API server refuses the CSINode otherwise.",
        go: "remove empty labels and dashes beside dots from Name",
        rust: "remove empty labels and dashes beside dots; csi_identity::PluginName says where they are",
        in_guides: true,
        check: |seen| {
            name(seen, |text| {
                NameConsumer::SpecificationText.accepts(text)
                    && is_of_legal_length(text)
                    && !NameConsumer::CsiNode.accepts(text)
            })
        },
        ..Rule::breaks(
            "CSI-ID-013",
            THEME,
            &[API_SERVER, KUBELET],
            "each label of the name begins and ends with a letter or digit",
        )
    },
    Rule {
        clause: "Kubernetes, name of a CSIDriver object (DNS-1123 subdomain); Lease names of csi-lib-utils 0.24",
        why: "No CSIDriver object can have this name, so its settings (attachRequired, podInfoOnMount, ..) cannot be given, and leader election of the sidecars fails.",
        go: "Name: strings.ToLower(name), and the same in manifests",
        rust: "name.to_ascii_lowercase(), and the same in manifests",
        check: |seen| {
            name(seen, |text| {
                NameConsumer::CsiNode.accepts(text) && !NameConsumer::CsiDriverObject.accepts(text)
            })
        },
        ..Rule::breaks(
            "CSI-ID-014",
            THEME,
            &[API_SERVER, SIDECARS],
            "the name is in lower case",
        )
    },
    Rule {
        clause: "CSI csi.proto, GetPluginInfoResponse.name (domain name notation)",
        why: "A name without a domain is easily somebody else's too, and gocsi's validator refuses it.",
        go: "Name: \"disk.example.org\" in place of \"disk\", with a domain of yours",
        rust: "\"disk.example.org\" in place of \"disk\", with a domain of yours",
        in_guides: true,
        check: |seen| name(seen, |text| is_legal(text) && !text.contains('.')),
        ..Rule::advice("CSI-ID-015", THEME, "the name lies in a domain")
    },
    Rule {
        clause: "RFC 2606, RFC 6761",
        why: "The domain is reserved for examples and tests: whoever copies the same example gets the same name.",
        go: "Name under a domain of yours",
        rust: "a name under a domain of yours",
        in_guides: true,
        check: |seen| {
            name(seen, |text| {
                let advice = text.parse::<PluginName>().map(|name| name.advice());
                advice.is_ok_and(|all| {
                    all.iter()
                        .any(|one| matches!(one, csi_identity::NameAdvice::Placeholder { .. }))
                })
            })
        },
        ..Rule::advice("CSI-ID-016", THEME, "the name's domain is a real one")
    },
    Rule {
        clause: "csi-test 5.4, pkg/sanity/identity.go",
        why: "csi-sanity wants two letters or more, the first and the last of them no digit, and fails a plugin for less although the specification allows it.",
        go: "a Name that begins and ends with a letter, if csi-sanity is to pass",
        rust: "a name that begins and ends with a letter, if csi-sanity is to pass",
        check: |seen| {
            name(seen, |text| {
                is_legal(text) && !NameConsumer::CsiSanity.accepts(text)
            })
        },
        ..Rule::advice("CSI-ID-017", THEME, "csi-sanity takes the name")
    },
    Rule {
        clause: "RFC 1035, 2.3.1, to which csi.proto refers",
        why: "A label of a domain name begins with a letter there. Kubernetes takes digits too; whoever reads the RFC by the letter does not.",
        go: "begin each part of Name with a letter",
        rust: "begin each part of the name with a letter",
        check: |seen| {
            name(seen, |text| {
                is_legal(text) && !NameConsumer::Rfc1035.accepts(text)
            })
        },
        ..Rule::advice(
            "CSI-ID-018",
            THEME,
            "each label of the name begins with a letter",
        )
    },
    Rule {
        clause: "CSI csi.proto, GetPluginInfoResponse.vendor_version",
        why: "The version says which instances have to answer alike; without one nobody can tell what runs on a node.",
        go: "VendorVersion: version, set with -ldflags \"-X main.version=1.2.3\"",
        rust: "vendor_version: env!(\"CARGO_PKG_VERSION\").parse()?",
        in_guides: true,
        implied_by: &["CSI-ID-111"],
        check: |seen| version(seen, str::is_empty),
        ..Rule::must("CSI-ID-019", THEME, "vendor_version is not empty")
    },
    Rule {
        clause: SIZES,
        why: "A text may have 128 bytes where nothing else is said; callers may cut or refuse a longer one.",
        go: "keep VendorVersion short: 1.2.3, not the whole build log",
        rust: "csi_identity::VendorVersion::MAX_LEN is 128",
        check: |seen| version(seen, |text| text.len() > VendorVersion::MAX_LEN),
        ..Rule::must("CSI-ID-020", THEME, "vendor_version has at most 128 bytes")
    },
    Rule {
        clause: "SemVer 2.0.0; guides to porting ask for it, CSI takes any text",
        why: "Tools that compare versions cannot read it, and gocsi's validator refuses anything but x.y.z.",
        go: "VendorVersion: \"1.2.3\", without a leading v",
        rust: "\"1.2.3\", without a leading v; VendorVersion::is_semver tells",
        in_guides: true,
        check: |seen| {
            version(seen, |text| {
                let advice = text
                    .parse::<VendorVersion>()
                    .map(|version| version.advice());
                advice.is_ok_and(|all| {
                    all.iter()
                        .any(|one| matches!(one, VersionAdvice::NotSemVer { .. }))
                })
            })
        },
        ..Rule::advice("CSI-ID-021", THEME, "vendor_version is a semantic version")
    },
    Rule {
        clause: SIZES,
        why: "A map may have 4 KiB in all, keys and values together; callers may refuse more.",
        go: "put less into Manifest: a link in place of the text",
        rust: "csi_identity::Manifest::from_pairs refuses more than 4 KiB",
        check: |seen| {
            info(seen, |info| {
                let size = manifest_size(info);
                (size > Manifest::MAX_BYTES).then(|| {
                    format!(
                        "manifest has {size} bytes of keys and values, the limit is {}",
                        Manifest::MAX_BYTES
                    )
                })
            })
        },
        ..Rule::must("CSI-ID-022", THEME, "the manifest has at most 4 KiB")
    },
    Rule {
        clause: "CSI csi.proto, GetPluginInfoResponse.manifest",
        why: "An entry without a key cannot be asked for.",
        go: "name the entry in Manifest, or leave it out",
        rust: "csi_identity::Manifest::from_pairs refuses an empty key",
        check: |seen| {
            info(seen, |info| {
                info.manifest
                    .contains_key("")
                    .then(|| "manifest has an entry without a key".to_owned())
            })
        },
        ..Rule::advice("CSI-ID-023", THEME, "each entry of the manifest has a key")
    },
    Rule {
        clause: "unix(7): a socket's path has at most 107 bytes; the kubelet's roots of distributions",
        why: "A kubelet opens ROOT/plugins_registry/NAME-reg.sock. With this name that is too long under the root of some distributions (microk8s: /var/snap/microk8s/common/var/lib/kubelet), although it binds inside the container.",
        go: "a Name of at most 39 bytes fits under every root known here",
        rust: "a name of at most 39 bytes fits under every root known here",
        check: |seen| name(seen, |text| is_legal(text) && text.len() > SHORTEST_ROOM),
        ..Rule::advice(
            "CSI-ID-024",
            THEME,
            "the name is short enough for the sockets of every distribution",
        )
    },
    Rule {
        clause: "CSI spec.md, GetPluginInfo: the name is unique and stays the same",
        why: "The name is the key of everything in the cluster. node-driver-registrar asks once, the sidecars ask again: volumes then belong to a driver that the node does not have.",
        go: "take the name from a constant, not from the environment of each call",
        rust: "build the Identity once, when the plugin starts",
        check: |seen| changes(seen, "name", |info| info.name),
        ..Rule::must("CSI-ID-025", THEME, "the name is the same each time")
    },
    Rule {
        clause: "CSI spec.md, GetPluginInfo",
        why: "Nobody can tell any more what runs, and what is kept by version (capabilities above all) is kept wrongly.",
        go: "take version and manifest from constants of the build",
        rust: "build the Identity once, when the plugin starts",
        check: |seen| {
            changes(seen, "vendor_version or manifest", |info| {
                let manifest: Vec<_> = info
                    .manifest
                    .iter()
                    .map(|(key, value)| format!("{key}={value}"))
                    .collect();
                format!("{} [{}]", info.vendor_version, manifest.join(", "))
            })
        },
        ..Rule::advice(
            "CSI-ID-026",
            THEME,
            "version and manifest are the same each time",
        )
    },
    Rule {
        clause: "Kubernetes: external sidecars beside the controller, node-driver-registrar on nodes",
        why: "Sidecars put the controller's name on volumes, and kubelets look for a driver of that name among those that registered: \"driver name X not found in the list of registered CSI drivers\".",
        go: "one constant for the name, used by both programs",
        rust: "one constant for the name, used by both programs",
        check: |seen| {
            let Controller::Other(other) = &seen.controller else {
                return Vec::new();
            };
            match (seen.plugin.plugin_info(), other.plugin_info()) {
                (Some(one), Some(two)) if one.name != two.name => vec![Evidence::new(
                    "",
                    format!(
                        "the plugin socket says {:?}, the controller socket {:?}",
                        one.name, two.name
                    ),
                )],
                _ => Vec::new(),
            }
        },
        ..Rule::breaks(
            "CSI-ID-027",
            THEME,
            &[REGISTRAR, SIDECARS, NOMAD],
            "both sockets have the same name",
        )
    },
];

/// How long a name may be under the longest root known: 107 bytes less that root, `/plugins_registry/` and `-reg.sock`.
const SHORTEST_ROOM: usize = 39;

fn is_legal(text: &str) -> bool {
    text.parse::<PluginName>().is_ok()
}

fn is_of_legal_length(text: &str) -> bool {
    (1..=PluginName::MAX_LEN).contains(&text.len())
}

pub(super) fn manifest_size(info: &PluginInfo) -> usize {
    let all = info.manifest.iter();
    all.map(|(key, value)| key.len() + value.len()).sum()
}

fn info(seen: &Observation, against: impl Fn(&PluginInfo) -> Option<String>) -> Vec<Evidence> {
    each_with(seen, |name, socket| {
        let text = against(&socket.plugin_info()?)?;
        let evidence = Evidence::new(name, text);
        let message = socket.call(Method::GET_PLUGIN_INFO)?.message()?;
        Some(evidence.with_bytes(Method::GET_PLUGIN_INFO, message))
    })
}

fn name(seen: &Observation, is_against: impl Fn(&str) -> bool) -> Vec<Evidence> {
    info(seen, |info| {
        is_against(&info.name).then(|| match info.name.parse::<PluginName>() {
            Err(error) => format!("name is {:?}: {error}", info.name),
            Ok(_) => format!("name is {:?}", info.name),
        })
    })
}

fn version(seen: &Observation, is_against: impl Fn(&str) -> bool) -> Vec<Evidence> {
    info(seen, |info| {
        let version = &info.vendor_version;
        is_against(version).then(|| match version.parse::<VendorVersion>() {
            Err(error) => format!("vendor_version is {version:?}: {error}"),
            Ok(_) => format!("vendor_version is {version:?}"),
        })
    })
}

/// Whether something in the info is another in later calls.
fn changes(seen: &Observation, what: &str, of: fn(PluginInfo) -> String) -> Vec<Evidence> {
    each_with(seen, |name, socket: &Socket| {
        let repeated = socket.repeated.get(&Method::GET_PLUGIN_INFO)?;
        let info = |exchange: &Exchange| exchange.plugin_info().map(of);
        let all = repeated.ends.iter().map(|one| &one.exchange);
        let mut found: Vec<String> = socket
            .call(Method::GET_PLUGIN_INFO)
            .into_iter()
            .chain(all)
            .filter_map(info)
            .collect();
        found.sort();
        found.dedup();
        let times = repeated.times + 1;
        let [one, two, ..] = &found[..] else {
            return None;
        };
        Some(Evidence::new(
            name,
            format!(
                "{what} had {} values in {times} calls, among them {one:?} and {two:?}",
                found.len()
            ),
        ))
    })
}
