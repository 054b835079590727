use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::num::NonZeroU32;
use std::time::Duration;

use anyhow::Context as _;
use csi_kubelet::{
    Clock, Event, Fault, KubeletOptions, KubeletVersion, NodeObjects, Participant, What,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, timeout_at};

use super::agent::Agent;
use super::backend::Backend;
use super::caller::{Answer, Call, Caller, Kind};
use super::node::RunningKubelet;
use super::recorder::Recorded;
use super::report::Report;
use super::stage::Stage;

/// How long the demo waits for anything to happen, before it says that it did not.
const PATIENCE: Duration = Duration::from_secs(5);

/// How much faster the kubelets' time runs, so that nobody waits for their looks, which are a second apart.
const HURRY: NonZeroU32 = NonZeroU32::new(5).unwrap();

/// Something that happened to the plugin or to its registration.
#[derive(Debug)]
pub(super) enum Seen {
    /// The agent asked the plugin.
    Call(Recorded),
    /// The kubelet saw or did something.
    Kubelet(Event),
}

/// The story: whoever takes part, and what is told of it.
pub(super) struct Acts<'a, 'r, W> {
    pub(super) stage: &'a Stage,
    pub(super) backend: &'a mut Backend,
    pub(super) report: &'a mut Report<'r, W>,
    pub(super) tell: UnboundedSender<Seen>,
    pub(super) told: UnboundedReceiver<Seen>,
}

impl<W: Write> Acts<'_, '_, W> {
    /// Plays all of it. Whether everything was as expected, and what became of the Node and the CSINode.
    pub(super) async fn play(mut self) -> anyhow::Result<(bool, NodeObjects)> {
        let sidecar = Caller::connect(self.stage.plugin(), Kind::Localhost).await?;
        let node = NodeObjects::new("node-1", BTreeMap::new());
        let kubelet = self.kubelet(KubeletVersion::LATEST, node, Vec::new())?;
        let (mut good, agent) = self.registration(&sidecar).await?;
        good &= self.callers().await?;
        good &= self.readiness_dip(&sidecar).await?;
        let (restarted, agent) = self.agent_restart(agent).await?;
        good &= restarted;
        good &= self.deleted_socket().await?;
        let node = kubelet.stop().await?;
        let (refused, kubelet) = self.refusal(node).await?;
        good &= refused;
        self.report.chapter("The end")?;
        self.report.note(
            Participant::Registrar,
            format_args!("the agent is asked to stop"),
        )?;
        agent.stop().await?;
        good &= self.comes_to(&What::Deregistered).await?;
        Ok((good, kubelet.stop().await?))
    }

    /// From a plugin that is starting to one that is registered.
    async fn registration(&mut self, sidecar: &Caller) -> anyhow::Result<(bool, Agent)> {
        let mut good = self
            .report
            .call(&sidecar.call(Call::Probe).await, |answer| {
                answer.is_ready(false)
            })?;
        self.report.note(
            Participant::Registrar,
            format_args!(
                "the agent starts; as long as the plugin is not ready it shows the kubelet nothing"
            ),
        )?;
        let agent = Agent::start(self.stage)?;
        let is_probe = |seen: &Seen| matches!(seen, Seen::Call(call) if call.method == "Probe");
        good &= self.until("the agent probes", is_probe).await?;
        self.backend.start().await?;
        self.report
            .note(Participant::Plugin, format_args!("the backend is up"))?;
        good &= self.comes_to(&What::Registered).await?;
        good &= self
            .answers(sidecar, |answer| answer.is_ready(true))
            .await?;
        Ok((good, agent))
    }

    /// The plugin as three kinds of real client call it.
    async fn callers(&mut self) -> anyhow::Result<bool> {
        let mut good = true;
        for kind in Kind::ALL {
            let caller = Caller::connect(self.stage.plugin(), kind).await?;
            self.report.caller(&caller)?;
            for call in [Call::PluginInfo, Call::PluginCapabilities, Call::Probe] {
                let answer = caller.call(call).await;
                good &= self.report.call(&answer, Answer::is_ok)?;
            }
        }
        Ok(good)
    }

    async fn readiness_dip(&mut self, sidecar: &Caller) -> anyhow::Result<bool> {
        self.report.chapter("A readiness dip")?;
        self.backend.stop();
        self.report.note(
            Participant::Plugin,
            format_args!(
                "the backend goes down; a kubelet does not probe, so the plugin stays registered"
            ),
        )?;
        let is_broken = |answer: &Answer| answer.code == "FAILED_PRECONDITION";
        let mut good = self.answers(sidecar, is_broken).await?;
        self.backend.start().await?;
        self.report
            .note(Participant::Plugin, format_args!("the backend is up again"))?;
        good &= self
            .answers(sidecar, |answer| answer.is_ready(true))
            .await?;
        Ok(good)
    }

    async fn agent_restart(&mut self, agent: Agent) -> anyhow::Result<(bool, Agent)> {
        self.report.chapter("An agent restart")?;
        self.report.note(
            Participant::Registrar,
            format_args!("the agent stops, and removes its socket"),
        )?;
        agent.stop().await?;
        let mut good = self.comes_to(&What::Deregistered).await?;
        self.report
            .note(Participant::Registrar, format_args!("the agent starts"))?;
        let agent = Agent::start(self.stage)?;
        good &= self.comes_to(&What::Registered).await?;
        Ok((good, agent))
    }

    async fn deleted_socket(&mut self) -> anyhow::Result<bool> {
        self.report.chapter("A deleted socket")?;
        let socket = self.stage.registration().path();
        self.report.note(
            Participant::Registrar,
            format_args!(
                "somebody deletes {}; the agent shows another one",
                socket.display()
            ),
        )?;
        fs::remove_file(socket).context("cannot delete the registration socket")?;
        let gone = self.comes_to(&What::Deregistered).await?;
        Ok(self.comes_to(&What::Registered).await? && gone)
    }

    /// A kubelet that refuses the plugin once, and is too old to try again by itself.
    async fn refusal(&mut self, node: NodeObjects) -> anyhow::Result<(bool, RunningKubelet)> {
        self.report.chapter("A refusal and recovery")?;
        let version = "1.35".parse()?;
        let kubelet = self.kubelet(version, node, vec![Fault::RefuseFirst(1)])?;
        let is_refusal = |seen: &Seen| matches!(seen, Seen::Kubelet(event) if matches!(event.what, What::Refused { .. }));
        let refused = self.until("the kubelet refuses", is_refusal).await?;
        self.report.event(format_args!(
            "this kubelet does not try that socket again; the agent shows another one"
        ))?;
        let registered = self.comes_to(&What::Registered).await?;
        Ok((refused && registered, kubelet))
    }

    fn kubelet(
        &mut self,
        version: KubeletVersion,
        node: NodeObjects,
        faults: Vec<Fault>,
    ) -> anyhow::Result<RunningKubelet> {
        let fault = match faults.first() {
            Some(fault) => format!(" with the fault {fault}"),
            None => String::new(),
        };
        self.report.event(format_args!(
            "a kubelet {version}{fault} starts; its clock runs {HURRY} times as fast"
        ))?;
        let options = KubeletOptions {
            node,
            version,
            faults,
            clock: Clock::hurried(HURRY),
            ..KubeletOptions::new(self.stage.folder())
        };
        Ok(RunningKubelet::start(options, self.tell.clone())?)
    }

    /// Waits until the kubelet comes to something.
    async fn comes_to(&mut self, what: &What) -> anyhow::Result<bool> {
        let name = what.name();
        let is_it = |seen: &Seen| matches!(seen, Seen::Kubelet(event) if event.what.name() == name);
        self.until(name, is_it).await
    }

    /// Reports what is told until something in particular is, or patience ends.
    async fn until(&mut self, what: &str, is_it: impl Fn(&Seen) -> bool) -> anyhow::Result<bool> {
        let deadline = Instant::now() + PATIENCE;
        while let Ok(Some(seen)) = timeout_at(deadline, self.told.recv()).await {
            match &seen {
                Seen::Call(call) => self.report.recorded(call)?,
                Seen::Kubelet(event) => self.report.kubelet(event)?,
            }
            if is_it(&seen) {
                return Ok(true);
            }
        }
        self.report.missing(what, PATIENCE)?;
        Ok(false)
    }

    /// Probes until the answer is the expected one, and reports that, or the last one when patience ends.
    async fn answers(
        &mut self,
        caller: &Caller,
        expected: impl Fn(&Answer) -> bool,
    ) -> anyhow::Result<bool> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let answer = caller.call(Call::Probe).await;
            if expected(&answer) || Instant::now() >= deadline {
                return Ok(self.report.call(&answer, expected)?);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
