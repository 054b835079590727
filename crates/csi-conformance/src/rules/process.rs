//! Start and stop of a plugin that was started here.

use std::time::Duration;

use super::endpoint::some;
use super::{SIDECARS, seconds};
use crate::{Evidence, Exchange, Launch, Method, Observation, ProcessSeen, Rule, Stop, Theme};

const THEME: Theme = Theme::Process;
const CONFIGURATION: &str = "CSI spec.md, Configuration and Operation";

pub(super) static RULES: &[Rule] = &[
    Rule {
        clause: CONFIGURATION,
        why: "Whoever starts the plugin says in CSI_ENDPOINT where it has to listen, and calls it there.",
        go: "net.Listen(\"unix\", strings.TrimPrefix(os.Getenv(\"CSI_ENDPOINT\"), \"unix://\"))",
        rust: "std::env::var(\"CSI_ENDPOINT\")?.parse::<csi_endpoint::Endpoint>()?",
        check: |seen| {
            process(seen, |process| {
                (!process.first.is_good()).then(|| process.first.line())
            })
        },
        ..Rule::must("CSI-ID-170", THEME, "it starts and answers at CSI_ENDPOINT")
    },
    Rule {
        clause: "node-driver-registrar 2.17 and csi-lib-utils 0.24 wait 30 s for a connection",
        why: "Sidecars poll while they wait, and nodes have no driver until it is there.",
        go: "listen first, answer ready=false, and do what takes time afterwards",
        rust: "serve first with Readiness::starting, and do what takes time afterwards",
        check: |seen| {
            process(seen, |process| match process.first {
                Launch::Answers { after } if after > Duration::from_secs(2) => {
                    Some(format!("it answered after {}", seconds(after)))
                }
                _ => None,
            })
        },
        ..Rule::advice("CSI-ID-171", THEME, "it answers within 2 s of its start")
    },
    Rule {
        clause: "Kubernetes, Pod termination: SIGTERM, 30 s later SIGKILL",
        why: "Each update and each drained node waits for 30 s, and then calls are cut in the middle.",
        go: "signal.Notify(stop, syscall.SIGTERM), then server.GracefulStop()",
        rust: "csi_endpoint::serve(.., shutdown) with a future that ends at SIGTERM; process 1 gets no default handler",
        check: |seen| {
            process(seen, |process| match process.stop {
                Some(Stop::Ignored { after }) => {
                    Some(format!("it still ran {} after SIGTERM", seconds(after)))
                }
                _ => None,
            })
        },
        ..Rule::breaks("CSI-ID-172", THEME, &[super::KUBELET], "SIGTERM ends it")
    },
    Rule {
        clause: CONFIGURATION,
        why: "A socket without a server looks like a plugin: sidecars connect to it again and again, and a kubelet backs off.",
        go: "let the listener remove it (net.UnixListener does unless SetUnlinkOnClose(false)), after GracefulStop",
        rust: "csi_endpoint::SocketFile removes what is its own",
        implied_by: &["CSI-ID-172"],
        check: |seen| {
            process(seen, |process| {
                (!process.left_behind.is_empty()).then(|| {
                    format!(
                        "left in the directory after SIGTERM: {}",
                        some(&process.left_behind)
                    )
                })
            })
        },
        ..Rule::advice("CSI-ID-173", THEME, "it leaves nothing behind")
    },
    Rule {
        clause: CONFIGURATION,
        why: "A plugin makes nothing in that directory but its socket; others mount it and look for sockets in it.",
        go: "put lock, pid and log files elsewhere",
        rust: "put lock, pid and log files elsewhere",
        check: |seen| {
            process(seen, |process| {
                (!process.beside.is_empty())
                    .then(|| format!("made beside the socket: {}", some(&process.beside)))
            })
        },
        ..Rule::must("CSI-ID-174", THEME, "it makes no file beside its socket")
    },
    Rule {
        clause: "gRPC on Unix sockets: the file outlives a killed process",
        why: "After a crash, an OOM kill or a power cut the plugin does not come up again until somebody removes the file.",
        go: "os.Remove(path) before net.Listen, if nobody answers there",
        rust: "csi_endpoint::Listener::bind replaces a socket on which nobody listens",
        implied_by: &["CSI-ID-170"],
        check: |seen| {
            process(seen, |process| {
                let launch = process
                    .over_stale
                    .as_ref()
                    .filter(|launch| !launch.is_good())?;
                Some(format!(
                    "with the socket of a killed instance in its place: {}",
                    launch.line()
                ))
            })
        },
        ..Rule::breaks(
            "CSI-ID-175",
            THEME,
            &[super::KUBELET, SIDECARS],
            "it starts where a killed one left its socket",
        )
    },
    Rule {
        clause: "CSI spec.md, GetPluginInfo, GetPluginCapabilities and NodeGetInfo",
        why: "Name and node id are the keys of what the cluster keeps. When they change, volumes belong to a driver or node that is not there any more.",
        go: "no random or time-dependent part in Name, VendorVersion and NodeId",
        rust: "no random or time-dependent part in name, vendor_version and node_id",
        check: |seen| process(seen, |process| differs(seen, process)),
        ..Rule::must("CSI-ID-176", THEME, "it is the same after a restart")
    },
    Rule {
        clause: "Kubernetes: Pods overlap during updates and forced deletions",
        why: "A second instance that starts by mistake takes the socket from the first: that one goes on running and nobody reaches it, and when the second ends nobody answers.",
        go: "net.Dial the path first, and end with an error if somebody answers",
        rust: "csi_endpoint::Listener::bind refuses a live socket",
        check: |seen| {
            process(seen, |process| {
                (process.kept_socket == Some(false)).then(|| {
                    "a second instance took the socket of the first, which was still running"
                        .to_owned()
                })
            })
        },
        ..Rule::advice(
            "CSI-ID-177",
            THEME,
            "a second instance does not take a live socket",
        )
    },
    Rule {
        clause: "Kubernetes, Pod termination",
        why: "A Pod whose container ends with an error by SIGTERM is shown as failed, which hides real failures.",
        go: "return from main after GracefulStop",
        rust: "return from main after serve has ended",
        check: |seen| {
            process(seen, |process| match &process.stop {
                Some(Stop::Ended { how, .. }) if how != "with status 0" => {
                    Some(format!("after SIGTERM it ended {how}"))
                }
                _ => None,
            })
        },
        ..Rule::advice("CSI-ID-178", THEME, "it ends with status 0 after SIGTERM")
    },
    Rule {
        clause: "Kubernetes: DaemonSets and Deployments start the same container again and again",
        why: "It came up once and not again, so the first restart is its last.",
        go: "look for what the first run leaves behind: locks, files, ports",
        rust: "look for what the first run leaves behind: locks, files, ports",
        implied_by: &["CSI-ID-170", "CSI-ID-172"],
        check: |seen| {
            process(seen, |process| {
                let launch = process.again.as_ref().filter(|launch| !launch.is_good())?;
                Some(launch.line())
            })
        },
        ..Rule::breaks(
            "CSI-ID-179",
            THEME,
            &[super::KUBELET],
            "it starts a second time",
        )
    },
];

fn process(seen: &Observation, against: impl Fn(&ProcessSeen) -> Option<String>) -> Vec<Evidence> {
    let text = seen.process.as_ref().and_then(against);
    text.into_iter()
        .map(|text| Evidence::new("", text))
        .collect()
}

fn differs(seen: &Observation, process: &ProcessSeen) -> Option<String> {
    let first = |method| seen.plugin.call(method);
    let info = |call: &Exchange| call.plugin_info();
    if let (Some(one), Some(two)) = (
        first(Method::GET_PLUGIN_INFO).and_then(info),
        process.info_again.as_ref().and_then(info),
    ) && one != two
    {
        return Some(format!(
            "GetPluginInfo: {} {} before, {} {} after",
            one.name, one.vendor_version, two.name, two.vendor_version
        ));
    }
    let sorted = |call: &Exchange| {
        let mut all = call.capabilities()?;
        all.sort();
        Some(all)
    };
    if let (Some(one), Some(two)) = (
        first(Method::GET_PLUGIN_CAPABILITIES).and_then(sorted),
        process.capabilities_again.as_ref().and_then(sorted),
    ) && one != two
    {
        return Some(format!(
            "GetPluginCapabilities: {one:?} before, {two:?} after"
        ));
    }
    let id = |call: &Exchange| call.node_info().map(|info| info.node_id);
    match (
        first(Method::NODE_GET_INFO).and_then(id),
        process.node_info_again.as_ref().and_then(id),
    ) {
        (Some(one), Some(two)) if one != two => {
            Some(format!("node_id: {one:?} before, {two:?} after"))
        }
        _ => None,
    }
}
