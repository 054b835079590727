//! One socket, asked in the ways that good callers ask.

use std::time::Duration;

use csi_endpoint::{Channel, ConnectError, ConnectOptions, Endpoint};
use tokio::time::{Instant, sleep};

use super::Visit;
use super::call::Call;
use super::{file, misuse, others, promise};
use crate::{Connection, Distinct, End, Exchange, Method, ObserveError, Repeated, Socket};

/// How often a call is made again.
const TIMES: u32 = 100;
/// How long that may take, for each method, by the fastest of the calls: that a machine is busy does not make them fewer.
const ENOUGH: Duration = Duration::from_secs(1);
/// How long it may take by the clock.
const AT_MOST: Duration = Duration::from_secs(5);
/// The largest headers that are still read, to be judged: more than nearly any client takes.
const MAX_HEADERS: u32 = 1 << 20;
/// How long a plugin that says ready=false is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

impl Visit<'_> {
    /// All that is asked of a socket.
    pub(super) async fn socket(&mut self, endpoint: &Endpoint) -> Result<Socket, ObserveError> {
        (self.progress)("connecting");
        let mut seen = Socket::at(endpoint.path_text());
        let channel = Channel::new(endpoint.clone(), &self.connect_options());
        match channel.connect(|_| {}).await {
            Ok(()) => {}
            Err(
                error @ (ConnectError::Closed { .. }
                | ConnectError::NotHttp2 { .. }
                | ConnectError::TimedOut { .. }
                | ConnectError::Handshake { .. }),
            ) => {
                seen.file = file::look(endpoint).await;
                seen.connection = Connection::NotHttp2(error.to_string());
                return Ok(seen);
            }
            Err(error) => return Err(error.into()),
        }
        self.first_calls(&channel, &mut seen).await;
        self.wait_until_ready(&channel, &mut seen).await;
        self.repeat(&channel, &mut seen).await;
        seen.connections = channel.connections().borrow().made;
        others::authorities(self, endpoint, &mut seen).await;
        others::strange_requests(self, &channel, &mut seen).await;
        others::reflection(self, &channel, &mut seen).await;
        misuse::crowd(self, endpoint, &mut seen).await;
        misuse::beside(self, endpoint, &channel, &mut seen).await;
        misuse::leave(self, endpoint, &channel, &mut seen).await;
        if self.empty_requests {
            promise::promised(self, &channel, &mut seen).await;
        }
        // Last, so that the connection made for it is no part of what was measured.
        seen.file = file::look(endpoint).await;
        Ok(seen)
    }

    pub(super) fn connect_options(&self) -> ConnectOptions {
        ConnectOptions {
            attempt_timeout: self.budget.call_limit(),
            max_header_list_size: MAX_HEADERS,
            ..ConnectOptions::default()
        }
    }

    pub(super) fn call(&self, method: Method) -> Call {
        Call::new(method, self.budget.call_limit())
    }

    async fn first_calls(&mut self, channel: &Channel, seen: &mut Socket) {
        const ALL: [Method; 8] = [
            Method::GET_PLUGIN_INFO,
            Method::GET_PLUGIN_CAPABILITIES,
            Method::PROBE,
            Method::CONTROLLER_GET_CAPABILITIES,
            Method::GROUP_CONTROLLER_GET_CAPABILITIES,
            Method::NODE_GET_CAPABILITIES,
            Method::NODE_GET_INFO,
            Method::GET_METADATA_ALLOCATED,
        ];
        for method in ALL {
            (self.progress)(method.name());
            if self.budget.allows(method.name()) {
                let exchange = self.call(method).make(channel, &self.tally).await;
                seen.first.insert(method, exchange);
            }
        }
    }

    async fn wait_until_ready(&mut self, channel: &Channel, seen: &mut Socket) {
        let ready = seen.call(Method::PROBE).and_then(Exchange::ready);
        if ready != Some(Some(false)) {
            return;
        }
        (self.progress)("waiting for ready");
        let started = Instant::now();
        while started.elapsed() < PATIENCE && self.budget.allows("waiting for ready") {
            sleep(Duration::from_millis(100)).await;
            let exchange = self.call(Method::PROBE).make(channel, &self.tally).await;
            let ready = exchange.ready();
            seen.waited = Some((started.elapsed(), exchange));
            if ready != Some(Some(false)) {
                return;
            }
        }
    }

    async fn repeat(&mut self, channel: &Channel, seen: &mut Socket) {
        for (method, times) in [
            (Method::GET_PLUGIN_INFO, TIMES),
            (Method::GET_PLUGIN_CAPABILITIES, TIMES),
            (Method::PROBE, TIMES),
            (Method::NODE_GET_INFO, TIMES / 10),
        ] {
            (self.progress)("the same calls again");
            let is_answer = seen.call(method).is_some_and(Exchange::is_answer);
            let is_served = is_answer && seen.serves(method) != Some(false);
            if is_served && self.budget.allows("the same calls again") {
                let repeated = self.repeated(channel, method, times).await;
                seen.repeated.insert(method, repeated);
            }
        }
    }

    async fn repeated(&mut self, channel: &Channel, method: Method, times: u32) -> Repeated {
        let started = Instant::now();
        let mut repeated = Repeated {
            fastest: Duration::MAX,
            ..Repeated::default()
        };
        let goes_on = |repeated: &Repeated| {
            let fits = repeated.fastest * repeated.times < ENOUGH && started.elapsed() < AT_MOST;
            repeated.times == 0 || (repeated.times < times && fits)
        };
        while goes_on(&repeated) {
            let exchange = self.call(method).make(channel, &self.tally).await;
            let is_silent = matches!(exchange.end, End::Silent { .. });
            repeated.times += 1;
            repeated.fastest = repeated.fastest.min(exchange.took);
            let number = repeated.times;
            let mut ends = repeated.ends.iter_mut();
            match ends.find(|one| is_same(&one.exchange, &exchange)) {
                Some(one) => one.calls.push(number),
                None => repeated.ends.push(Distinct {
                    exchange,
                    calls: vec![number],
                }),
            }
            if is_silent {
                break;
            }
        }
        repeated
    }
}

/// Headers may differ from call to call; messages and errors may not.
fn is_same(one: &Exchange, other: &Exchange) -> bool {
    match (one.message(), other.message()) {
        (Some(one), Some(other)) => one == other,
        (None, None) => match (one.error(), other.error()) {
            (Some(one), Some(other)) => one == other,
            (None, None) => one.end == other.end,
            _ => false,
        },
        _ => false,
    }
}
