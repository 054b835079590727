//! Probe: the three answers, its time, its effects.

use std::time::Duration;

use super::{
    ATTACHER, CSC, HEALTH_MONITOR, LIVENESSPROBE, NOMAD, REGISTRAR, SIDECARS, each, each_call,
    seconds,
};
use crate::wire::{Message, flaws};
use crate::{Evidence, Exchange, Method, Observation, Repeated, Rule, Socket, Status, Theme};

const THEME: Theme = Theme::Probe;
const SECOND: Duration = Duration::from_secs(1);

/// The Controller's VOLUME_CONDITION, without which external-health-monitor has nothing to do.
const VOLUME_CONDITION: i32 = 11;

/// How long a Probe has to take for others to wait for it in a way that tells it from a busy machine.
const MEASURABLE: Duration = Duration::from_millis(100);

pub(super) static RULES: &[Rule] = &[
    Rule {
        clause: "csi-lib-utils 0.24 (ProbeForever), livenessprobe 2.19, Nomad",
        why: "The sidecars exit on any code but DEADLINE_EXCEEDED, on which they ask again for ever, and livenessprobe has the plugin restarted.",
        go: "while starting: return &csi.ProbeResponse{Ready: wrapperspb.Bool(false)}, nil; if broken: status.Error(codes.FailedPrecondition, reason)",
        rust: "while starting: Readiness::starting(reason); if broken: Readiness::not_ready(reason)",
        check: |seen| probe_error(seen, |code| code != Status::FAILED_PRECONDITION),
        ..Rule::breaks(
            "CSI-ID-060",
            THEME,
            &[SIDECARS, LIVENESSPROBE, NOMAD],
            "Probe fails with no other code than FAILED_PRECONDITION",
        )
    },
    Rule {
        clause: "csi-lib-utils 0.24 (ProbeForever), livenessprobe 2.19; CSI spec.md, Probe",
        why: "That is how a plugin says that it is broken, so it is right if that is so. Sidecars exit on it, livenessprobe has the plugin restarted. If the plugin only needs time, it should say ready=false.",
        go: "if it only needs time: &csi.ProbeResponse{Ready: wrapperspb.Bool(false)}, nil",
        rust: "if it only needs time: Readiness::starting(reason)",
        check: |seen| probe_error(seen, |code| code == Status::FAILED_PRECONDITION),
        ..Rule::breaks(
            "CSI-ID-061",
            THEME,
            &[SIDECARS, LIVENESSPROBE, NOMAD],
            "the plugin is not broken while it is judged",
        )
    },
    Rule {
        clause: "csi-lib-utils 0.24 (ProbeForever), livenessprobe 2.19, Nomad; CSI spec.md, Probe",
        why: "Sidecars wait for ready=true, for ever; livenessprobe and Nomad take the plugin for sick. ready=false is for a plugin that starts.",
        go: "set Ready to true once the start is over; if something is broken, return codes.FailedPrecondition",
        rust: "Readiness::Ready once the start is over; Readiness::not_ready(reason) if something is broken",
        implied_by: &["CSI-ID-066", "CSI-ID-068"],
        check: |seen| {
            each(seen, |socket| {
                let first = socket.call(Method::PROBE)?.ready()?;
                let (waited, last) = match &socket.waited {
                    Some((waited, last)) => (*waited, last.ready().flatten()),
                    None => (Duration::ZERO, first),
                };
                (first == Some(false) && last == Some(false))
                    .then(|| format!("ready=false, and still so after {}", seconds(waited)))
            })
        },
        ..Rule::breaks(
            "CSI-ID-062",
            THEME,
            &[SIDECARS, LIVENESSPROBE, NOMAD],
            "the plugin becomes ready",
        )
    },
    Rule {
        clause: "CSI csi.proto, ProbeResponse.ready: unset means ready; gocsi's csc",
        why: "Callers take it for ready, but csc ends with a nil pointer error when it prints it.",
        go: "Ready: wrapperspb.Bool(true)",
        rust: "ready: Some(true)",
        implied_by: &["CSI-ID-068"],
        breaks: &[CSC],
        check: |seen| {
            each(seen, |socket| {
                let ready = socket.call(Method::PROBE)?.ready()?;
                ready.is_none().then(|| "ready is unset".to_owned())
            })
        },
        ..Rule::advice("CSI-ID-063", THEME, "Probe sets ready")
    },
    Rule {
        clause: "livenessprobe 2.17 and later: 3 s for connection and Probe",
        why: "livenessprobe answers 500, and the kubelet restarts the plugin though it works.",
        go: "Probe returns what a background check found last",
        rust: "Probe returns what a background check found last, as csi_identity::Plugin does",
        implied_by: &["CSI-ID-006"],
        check: |seen| slower(seen, Method::PROBE, Duration::from_secs(3), None),
        ..Rule::breaks(
            "CSI-ID-064",
            THEME,
            &[LIVENESSPROBE],
            "Probe takes less than 3 s",
        )
    },
    Rule {
        clause: "livenessprobe to 2.16: 1 s for connection and Probe",
        why: "livenessprobe before 2.17 has the plugin restarted for it; and each caller waits that long each time.",
        go: "Probe returns what a background check found last",
        rust: "Probe returns what a background check found last, as csi_identity::Plugin does",
        implied_by: &["CSI-ID-006"],
        check: |seen| slower(seen, Method::PROBE, SECOND, Some(Duration::from_secs(3))),
        ..Rule::advice("CSI-ID-065", THEME, "Probe takes less than 1 s")
    },
    Rule {
        clause: "livenessprobe 2.19, Nomad; Kubernetes, liveness probes",
        why: "Whoever asks in the wrong moment has the plugin restarted or takes it for sick.",
        go: "let a check fail several times in a row before Ready changes",
        rust: "csi_identity::CheckPolicy has thresholds for failures and successes",
        check: |seen| {
            each(seen, |socket| {
                let repeated = socket.repeated.get(&Method::PROBE)?;
                let changes = changes(repeated);
                (changes.len() > 1).then(|| {
                    format!(
                        "readiness changed {} times in {} calls in a row",
                        changes.len(),
                        repeated.times
                    )
                })
            })
        },
        ..Rule::breaks(
            "CSI-ID-066",
            THEME,
            &[LIVENESSPROBE, SIDECARS, NOMAD],
            "readiness does not change from call to call",
        )
    },
    Rule {
        clause: "CSI spec.md, Probe: it asks and does not change",
        why: "Several callers probe every few seconds; a plugin that wears out by it fails after a while on every node.",
        go: "look for what each Probe opens and does not close: connections, files, goroutines",
        rust: "look for what each Probe opens and does not close; let csi_identity check in the background",
        check: |seen| {
            each(seen, |socket| {
                let repeated = socket.repeated.get(&Method::PROBE)?;
                let [(call, became)] = changes(repeated)[..] else {
                    return None;
                };
                let bad = repeated.ends.iter().find(|one| one.calls.contains(&call))?;
                (!became).then(|| {
                    format!(
                        "Probe was good until call {call}, and bad from then on: {}",
                        bad.exchange.end.line()
                    )
                })
            })
        },
        ..Rule::breaks(
            "CSI-ID-067",
            THEME,
            &[LIVENESSPROBE, SIDECARS, NOMAD],
            "Probe can be called again and again",
        )
    },
    Rule {
        clause: "CSI csi.proto, ProbeResponse.ready: google.protobuf.BoolValue",
        why: "A bare bool is another wire type: Go drops it and reads \"ready\" whatever was sent, Rust and others fail to decode the reply.",
        go: "generate from the original csi.proto, where ready is a google.protobuf.BoolValue; Ready: wrapperspb.Bool(ready)",
        rust: "generate from the original csi.proto (crate csi-proto has it): ready is Option<bool> there and not bool",
        check: |seen| {
            each_call(seen, |call| {
                let bytes = (call.method == Method::PROBE).then(|| call.message())??;
                let all = flaws(bytes, Message::reply_of(Method::PROBE)?);
                let bad = all
                    .iter()
                    .find(|flaw| matches!(flaw, crate::wire::Flaw::WrongType { .. }))?;
                Some(Evidence::new("", bad.to_string()).with_bytes(Method::PROBE, bytes))
            })
        },
        ..Rule::must("CSI-ID-068", THEME, "ready is a BoolValue on the wire")
    },
    Rule {
        clause: "livenessprobe and each sidecar probe on their own, at the same time",
        why: "Each caller waits for all that came before it, so a Probe that is just fast enough is too slow for the third caller.",
        go: "no mutex around Probe while it asks the storage system",
        rust: "no lock across an .await in probe; csi_identity answers all callers from memory",
        check: |seen| {
            each(seen, |socket| {
                let alone = socket
                    .fastest(Method::PROBE)
                    .filter(|&time| time >= MEASURABLE)?;
                let slowest = socket.crowd.iter().map(|call| call.took).max()?;
                (slowest > alone * 4).then(|| {
                    format!(
                        "one Probe takes {}, the last of {} at once {}",
                        seconds(alone),
                        socket.crowd.len(),
                        seconds(slowest)
                    )
                })
            })
        },
        ..Rule::advice(
            "CSI-ID-069",
            THEME,
            "Probes at the same time do not wait for each other",
        )
    },
    Rule {
        clause: "node-driver-registrar and the sidecars call while livenessprobe probes",
        why: "Calls that need no storage system wait for one that does.",
        go: "no lock that Probe and other calls share",
        rust: "no lock that probe and other calls share; nothing that blocks the runtime's threads",
        check: |seen| {
            each(seen, |socket| {
                let (call, probe) = socket.beside_slow_probe.as_ref()?;
                let alone = socket.fastest(Method::GET_PLUGIN_INFO)?;
                let held_up = call.took * 2 > *probe && call.took > alone * 4;
                held_up.then(|| {
                    format!(
                        "GetPluginInfo takes {} alone, and {} beside a Probe of {}",
                        seconds(alone),
                        seconds(call.took),
                        seconds(*probe)
                    )
                })
            })
        },
        ..Rule::advice("CSI-ID-070", THEME, "a slow Probe holds up no other call")
    },
    Rule {
        clause: "node-driver-registrar 2.17, external-attacher, Nomad: 1 s",
        why: "They give up after 1 s: node-driver-registrar and external-attacher exit, and Nomad restarts the plugin.",
        go: "answer from memory",
        rust: "answer from memory",
        implied_by: &["CSI-ID-006", "CSI-ID-120"],
        check: |seen| slower(seen, Method::GET_PLUGIN_INFO, SECOND, None),
        ..Rule::breaks(
            "CSI-ID-071",
            THEME,
            &[REGISTRAR, ATTACHER, NOMAD],
            "GetPluginInfo takes less than 1 s",
        )
    },
    Rule {
        clause: "external-attacher (cmd/csi-attacher/main.go): 1 s for both",
        why: "external-attacher grants GetPluginCapabilities and ControllerGetCapabilities 1 s together, and exits.",
        go: "answer both from memory",
        rust: "answer both from memory",
        implied_by: &["CSI-ID-006", "CSI-ID-120"],
        check: |seen| {
            each(seen, |socket| {
                together(
                    socket,
                    &[
                        Method::GET_PLUGIN_CAPABILITIES,
                        Method::CONTROLLER_GET_CAPABILITIES,
                    ],
                )
            })
        },
        ..Rule::breaks(
            "CSI-ID-072",
            THEME,
            &[ATTACHER],
            "GetPluginCapabilities and ControllerGetCapabilities take less than 1 s together",
        )
    },
    Rule {
        clause: "external-health-monitor (cmd/csi-external-health-monitor-controller/main.go): 1 s for all five",
        why: "external-health-monitor grants its five calls 1 s together, and exits.",
        go: "answer all of them from memory",
        rust: "answer all of them from memory",
        implied_by: &["CSI-ID-006", "CSI-ID-071", "CSI-ID-072"],
        check: |seen| {
            each(seen, |socket| {
                let controller = Method::CONTROLLER_GET_CAPABILITIES;
                let monitored = socket.rpcs(controller)?.contains(&VOLUME_CONDITION);
                let all = [
                    Method::GET_PLUGIN_INFO,
                    Method::GET_PLUGIN_CAPABILITIES,
                    controller,
                    controller,
                    controller,
                ];
                together(socket, &all).filter(|_| monitored)
            })
        },
        ..Rule::breaks(
            "CSI-ID-073",
            THEME,
            &[HEALTH_MONITOR],
            "the calls of external-health-monitor take less than 1 s together",
        )
    },
    Rule {
        clause: "CSI spec.md, Identity Service RPC",
        why: "Every caller asks it when it starts, and waits.",
        go: "answer from memory",
        rust: "answer from memory",
        implied_by: &["CSI-ID-006", "CSI-ID-072", "CSI-ID-120"],
        check: |seen| slower(seen, Method::GET_PLUGIN_CAPABILITIES, SECOND, None),
        ..Rule::advice(
            "CSI-ID-074",
            THEME,
            "GetPluginCapabilities takes less than 1 s",
        )
    },
];

fn probe_error(seen: &Observation, is_it: fn(u32) -> bool) -> Vec<Evidence> {
    each(seen, |socket| {
        let call = socket.call(Method::PROBE)?;
        let status = call.error()?;
        (!call.is_unimplemented() && is_it(status.code))
            .then(|| format!("Probe: {}", status.line()))
    })
}

/// Takes longer than the one time, and no longer than the other.
fn slower(
    seen: &Observation,
    method: Method,
    than: Duration,
    no_slower: Option<Duration>,
) -> Vec<Evidence> {
    each(seen, |socket| {
        let took = socket.fastest(method)?;
        let fits = took > than && no_slower.is_none_or(|limit| took <= limit);
        fits.then(|| format!("{method} took {}", seconds(took)))
    })
}

fn together(socket: &Socket, methods: &[Method]) -> Option<String> {
    // Only where all of them are there.
    let times: Option<Vec<Duration>> = methods
        .iter()
        .map(|&method| socket.serves(method)?.then(|| socket.fastest(method))?)
        .collect();
    let took: Duration = times?.into_iter().sum();
    (took > SECOND).then(|| format!("together they took {}", seconds(took)))
}

/// The calls from which on Probe was good or bad, other than before.
fn changes(repeated: &Repeated) -> Vec<(u32, bool)> {
    let is_good = |exchange: &Exchange| !matches!(exchange.ready(), None | Some(Some(false)));
    let mut all: Vec<(u32, bool)> = repeated
        .ends
        .iter()
        .flat_map(|one| one.calls.iter().map(|&call| (call, is_good(&one.exchange))))
        .collect();
    all.sort_unstable();
    let pairs = all.iter().zip(all.iter().skip(1));
    let changed = pairs.filter(|((_, before), (_, after))| before != after);
    changed.map(|(_, &after)| after).collect()
}
