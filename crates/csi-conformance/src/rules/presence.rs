//! Whether the three RPCs of the Identity service are there.

use super::{GRPC, LIVENESSPROBE, NOMAD, REGISTRAR, SIDECARS, each};
use crate::{Connection, End, Evidence, Method, Observation, Rule, Theme};

const THEME: Theme = Theme::Presence;

pub(super) static RULES: &[Rule] = &[
    Rule {
        clause: "CSI spec.md, Identity Service RPC, GetPluginInfo",
        why: "Without a name nothing registers: node-driver-registrar exits, and so do livenessprobe and the sidecars.",
        go: "func (s *identity) GetPluginInfo(ctx context.Context, _ *csi.GetPluginInfoRequest) (*csi.GetPluginInfoResponse, error), and csi.RegisterIdentityServer(server, s)",
        rust: "serve csi_identity::Plugin, or implement get_plugin_info and add IdentityServer::new(..) to the router",
        implied_by: &["CSI-ID-114", "CSI-ID-007"],
        check: |seen| unimplemented(seen, Method::GET_PLUGIN_INFO),
        ..Rule::must("CSI-ID-001", THEME, "GetPluginInfo is implemented")
    },
    Rule {
        clause: "CSI spec.md, Identity Service RPC, GetPluginCapabilities",
        why: "Callers ask it before anything else; external-provisioner, external-attacher, external-resizer and Nomad stop without an answer. A plugin without any capability answers with an empty list.",
        go: "return &csi.GetPluginCapabilitiesResponse{}, nil",
        rust: "Ok(Response::new(GetPluginCapabilitiesResponse::default()))",
        implied_by: &["CSI-ID-114", "CSI-ID-007"],
        check: |seen| unimplemented(seen, Method::GET_PLUGIN_CAPABILITIES),
        ..Rule::must("CSI-ID-002", THEME, "GetPluginCapabilities is implemented")
    },
    Rule {
        clause: "CSI spec.md, Identity Service RPC, Probe",
        why: "Every sidecar calls Probe when it starts and exits on UNIMPLEMENTED; livenessprobe takes it for a sick plugin and has it restarted.",
        go: "return &csi.ProbeResponse{Ready: wrapperspb.Bool(true)}, nil",
        rust: "Ok(Response::new(ProbeResponse { ready: Some(true) }))",
        implied_by: &["CSI-ID-114", "CSI-ID-007"],
        check: |seen| unimplemented(seen, Method::PROBE),
        ..Rule::must("CSI-ID-003", THEME, "Probe is implemented")
    },
    Rule {
        clause: "node-driver-registrar 2.17 (main.go), livenessprobe 2.19, csi-lib-utils 0.24 (rpc/common.go)",
        why: "Whoever asks for the name gives up on the first error: node-driver-registrar and livenessprobe exit, and Nomad restarts the plugin.",
        go: "answer from memory; do not ask the storage system for the name",
        rust: "answer from memory; csi_identity::Identity holds what is said",
        check: |seen| other_error(seen, Method::GET_PLUGIN_INFO),
        ..Rule::breaks(
            "CSI-ID-004",
            THEME,
            &[REGISTRAR, LIVENESSPROBE, SIDECARS, NOMAD],
            "GetPluginInfo does not fail",
        )
    },
    Rule {
        clause: "csi-lib-utils 0.24 (rpc/common.go), Nomad client/pluginmanager/csimanager",
        why: "external-provisioner, external-attacher, external-resizer and external-health-monitor exit on any error; Nomad takes the plugin for unhealthy.",
        go: "answer from memory; the list depends on the version alone",
        rust: "answer from memory; csi_identity derives the list from what is served",
        check: |seen| other_error(seen, Method::GET_PLUGIN_CAPABILITIES),
        ..Rule::breaks(
            "CSI-ID-005",
            THEME,
            &[SIDECARS, NOMAD],
            "GetPluginCapabilities does not fail",
        )
    },
    Rule {
        clause: "CSI spec.md, Timeouts; gRPC over HTTP/2",
        why: "A caller that waits is a caller that does not work: registration, provisioning and health checks stand still until their time is up, and then fail.",
        go: "do not take a lock or ask the storage system in these three; honour ctx.Done()",
        rust: "do not hold a lock or ask the storage system in these three; csi_identity checks in the background",
        implied_by: &["CSI-ID-007"],
        check: |seen| {
            each(seen, |socket| {
                let silent = Method::IDENTITY.into_iter().filter_map(|method| {
                    let End::Silent { after } = socket.call(method)?.end else {
                        return None;
                    };
                    Some(format!("{method}: no answer within {after:?}"))
                });
                let all: Vec<_> = silent.collect();
                (!all.is_empty()).then(|| all.join("; "))
            })
        },
        ..Rule::must("CSI-ID-006", THEME, "each of the three is answered at all")
    },
    Rule {
        clause: "CSI spec.md, Configuration and Operation; gRPC over HTTP/2",
        why: "No client gets as far as to ask anything. Something else may hold the socket, or the server hangs before it reads.",
        go: "grpc.NewServer() and server.Serve(listener) on the listener of CSI_ENDPOINT; no TLS on it",
        rust: "csi_endpoint::serve(listener, ..), or tonic's Server::serve_with_incoming; no TLS on it",
        check: |seen| {
            each(seen, |socket| match &socket.connection {
                Connection::NotHttp2(what) => Some(what.clone()),
                Connection::Open => None,
            })
        },
        ..Rule::must("CSI-ID-007", THEME, "the socket speaks HTTP/2")
    },
    Rule {
        clause: "gRPC over HTTP/2, Responses; connections of csi-lib-utils 0.24",
        why: "An RST_STREAM or a lost connection is UNAVAILABLE or INTERNAL to every client, and the sidecars exit when they lose their connection.",
        go: "look for a panic in a handler, and for proxies in between that cut calls",
        rust: "look for a panic in a handler, and for limits of the server (timeouts, concurrency) that cut calls",
        implied_by: &["CSI-ID-007", "CSI-ID-067", "CSI-ID-120"],
        check: |seen| {
            each(seen, |socket| {
                let broken = Method::IDENTITY.into_iter().filter_map(|method| {
                    let call = socket.call(method)?;
                    matches!(call.end, End::Broken { .. })
                        .then(|| format!("{method}: {}", call.end.line()))
                });
                let all: Vec<_> = broken.collect();
                (!all.is_empty()).then(|| all.join("; "))
            })
        },
        ..Rule::breaks(
            "CSI-ID-008",
            THEME,
            &[GRPC, SIDECARS, NOMAD],
            "none of the three is cut off",
        )
    },
];

fn unimplemented(seen: &Observation, method: Method) -> Vec<Evidence> {
    each(seen, |socket| {
        let call = socket.call(method)?;
        call.is_unimplemented()
            .then(|| format!("{method}: {}", call.end.line()))
    })
}

fn other_error(seen: &Observation, method: Method) -> Vec<Evidence> {
    each(seen, |socket| {
        let call = socket.call(method)?;
        let status = call.error().filter(|_| !call.is_unimplemented())?;
        Some(format!("{method}: {}", status.line()))
    })
}
