//! The process: how it starts, what its socket is like, how it ends, what a restart changes.

use std::process;
use std::time::Duration;

use crate::fault::{Fault, Needs};
use crate::process::{End, Socket, Start};
use crate::rpc::{INFO, NODE_INFO};

const ENDPOINT: &str =
    "CSI, Configuration: the plugin creates, binds and listens on the socket of CSI_ENDPOINT";
const BESIDE: &str = "CSI, Configuration: no other files beside the socket";
const LEFT: &str = "Kubernetes: a socket that stays is taken for a plugin that lives";
const STOPS: &str = "Kubernetes: what does not stop at SIGTERM is killed after 30 s";
const SAME: &str = "CSI: an instance is the same after a restart, and CSINode's entry is immutable";

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "socket-mode-open",
        "gives its socket the mode 0777, so that everybody may mount volumes",
        "CSI, Security: access to the socket is to be restricted",
        |plugin| {
            plugin.process.socket = Socket::Mode(0o777);
        },
    ),
    Fault::new(
        "socket-not-sock",
        "names its socket csi.socket, whatever path it is given",
        "CSI, Configuration: the path of a UNIX endpoint ends in .sock",
        |plugin| {
            plugin.process.socket = Socket::Named("csi.socket");
        },
    )
    .needing(Needs::Socket("csi.socket")),
    Fault::new(
        "socket-beside-file",
        "leaves a file beside its socket",
        BESIDE,
        |plugin| {
            plugin.process.socket = Socket::WithFile("csi.pid");
        },
    ),
    Fault::new(
        "socket-beside-socket",
        "has another socket beside its socket",
        BESIDE,
        |plugin| {
            plugin.process.socket = Socket::WithSecond("debug.sock");
        },
    ),
    Fault::new(
        "socket-behind-link",
        "binds elsewhere and leaves a symbolic link at the path it is given",
        ENDPOINT,
        |plugin| {
            plugin.process.socket = Socket::BehindLink("csi-real.sock");
        },
    ),
    Fault::new(
        "socket-stale-refused",
        "does not start where an old socket lies at the path it is given",
        "no clause: after a crash the plugin needs somebody to remove its socket",
        |plugin| {
            plugin.process.socket = Socket::RefusesStale;
        },
    )
    .needing(Needs::Command),
    Fault::new(
        "socket-left-behind",
        "leaves its socket behind when it ends",
        LEFT,
        |plugin| {
            plugin.process.end = End::LeavesSocket;
        },
    )
    .needing(Needs::Command),
    Fault::new("sigterm-ignored", "ignores SIGTERM", STOPS, |plugin| {
        plugin.process.end = End::IgnoresSignals;
    })
    .needing(Needs::Command),
    Fault::new(
        "sigterm-fails",
        "takes SIGTERM for an error: it ends with the code 1",
        "no clause: a stop in good order looks like a crash",
        |plugin| {
            plugin.process.end = End::Fails;
        },
    )
    .needing(Needs::Command),
    Fault::new(
        "start-slow",
        "needs 3 s until it listens",
        "no clause: registration and sidecars wait as long",
        |plugin| {
            plugin.process.start = Start::After(Duration::from_secs(3));
        },
    )
    .needing(Needs::Command),
    Fault::new(
        "start-exits-silently",
        "ends at once, with the code 0 and without a word",
        "CSI, Configuration: a plugin that cannot start says so",
        |plugin| {
            plugin.process.start = Start::ExitsSilently;
        },
    )
    .needing(Needs::Command),
    Fault::new(
        "start-fails-silently",
        "ends at once, with the code 1 and without a word",
        "CSI, Configuration: a plugin that cannot start says so",
        |plugin| {
            plugin.process.start = Start::FailsSilently;
        },
    )
    .needing(Needs::Command),
    Fault::new(
        "endpoint-ignored",
        "listens on another path than CSI_ENDPOINT says",
        ENDPOINT,
        |plugin| {
            plugin.process.socket = Socket::Named("default.sock");
        },
    )
    .needing(Needs::Command),
    Fault::new(
        "endpoint-scheme-refused",
        "takes CSI_ENDPOINT for a path, scheme and all, so it cannot bind it",
        ENDPOINT,
        |plugin| {
            plugin.process.start = Start::RefusesScheme;
        },
    )
    .needing(Needs::Command),
    Fault::new(
        "restart-changes-name",
        "has another name after each start",
        SAME,
        |plugin| {
            plugin.edit(INFO, |info| {
                info.name = format!("disk-{}.faultless.dev", process::id());
            });
        },
    )
    .needing(Needs::Command),
    Fault::new(
        "restart-changes-version",
        "has another version after each start",
        SAME,
        |plugin| {
            plugin.edit(INFO, |info| {
                info.vendor_version = format!("1.2.{}", process::id());
            });
        },
    )
    .needing(Needs::Command),
    Fault::new(
        "restart-changes-node-id",
        "has another node_id after each start",
        SAME,
        |plugin| {
            plugin.edit(NODE_INFO, |info| {
                info.node_id = format!("node-{}", process::id());
            });
        },
    )
    .needing(Needs::Command),
    Fault::new(
        "socket-hidden",
        "names its socket .csi.sock, whatever path it is given",
        "Kubernetes: names that begin with a dot are skipped",
        |plugin| {
            plugin.process.socket = Socket::Named(".csi.sock");
        },
    )
    .needing(Needs::Socket(".csi.sock")),
    Fault::new(
        "socket-directory-open",
        "gives the directory of its socket the mode 0777",
        "CSI, Security: everybody may put another socket in its place",
        |plugin| {
            plugin.process.socket = Socket::InDirectory(0o777);
        },
    ),
    Fault::new(
        "socket-stolen",
        "removes the socket of another plugin that lives, and takes its place",
        "no clause: the other one still runs, and nobody reaches it",
        |plugin| {
            plugin.process.socket = Socket::Steals;
        },
    )
    .needing(Needs::Command),
    Fault::new(
        "restart-refused",
        "leaves its socket behind, and does not start where one lies",
        "no clause: it starts once, and then somebody has to clean up",
        |plugin| {
            plugin.process.socket = Socket::RefusesStale;
            plugin.process.end = End::LeavesSocket;
        },
    )
    .needing(Needs::Command),
];
