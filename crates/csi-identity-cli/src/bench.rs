use std::io::Write;
use std::time::Duration;

use anyhow::bail;
use csi_identity::PluginClient;
use csi_identity::endpoint::{Channel, ConnectOptions, Endpoint};
use csi_identity_config::parse_duration;
use humantime::format_duration;

use crate::duration::parse_positive;
use crate::output::{Format, write_json};
use crate::signals::StopSignals;
use crate::verdict::Verdict;

mod load;
mod progress;
mod report;
mod rpc;
mod tally;

use load::{End, Load};
use progress::Progress;
use report::Report;
use rpc::Choice;

/// Measure how a plugin's Identity answers under load, in whatever language it is written.
///
/// As many calls as --concurrency says are in flight all the time: each answer is followed by the next call. Calls that begin in
/// the warm-up are not counted. Those that begin in the measured time are waited for and counted, so a run may take --timeout
/// longer.
///
/// This program and the plugin share the machine, and this one has a single thread: to know the limit of a plugin, see that a
/// processor is left for it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  csi-identity bench -e unix:///run/csi/csi.sock
  csi-identity bench -e /run/csi/csi.sock --rpc probe --concurrency 64 --connections 4 -o json

What is measured:
  A latency is the time from a call to its answer, be it OK or an error. A call without an answer within --timeout \
is in with the time it was waited for; one that lost its connection, or got none, is not.
  Answered calls a second are those that began in the measured time, divided by that time.
  Where a plugin allows fewer calls on a connection than there are, the rest waits, and that is latency too.
  A caller whose connection failed rests for 250 ms before its next call.

JSON:
  endpoint, rpc, concurrency, connections, timeout_seconds
  warm_up_calls       calls that were not counted
  measured_seconds    the time in which counted calls began
  cut_short           whether a signal ended it early
  total               of all calls: what follows
  rpcs                the same by RPC: GetPluginInfo, GetPluginCapabilities, Probe
    calls, failed_calls, answered_calls_per_second
    outcomes          calls by gRPC code (OK, UNIMPLEMENTED, ..), timed_out, connection_failed
    p50_seconds, p90_seconds, p99_seconds, p99_9_seconds, max_seconds, mean_seconds
                      to three digits; null where no call counts
  first_error         null, or rpc and message of the first failed call

A first SIGINT or SIGTERM ends the measuring early, and what was measured is shown.

Exit codes:
  0    measured, and every call was answered with OK; ready=false is such an answer
  1    measured, and some call failed
  2    could not connect, nothing was measured, or usage
  130  stopped by a second signal")]
pub(crate) struct Bench {
    /// Socket of the plugin: unix:///abs, unix:/abs or /abs.
    #[arg(short, long, env = "CSI_ENDPOINT", value_name = "ENDPOINT")]
    endpoint: Endpoint,
    /// What to call; all is the three in turn.
    #[arg(long, value_enum, default_value_t, value_name = "RPC")]
    rpc: Choice,
    /// Calls in flight, on all connections together; 1 to 1024.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024), value_name = "N")]
    concurrency: u16,
    /// Connections, among which the calls are divided; 1 to 64, and no more than calls.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64), value_name = "N")]
    connections: u16,
    /// How long to measure.
    #[arg(long, default_value = "5s", value_parser = parse_positive, value_name = "DURATION")]
    duration: Duration,
    /// How long to call before that; 0s for not at all.
    #[arg(long, default_value = "500ms", value_parser = parse_duration, value_name = "DURATION")]
    warmup: Duration,
    /// How long a connection or an answer may take, at most 1m.
    #[arg(long, default_value = "3s", value_parser = parse_timeout, value_name = "DURATION")]
    timeout: Duration,
    /// How to write the result.
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
}

impl Bench {
    pub(crate) async fn run(self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Self {
            endpoint,
            rpc,
            concurrency,
            connections,
            duration,
            warmup,
            timeout,
            output,
        } = self;
        if connections > concurrency {
            bail!(
                "--connections {connections} is more than --concurrency {concurrency}, so some would carry no call; give at \
                 most as many connections as calls"
            );
        }
        let mut signals = StopSignals::listen()?;
        let plugins = tokio::select! {
            plugins = connect(&endpoint, connections, timeout) => plugins?,
            () = signals.next() => bail!("stopped before anything was measured"),
        };
        let load = Load {
            plugins,
            concurrency: usize::from(concurrency),
            rpcs: rpc.rpcs(),
            warm_up: warmup,
            duration,
        };
        let measured = match load.run(&mut signals, Progress::for_people()).await? {
            End::Aborted => return Ok(Verdict::Aborted),
            End::Measured(measured) => measured,
        };
        if measured.calls() == 0 {
            if measured.cut_short {
                bail!("stopped before anything was measured");
            }
            bail!(
                "no call began in the {} after the warm-up, so nothing was measured; give a longer --duration",
                format_duration(duration)
            );
        }
        let report = Report {
            endpoint: &endpoint,
            choice: rpc,
            concurrency,
            connections,
            timeout,
            measured: &measured,
        };
        match output {
            Format::Text => report.write_text(out)?,
            Format::Json => write_json(out, &report.to_json()?)?,
        }
        Ok(match measured.failed_calls() {
            0 => Verdict::Pass,
            _ => Verdict::Fail,
        })
    }
}

/// Makes the connections. Without the first there is nothing to measure; one of the others is tried anew when it is used.
async fn connect(
    endpoint: &Endpoint,
    connections: u16,
    timeout: Duration,
) -> anyhow::Result<Vec<PluginClient>> {
    let options = ConnectOptions {
        attempt_timeout: timeout,
        ..ConnectOptions::default()
    };
    let mut plugins = Vec::with_capacity(usize::from(connections));
    for number in 1..=connections {
        let channel = Channel::new(endpoint.clone(), &options);
        match channel.connect(|_| {}).await {
            Err(error) if number == 1 => return Err(error.into()),
            Err(error) => tracing::warn!("connection {number} of {connections}: {error}"),
            Ok(()) => {}
        }
        plugins.push(PluginClient::new(channel).with_call_timeout(timeout));
    }
    Ok(plugins)
}

/// A time that the histogram of latencies has room for.
fn parse_timeout(text: &str) -> Result<Duration, String> {
    let timeout = parse_positive(text)?;
    if timeout > tally::LONGEST {
        let longest = format_duration(tally::LONGEST);
        return Err(format!(
            "{text:?} is longer than what is measured; give at most {longest}"
        ));
    }
    Ok(timeout)
}
