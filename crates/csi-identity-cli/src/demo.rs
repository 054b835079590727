use std::io::{IsTerminal as _, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use csi_identity::endpoint::{BindOptions, Endpoint, EndpointError, ServeOptions};
use csi_identity::{NodeInfo, OfferedService, Plugin};
use tempfile::TempDir;
use tokio::sync::oneshot;

use crate::output::Format;
use crate::signals::StopSignals;
use crate::verdict::Verdict;

mod backend;
mod caller;
mod report;

use backend::Backend;
use caller::{Call, Caller, Kind};
use report::Report;

/// How long the demo waits for anything to happen, before it says that it did not.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where a socket's path is short enough, should the usual place for temporary files be too deep.
const SHORT: &str = "/tmp";

/// See it all run, without a cluster, configuration or root.
///
/// Starts a plugin in a temporary folder, with a readiness that follows a TCP listener, and calls its Identity as three kinds
/// of real client do. Leaves nothing behind.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  csi-identity demo
  csi-identity demo -o json

Exit codes:
  0    all went as it should
  1    an answer was not the expected one
  2    could not run
  130  stopped by a signal")]
pub(crate) struct Demo {
    /// How to write the steps; json is one object a line.
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
}

impl Demo {
    pub(crate) async fn run(self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Self { output } = self;
        let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let mut report = Report::new(out, output, colour);
        // Before there is anything that a signal could leave behind.
        let mut signals = StopSignals::listen()?;
        let (folder, endpoint) = stage()?;
        let all_good = tokio::select! {
            played = play(&endpoint, &mut report) => played?,
            () = signals.next() => return Ok(Verdict::Aborted),
        };
        let gone = !endpoint.path().exists();
        report.event(format_args!("the socket is gone: {gone}"))?;
        let all_good = all_good && gone;
        folder
            .close()
            .context("cannot remove the temporary folder")?;
        report.summary(all_good)?;
        Ok(if all_good {
            Verdict::Pass
        } else {
            Verdict::Fail
        })
    }
}

/// A folder of the demo's own, and the socket in it.
fn stage() -> anyhow::Result<(TempDir, Endpoint)> {
    let usual = std::env::temp_dir();
    let folder = folder_in(&usual)?;
    let reason = match endpoint_in(&folder) {
        Ok(endpoint) => return Ok((folder, endpoint)),
        Err(reason) => reason,
    };
    // Long paths are usual in build systems, and the demo depends on nothing in that place.
    tracing::warn!("the demo goes to {SHORT}: {reason}");
    let folder = folder_in(Path::new(SHORT))?;
    let endpoint = endpoint_in(&folder)?;
    Ok((folder, endpoint))
}

fn folder_in(place: &Path) -> anyhow::Result<TempDir> {
    let folder = tempfile::Builder::new()
        .prefix("csi-identity-demo-")
        .tempdir_in(place);
    folder.with_context(|| {
        let place = place.display();
        format!("cannot make a folder in {place}; set TMPDIR to a place where that is possible")
    })
}

fn endpoint_in(folder: &TempDir) -> Result<Endpoint, EndpointError> {
    Endpoint::from_path(folder.path().join("csi.sock"))
}

/// The plugin and its callers, from start to stop. Whether every answer was the expected one.
async fn play<W: Write>(endpoint: &Endpoint, report: &mut Report<'_, W>) -> anyhow::Result<bool> {
    let plugin = Plugin::builder("disk.acme.io".parse()?, env!("CARGO_PKG_VERSION").parse()?)
        .node_info(NodeInfo::new("node-1".parse()?))
        .served_elsewhere([OfferedService::ControllerService])
        .build()?;
    let readiness = plugin.readiness();
    let mut backend = Backend::reserve().await?;
    report.event(format_args!(
        "a plugin starts on {endpoint}; its backend {} is still down",
        backend.address()
    ))?;
    let bound = plugin.bind(endpoint, &BindOptions::default())?;
    let (stop, stopping) = oneshot::channel::<()>();

    let follow = backend::follow(backend.address(), &readiness);
    let acts = async {
        let good = acts(endpoint, &mut backend, report).await;
        drop(stop);
        good
    };
    let (stopped, good) = tokio::select! {
        never = follow => match never {},
        done = async { tokio::join!(bound.serve(ServeOptions::default(), stopping), acts) } => done,
    };
    Ok(good? && stopped?.drained)
}

async fn acts<W: Write>(
    endpoint: &Endpoint,
    backend: &mut Backend,
    report: &mut Report<'_, W>,
) -> anyhow::Result<bool> {
    let mut good = true;
    let sidecar = Caller::connect(endpoint, Kind::Localhost).await?;
    good &= report.call(&sidecar.call(Call::Probe).await, |answer| {
        answer.is_ready(false)
    })?;

    backend.start().await?;
    report.event(format_args!("the backend is up"))?;
    good &= until(&sidecar, report, |answer| answer.is_ready(true)).await?;

    for kind in Kind::ALL {
        let caller = Caller::connect(endpoint, kind).await?;
        report.caller(&caller)?;
        for call in [Call::PluginInfo, Call::PluginCapabilities, Call::Probe] {
            good &= report.call(&caller.call(call).await, caller::Answer::is_ok)?;
        }
    }

    backend.stop();
    report.event(format_args!("the backend goes down"))?;
    good &= until(&sidecar, report, |answer| {
        answer.code == "FAILED_PRECONDITION"
    })
    .await?;

    backend.start().await?;
    report.event(format_args!("the backend is up again"))?;
    good &= until(&sidecar, report, |answer| answer.is_ready(true)).await?;

    report.event(format_args!("the plugin is asked to stop"))?;
    Ok(good)
}

/// Probes until the answer is the expected one, and reports that, or the last one when patience ends.
async fn until<W: Write>(
    caller: &Caller,
    report: &mut Report<'_, W>,
    expected: impl Fn(&caller::Answer) -> bool,
) -> anyhow::Result<bool> {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let answer = caller.call(Call::Probe).await;
        if expected(&answer) || tokio::time::Instant::now() >= deadline {
            return Ok(report.call(&answer, expected)?);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
