mod drawing;
mod rows;

use std::{
    fmt::{self, Display},
    time::Duration,
};

use super::{
    Plan,
    agent::Agent,
    cost::Costs,
    hanging::Probes,
    instructions::Instructions,
    latency::Latency,
    memory::Memory,
    row::{Row, grouped},
};

/// `docs/benchmarks.md`. Of pairs, the stock server comes first.
pub(crate) struct Page {
    pub(crate) plan: Plan,
    /// To servers on the caller's processor.
    pub(crate) together: Calls,
    /// To servers on another one; none where there is no other.
    pub(crate) apart: Option<Calls>,
    pub(crate) probes: Probes,
    pub(crate) memory: [Memory; 2],
    pub(crate) sizes: [u64; 2],
    pub(crate) switches: [u64; 2],
    pub(crate) starts: [Duration; 2],
    /// None where valgrind is not installed.
    pub(crate) instructions: Option<Instructions>,
    pub(crate) agent: Agent,
    /// What the repair costs per read, as `csi-endpoint` prints it.
    pub(crate) passthrough: Option<String>,
    pub(crate) machine: String,
    /// Version of the stock server.
    pub(crate) tonic: String,
    /// Versions of Go and its gRPC; none where Go is not installed.
    pub(crate) go: Option<String>,
}

/// Calls of GetPluginInfo.
pub(crate) struct Calls {
    pub(crate) latency: Latency,
    pub(crate) costs: Costs,
}

impl Page {
    pub(crate) fn meets_every_bound(&self) -> bool {
        let rows = self.rows().into_iter().chain(self.probe_rows());
        let rows = rows.chain(self.go_rows()).chain(self.agent.rows());
        rows.filter_map(|row| row.bound).all(|bound| bound.met)
    }

    /// The part that is shown after each run.
    pub(crate) fn tables(&self) -> String {
        let tables = [
            self.server_table(),
            self.go_table(),
            self.cost_table(),
            self.probe_table(),
            self.agent.tables(),
        ];
        tables.join("\n")
    }

    fn server_table(&self) -> String {
        let tonic = format!("tonic {}", self.tonic);
        Row::render([&tonic, "csi-identity"], self.rows())
    }

    fn go_table(&self) -> String {
        Row::render(["plugin in Go", "csi-identity"], self.go_rows())
    }

    fn probe_table(&self) -> String {
        Row::render(["without checks", "while it hangs"], self.probe_rows())
    }
}

impl Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            plan,
            machine,
            tonic,
            passthrough,
            ..
        } = self;
        let Plan {
            rounds,
            calls_a_round,
            probes_a_round: probes,
            starts,
            counts,
            calls_a_count,
            cost_rounds,
            calls_a_cost,
            ..
        } = plan;
        let calls = grouped(*calls_a_round);
        let [counted, twice] = [1, 2].map(|times| grouped(times * calls_a_count));
        let cost_calls = grouped(cost_rounds * calls_a_cost);
        let go = self.go.as_deref().unwrap_or("Go is not installed");
        write!(
            f,
            "\
# Benchmarks

`csi-identity serve` beside an ordinary tonic {tonic} server with the same answers (`interop/stock-tonic`), both with one
thread and from the release profile; then beside a plugin and sidecars in Go. All of it is measured in one run.

Machine: {machine}, {go}.

![Latency and memory](benchmarks.svg)

{}
One caller calls GetPluginInfo over one connection, one call after another: {rounds} rounds of {calls} calls for each
column, in changing order. Times are medians over the rounds, with the lowest and the highest round; a ratio is the median
of the ratios within each round, always to the stock server with the authority `localhost`. The caller sends prepared
bytes, costs every server the same, and compares each answer. It shares one processor with the server, but in the rows on two
processors, where it has one and the servers the other: then each of them waits for a sleeping processor to wake up at every
call, which takes longer than all that is done for it, and rounds differ more.

With the authority `localhost` a connection passes through csi-identity untouched; with the path of the socket, as a
kubelet sends it, every request is repaired.

Resident memory is `VmRSS`, its own is `RssAnon`; open connections have made one call each. The time of a start is the
median of {starts}. 1 MB is 1,000,000 bytes.

Instructions are counted by callgrind, {counts} times: how many more {twice} calls cost the process than {counted}, for each call. What
the kernel does for a call is not in it.

## Beside a plugin in Go

`csi-identity serve` beside a plugin in Go (`interop/sidecars/plugin`): Identity and NodeGetInfo with fixed answers, by grpc-go,
with the logging that plugins use. It takes the place of csi-driver-host-path, whose module the module proxy does not serve, and has
much less in it. Times are from the same rounds as those above.

{}
On one processor, most of a call to ours is the caller's and the kernel's part, of which a call to Go has no less; so the ratio
cannot be far from 1, though the server's own part, outside of the kernel, differs much. On two, the kernel works longer for both, only to wake
the other one up (compare the rows below), and how long that takes is another thing from run to run: in three runs on 2026-11-30
the median of tonic was 32, 54 and 41 µs, and the ratio beside Go 0.66, 1.03 and 0.76, where on one processor it was 0.76, 0.76 and
0.77. So both are shown, and both have to meet the bound.

Where the time goes, in means of {cost_calls} calls (the kernel counts it in ticks, so about):

{}
Memory is that of the plugin and both sidecars in Go together, three processes, and of one process of ours, `serve --register
--http-endpoint`, which does all of it; started, registered and asked as below.

## Probe while a check hangs

csi-identity alone, without checks and with one: an `exec` check that passed once, so that the plugin is ready, and from then
on hangs until it is killed after a second and begun again. {rounds} rounds of {probes} calls, in changing order.

{}
{}
## What the repair costs per read

The same bytes, read (a) bare, (b) through the repair on a connection that needs none, (c) through the repair at work. After
the first HEADERS, (b) costs one branch.

```text
{}```

## How to repeat

`interop/bench` builds everything, measures for about five minutes and writes this page and its picture; it ends with exit code 1
if a bound is not met. `interop/bench --quick` gives a first idea and writes nothing. Nothing else should keep the machine busy.
Without Go it writes nothing; without valgrind it says what is missing then.
",
            self.server_table(),
            self.go_table(),
            self.cost_table(),
            self.probe_table(),
            self.agent,
            passthrough.as_deref().unwrap_or_default()
        )
    }
}

#[cfg(test)]
mod tests;
