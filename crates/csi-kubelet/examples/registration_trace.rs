//! Draws how a kubelet registers a plugin, as an example: `cargo run -p csi-kubelet --example registration_trace -- FILE.html...`
//! writes each file in the form that its ending asks for.

use std::error::Error;
use std::fs;
use std::time::{Duration, SystemTime};

use csi_kubelet::Participant::{ApiServer, Kubelet, Plugin, Registrar};
use csi_kubelet::{Participant, Step, Trace, TraceForm};

const DRIVER: &str = "disk.example.org";
const CSI_SOCKET: &str = "/var/lib/kubelet/plugins/disk.example.org/csi.sock";
const SOCKET: &str = "/var/lib/kubelet/plugins_registry/disk.example.org-reg.sock";

fn main() -> Result<(), Box<dyn Error>> {
    let trace = registration(SystemTime::now());
    for file in std::env::args().skip(1) {
        let form: TraceForm = file.parse()?;
        fs::write(&file, trace.render(form))?;
    }
    Ok(())
}

/// A registration that is refused at first and then succeeds.
fn registration(start: SystemTime) -> Trace {
    let mut flow = Flow {
        trace: Trace::new("How disk.example.org is registered with kubelet 1.36"),
        now: start,
    };
    flow.trace
        .chapter("The plugin has a node id that the API server does not take");
    flow.plugin_is_asked("");
    flow.kubelet_asks_registrar();
    flow.call(
        Kubelet,
        Plugin,
        "NodeGetInfo",
        1_900,
        &[],
        &[("node_id", ""), ("max_volumes_per_node", "16")],
    );
    let refusal = "RegisterPlugin error -- plugin registration failed with err: error updating Node object with CSI driver node info: \
                   error adding CSI driver node info: driverNodeID must not be empty";
    flow.failed_note(Kubelet, "refused", refusal);
    let told = [("plugin_registered", "false"), ("error", refusal)];
    flow.call(
        Kubelet,
        Registrar,
        "NotifyRegistrationStatus",
        350,
        &told,
        &[],
    );
    flow.note(Kubelet, "next try in 500 ms", None);
    flow.failed_note(Registrar, "refused", "a new socket is shown in 500 ms");

    flow.trace.chapter("The plugin is put right");
    flow.now += Duration::from_millis(500);
    flow.failed(
        Registrar,
        Plugin,
        "Probe",
        "FAILED_PRECONDITION",
        "NOT_READY: the array at 192.0.2.7 does not answer",
    );
    flow.now += Duration::from_millis(250);
    flow.plugin_is_asked("node-1");
    flow.kubelet_asks_registrar();
    let node = [
        ("node_id", "node-1"),
        ("max_volumes_per_node", "16"),
        ("accessible_topology", "topology.disk.example.org/zone=a"),
    ];
    flow.call(Kubelet, Plugin, "NodeGetInfo", 1_700, &[], &node);
    let node = [
        (
            "annotation",
            r#"csi.volume.kubernetes.io/nodeid={"disk.example.org":"node-1"}"#,
        ),
        ("label", "topology.disk.example.org/zone=a"),
    ];
    flow.call(Kubelet, ApiServer, "PATCH Node", 40, &node, &[]);
    let entry = [
        ("name", DRIVER),
        ("nodeID", "node-1"),
        ("topologyKeys", "topology.disk.example.org/zone"),
        ("allocatable.count", "16"),
    ];
    flow.call(Kubelet, ApiServer, "UPDATE CSINode", 30, &entry, &[]);
    flow.call(
        Kubelet,
        Registrar,
        "NotifyRegistrationStatus",
        280,
        &[("plugin_registered", "true")],
        &[],
    );
    flow.note(Kubelet, "registered", Some(true));
    flow.note(Registrar, "registered", Some(true));
    flow.trace
}

/// Steps one after another.
struct Flow {
    trace: Trace,
    now: SystemTime,
}

impl Flow {
    fn plugin_is_asked(&mut self, node_id: &str) {
        let info = [("name", DRIVER), ("vendor_version", "1.4.0")];
        self.call(Registrar, Plugin, "GetPluginInfo", 620, &[], &info);
        let capabilities = [(
            "capabilities",
            "CONTROLLER_SERVICE, VOLUME_ACCESSIBILITY_CONSTRAINTS",
        )];
        self.call(
            Registrar,
            Plugin,
            "GetPluginCapabilities",
            310,
            &[],
            &capabilities,
        );
        self.call(Registrar, Plugin, "Probe", 240, &[], &[("ready", "true")]);
        self.call(
            Registrar,
            Plugin,
            "NodeGetInfo",
            2_100,
            &[],
            &[("node_id", node_id)],
        );
        self.socket(Registrar, "shows its socket");
    }

    fn kubelet_asks_registrar(&mut self) {
        self.socket(Kubelet, "discovers the socket");
        self.call(Kubelet, Registrar, "dial", 180, &[], &[]);
        let info = [
            ("type", "CSIPlugin"),
            ("name", DRIVER),
            ("endpoint", CSI_SOCKET),
            ("supported_versions", "1.0.0"),
        ];
        self.call(Kubelet, Registrar, "GetInfo", 420, &[], &info);
        self.note(Kubelet, "validated", Some(true));
    }

    fn call(
        &mut self,
        from: Participant,
        to: Participant,
        what: &str,
        micros: u64,
        request: &[(&str, &str)],
        answer: &[(&str, &str)],
    ) {
        let took = Duration::from_micros(micros);
        self.trace.push(Step {
            code: Some("OK".to_owned()),
            took: Some(took),
            request: fields(request),
            answer: fields(answer),
            good: Some(true),
            ..Step::call(self.now, from, to, what)
        });
        self.now += took + Duration::from_micros(90);
    }

    fn failed(
        &mut self,
        from: Participant,
        to: Participant,
        what: &str,
        code: &str,
        message: &str,
    ) {
        self.trace.push(Step {
            code: Some(code.to_owned()),
            took: Some(Duration::from_micros(260)),
            message: message.to_owned(),
            good: Some(false),
            ..Step::call(self.now, from, to, what)
        });
        self.now += Duration::from_micros(300);
    }

    fn note(&mut self, whose: Participant, what: &str, good: Option<bool>) {
        self.trace.push(Step {
            good,
            ..Step::note(self.now, whose, what)
        });
        self.now += Duration::from_micros(50);
    }

    fn socket(&mut self, whose: Participant, what: &str) {
        self.trace.push(Step {
            answer: fields(&[("socket", SOCKET)]),
            ..Step::note(self.now, whose, what)
        });
        self.now += Duration::from_micros(50);
    }

    fn failed_note(&mut self, whose: Participant, what: &str, message: &str) {
        self.trace.push(Step {
            message: message.to_owned(),
            good: Some(false),
            ..Step::note(self.now, whose, what)
        });
        self.now += Duration::from_micros(50);
    }
}

fn fields(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    let fields = fields.iter();
    fields
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}
