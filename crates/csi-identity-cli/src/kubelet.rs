use std::cell::RefCell;
use std::future::pending;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use csi_kubelet::{Clock, Event, Fault, KubeletOptions, KubeletVersion, NodeObjects, Trace};
use humantime::format_duration;
use rustix::system::uname;
use tokio::sync::{Notify, oneshot};
use tokio::time::sleep;

use crate::duration::parse_positive;
use crate::output::Format;
use crate::signals::StopSignals;
use crate::trace_file::TraceFile;
use crate::verdict::Verdict;

mod node_label;
mod objects_file;
mod report;
mod wanted;

use node_label::NodeLabel;
use objects_file::ObjectsFile;
use wanted::Wanted;

/// Be the kubelet of a node without a cluster: find plugins, register, refuse and forget them.
///
/// It does what the kubelet of the version given does, with its limits, its order and its words, and prints each step. Sockets are
/// looked for in plugins_registry in the root directory; what becomes of the Node and the CSINode is shown as YAML, under the API
/// server's rules. Only plugins of type CSIPlugin are registered.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  csi-identity kubelet --root-dir /tmp/node
  csi-identity kubelet --root-dir /tmp/node --emulate 1.28 --once --expect disk.acme.io
  csi-identity kubelet --root-dir /tmp/node --fault refuse-first=2 -o json

Faults:
  refuse=TEXT            every plugin is refused after NodeGetInfo
  refuse-first=N         the first N registrations of each driver are refused
  never-notify           the registrar is never told a verdict
  deaf-after-failure     after any failure a socket is left alone until it is replaced
  restart-every=DURATION the kubelet restarts again and again
  slow-getinfo=DURATION  so long a pause before GetInfo
  drop-connection        the registration connection is lost before the verdict

Exit codes:
  0  stopped; with --once: the driver is registered
  1  with --once: refused, or not registered within --timeout
  2  could not start, or not go on: usage, directory, file")]
pub(crate) struct Kubelet {
    /// Root directory of the kubelet, on a node /var/lib/kubelet; made if it is missing.
    #[arg(long, value_name = "DIR")]
    root_dir: PathBuf,
    /// Name of the Node; the host's by default.
    #[arg(long, value_name = "NAME")]
    node_name: Option<String>,
    /// Version of the kubelet, from 1.20 to 1.36.
    #[arg(long, default_value_t, value_name = "VERSION")]
    emulate: KubeletVersion,
    /// A label that the Node has already, as key=value; may be given again.
    #[arg(long, value_name = "KEY=VALUE")]
    node_label: Vec<NodeLabel>,
    /// Something that goes wrong; may be given again.
    #[arg(long, value_name = "FAULT")]
    fault: Vec<Fault>,
    /// File in which the Node and the CSINode are kept as YAML; without it they are shown at the end.
    #[arg(long, value_name = "FILE")]
    objects: Option<PathBuf>,
    /// File for a picture of all calls, written at the end; it ends in .md, .html, .json or .svg.
    #[arg(long, value_name = "FILE")]
    trace: Option<TraceFile>,
    /// Stop when a plugin is registered or refused; with --expect, when that driver is.
    #[arg(long)]
    once: bool,
    /// The driver to wait for; may be given again, for all of them.
    #[arg(long, requires = "once", value_name = "DRIVER")]
    expect: Vec<String>,
    /// How long to wait for it.
    #[arg(long, requires = "once", default_value = "30s", value_parser = parse_positive, value_name = "DURATION")]
    timeout: Duration,
    /// How to write the events; json is one object a line.
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
}

impl Kubelet {
    pub(crate) async fn run(self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Self {
            root_dir,
            node_name,
            emulate,
            node_label,
            fault,
            objects,
            trace,
            once,
            expect,
            timeout,
            output,
        } = self;
        let node_name = node_name.unwrap_or_else(host_name);
        let labels = node_label.into_iter().map(NodeLabel::into_pair);
        let options = KubeletOptions {
            root: std::path::absolute(&root_dir)?,
            node: NodeObjects::new(&node_name, labels.collect()),
            version: emulate,
            faults: fault,
            clock: Clock::real(),
        };
        let mut signals = StopSignals::listen()?;
        let file = objects.map(|path| RefCell::new(ObjectsFile::new(path, options.node.clone())));
        let kept = Notify::new();
        let kubelet = csi_kubelet::Kubelet::new(options)?;
        let mut wanted = once.then(|| Wanted::new(expect));
        let new_trace = || Trace::new(format!("Registration with a kubelet {emulate}"));
        let mut picture = trace.map(|file| (file, new_trace()));
        let (stop, stopping) = oneshot::channel();
        let mut stop = Some(stop);
        let on_event = |event: &Event, objects: &NodeObjects| {
            if let Some((_, picture)) = &mut picture
                && let Some(step) = event.to_step()
            {
                picture.push(step);
            }
            let done = report::event(out, output, event).map_err(anyhow::Error::from);
            let done = done.and_then(|()| match &file {
                Some(file) => file.borrow_mut().keep(event, objects),
                None => Ok(()),
            });
            kept.notify_one();
            let verdict = wanted.as_mut().and_then(|wanted| wanted.judge(event));
            if let Some(end) = done.map(|()| verdict).transpose()
                && let Some(stop) = stop.take()
            {
                // Whoever is stopped by something else does not listen any more.
                let _ = stop.send(end);
            }
        };
        let (mut end, mut late) = (None, false);
        let writing = async {
            let Some(file) = &file else {
                return pending().await;
            };
            loop {
                let due = file.borrow().due();
                tokio::select! {
                    () = kept.notified() => {}
                    () = objects_file::until(due) => {
                        if let Err(error) = file.borrow_mut().finish() {
                            return error;
                        }
                    }
                }
            }
        };
        let shutdown = async {
            tokio::select! {
                sent = stopping => end = sent.ok(),
                error = writing => end = Some(Err(error)),
                () = sleep(timeout), if once => late = true,
                () = signals.next() => {}
            }
        };
        let objects = kubelet.run(on_event, shutdown).await?;
        if late && let Some(wanted) = wanted {
            tracing::error!("{wanted}, within {}", format_duration(timeout));
        }
        match &file {
            Some(file) => file.borrow_mut().finish()?,
            None if matches!(output, Format::Text) => write!(out, "---\n{}", objects.to_yaml())?,
            None => {}
        }
        if let Some((file, picture)) = picture {
            file.write(&picture)?;
        }
        // What was to be waited for and was interrupted has not come.
        end.unwrap_or(Ok(if once { Verdict::Fail } else { Verdict::Pass }))
    }
}

fn host_name() -> String {
    uname().nodename().to_string_lossy().to_lowercase()
}
