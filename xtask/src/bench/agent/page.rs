//! The section of `docs/benchmarks.md` about the agent.

use std::fmt::{self, Display};

use super::{Agent, Plan, health::CONNECTIONS};

impl Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan {
            starts,
            go_starts,
            rounds,
            round,
            outages,
            go_outages,
            deletions,
            watch,
            memory_starts,
            idle,
            ..
        } = self.plan;
        let (round, idle, watch) = (round.as_secs_f64(), idle.as_secs(), watch.as_secs());
        let kernel_alone = self.ratio_of_the_kernel_alone().map(|ratio| {
            format!(
                "\nIf all that the agent does outside of the kernel took no time, the ratio on one processor would be {ratio:.1}: the rest \
                 is the kernel's\nwork for six system calls of the agent, the plugin's answer and the load itself. How much of the distance is that of axum and tonic,\nwhatever is made of them, is in their column.\n"
            )
        });
        write!(
            f,
            "\
## The agent beside the sidecars

`csi-identity agent` beside two programs in Go that do per plugin, per kubelet and per request what node-driver-registrar and
livenessprobe do, with the library and the logging those use (`interop/sidecars`); they have less else in them than the
originals. Of memory, descriptors, threads, switches and binaries the sum of the two is shown. All stand beside the same
plugin, a stock tonic server, and may use every processor where nothing else is said.

{}
- A kubelet that calls GetInfo, and sends the path of the socket as the authority, is tried every 50 µs. A plugin appears when
  its socket, which takes connections already, gets its name: {starts} times, spread over a second; in Go {go_starts} times.
- A registration socket is deleted {deletions} times, and a kubelet looks every 0.2 ms whether it is there again, for {watch} s at most; the
  registrar in Go, which binds once as the original does, runs on without it.
- Memory is `VmRSS` while a kubelet has the plugin registered, requests come over {CONNECTIONS} connections that stay open, and what is
  held is looked at when they are closed.
- The sidecars' names are those of links to csi-identity, which then takes their flags and does one's work in each process. Both
  sides are started {memory_starts} times by turns, and the sum of the two processes is shown.
- A plugin is killed {outages} times (in Go {go_outages}) while `/healthz` is asked again and again: until it says 500, in our case
  with the reason; then from the moment at which another plugin takes connections on the path, until it says 200.
- Switches are counted over {idle} s in all threads.

Times are medians, with the lowest and the highest.

### /healthz a second

{}
Medians over {rounds} rounds of {round} s by turns, with the slowest and the fastest; ratios are medians of those within a round. One
thread asks, and has one request under way on each connection. `axum + tonic` is a handler that calls Probe over an open channel
and answers `ok`, and nothing else (`interop/stock-axum`); the sidecar opens a connection to the plugin for each request, as the
original does. All are told to run in the same places. The server that does nothing stands where those that answer stand; the load
has to be twice as fast on it as on the agent where all share one processor, or it would be what is measured, and is tried again.

Over one connection, load, agent and plugin wait for each other, and never two of them have something to do. On two processors
each of them finds the other asleep, and most of what is measured is how a sleeping processor is woken up: see how few requests
the server that does nothing answers then. The sidecar in Go, which does many times the work for a request, loses less by it. So the
bound is for one processor, where nobody wakes another and both sides are fastest: in three runs on 2026-11-30 the ratio there
was 7.2, 7.0 and 7.2, and 5.5, 4.8 and 4.7 where the kernel chose; runs before had found anything from 4.6 to 10.6.

Where the time of a request goes, on one processor:

{}{}
",
            self.table(),
            self.rate_table(),
            self.cost_table(),
            kernel_alone.unwrap_or_default(),
        )
    }
}
