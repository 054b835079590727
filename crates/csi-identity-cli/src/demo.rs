use std::io::{IsTerminal as _, Write};
use std::path::PathBuf;

use csi_identity::endpoint::{BindOptions, Listener, ServeOptions, serve};
use csi_identity::{NodeInfo, OfferedService, Plugin, Readiness};
use csi_kubelet::{NodeObjects, Participant};
use tokio::sync::{mpsc, oneshot};

use crate::output::Format;
use crate::signals::StopSignals;
use crate::verdict::Verdict;

mod acts;
mod agent;
mod backend;
mod caller;
mod node;
mod recorder;
mod report;
mod stage;

use acts::Acts;
use backend::Backend;
use report::Report;
use stage::{DRIVER, Stage};

/// See it all run, without a cluster, configuration or root.
///
/// In a temporary folder: a plugin whose readiness follows a TCP listener, the agent, and a simulated kubelet. The plugin is
/// registered, its readiness dips, the agent is restarted, its socket deleted, the plugin refused and registered all the same;
/// and its Identity is called as three kinds of real client do. Leaves nothing behind but a picture of it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  csi-identity demo
  csi-identity demo --keep /tmp/node
  csi-identity demo -o json

Exit codes:
  0    all went as it should
  1    something was not as expected
  2    could not run
  130  stopped by a signal")]
pub(crate) struct Demo {
    /// How to write the steps; json is one object a line.
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    /// Directory in which everything stays to be looked at: the picture in every form, the agent's log and state, the Node and
    /// the CSINode. It has to be empty, or is made.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

impl Demo {
    pub(crate) async fn run(self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Self { output, keep } = self;
        let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let mut report = Report::new(out, output, colour);
        // Before there is anything that a signal could leave behind.
        let mut signals = StopSignals::listen()?;
        let stage = match keep {
            Some(folder) => Stage::kept(&folder)?,
            None => Stage::temporary()?,
        };
        let (good, node) = tokio::select! {
            played = play(&stage, &mut report) => played?,
            () = signals.next() => return Ok(Verdict::Aborted),
        };
        let gone = !stage.plugin().path().exists();
        report.event(format_args!("the plugin's socket is gone: {gone}"))?;
        let good = good && gone;
        let picture = stage.leave(report.traces(), &node)?;
        stage.close()?;
        report.summary(good, &picture)?;
        Ok(if good { Verdict::Pass } else { Verdict::Fail })
    }
}

/// The plugin and all that happens to it, from start to stop.
async fn play<W: Write>(
    stage: &Stage,
    report: &mut Report<'_, W>,
) -> anyhow::Result<(bool, NodeObjects)> {
    let plugin = Plugin::builder(DRIVER.parse()?, env!("CARGO_PKG_VERSION").parse()?)
        .node_info(NodeInfo::new("node-1".parse()?))
        .served_elsewhere([OfferedService::ControllerService])
        .build()?;
    let readiness = plugin.readiness();
    let mut backend = Backend::reserve().await?;
    report.chapter("Registration")?;
    report.note(
        Participant::Plugin,
        format_args!(
            "a plugin starts on {}; its backend {} is still down",
            stage.plugin(),
            backend.address()
        ),
    )?;
    let listener = Listener::bind(stage.plugin(), &BindOptions::default())?;
    let (tell, told) = mpsc::unbounded_channel();
    let routes = recorder::record(plugin.into_routes(), tell.clone());
    let (stop, stopping) = oneshot::channel::<()>();
    let follow = backend::follow(backend.address(), &readiness);
    let acts = async {
        let acts = Acts {
            stage,
            backend: &mut backend,
            report: &mut *report,
            tell,
            told,
        };
        let played = acts.play().await;
        report.note(
            Participant::Plugin,
            format_args!("the plugin is asked to stop"),
        )?;
        readiness.set(Readiness::not_ready("the plugin is stopping"));
        drop(stop);
        played
    };
    let serving = serve(listener, routes, ServeOptions::default(), stopping);
    let (stopped, played) = tokio::select! {
        never = follow => match never {},
        done = async { tokio::join!(serving, acts) } => done,
    };
    let (good, node) = played?;
    Ok((good && stopped?.drained, node))
}
