//! What was seen on one socket.

use std::collections::BTreeMap;
use std::time::Duration;

use csi_endpoint::Authority;
use csi_identity::ObservedCapability;

use super::{Exchange, SocketFile};
use crate::Method;
use crate::wire::{NodeInfo, PluginInfo};

/// What was seen on one socket.
#[derive(Clone, Debug)]
pub struct Socket {
    /// Its path.
    pub path: String,
    /// Its file.
    pub file: Option<SocketFile>,
    /// Whether anybody there speaks HTTP/2.
    pub connection: Connection,
    /// The first call of each method.
    pub first: BTreeMap<Method, Exchange>,
    /// The same calls again, one after the other.
    pub repeated: BTreeMap<Method, Repeated>,
    /// How many connections it took to make them, one being all that is needed.
    pub connections: u64,
    /// GetPluginInfo by other authorities, as other clients send them.
    pub authorities: Vec<AuthorityTry>,
    /// Identity's calls with fields in their requests that nobody knows yet.
    pub unknown_fields: Vec<Exchange>,
    /// GetPluginInfo with some metadata that nobody knows.
    pub metadata: Option<Exchange>,
    /// GetPluginInfo with the content type `application/grpc+proto`.
    pub grpc_proto: Option<Exchange>,
    /// Some Probes at the same time, each on a connection of its own.
    pub crowd: Vec<Exchange>,
    /// A Probe made while another one whose request has not ended is open, on the same connection.
    pub beside_open_call: Option<Exchange>,
    /// GetPluginInfo while a slow Probe was running, and how long that took.
    pub beside_slow_probe: Option<(Exchange, Duration)>,
    /// A Probe with a deadline that is shorter than it takes.
    pub deadline: Option<Deadline>,
    /// A Probe after some that were cancelled.
    pub after_cancel: Option<Exchange>,
    /// A Probe after some connections that were cut in the middle of a call.
    pub after_cut: Option<Exchange>,
    /// How long it was waited for `ready`, and the last Probe; nothing where the first one did not say `ready=false`.
    pub waited: Option<(Duration, Exchange)>,
    /// The list of services, where server reflection is offered.
    pub reflected: Option<Vec<String>>,
    /// The RPCs that capabilities promise, called with an empty request.
    pub promised: Vec<Promised>,
    /// ValidateVolumeCapabilities with a secret and nothing else.
    pub with_secret: Option<Exchange>,
}

/// Whether a connection came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connection {
    /// It did.
    Open,
    /// Somebody is there, but does not speak HTTP/2; what was seen.
    NotHttp2(String),
}

/// The same call, many times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repeated {
    /// How often it was made.
    pub times: u32,
    /// What came, each different end once, in the order of first appearance.
    pub ends: Vec<Distinct>,
    /// The shortest time one took.
    pub fastest: Duration,
}

/// One of the different ends of a repeated call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distinct {
    /// One that is such; times and headers do not make two ends different.
    pub exchange: Exchange,
    /// The numbers of the calls that ended so, from 1.
    pub calls: Vec<u32>,
}

/// A call by an authority other than `localhost`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorityTry {
    /// Which.
    pub authority: Authority,
    /// How it ended.
    pub exchange: Exchange,
}

/// A call with a deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// What was granted.
    pub granted: Duration,
    /// How it ended.
    pub exchange: Exchange,
}

/// A call that a capability promises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promised {
    /// The capability, by its name on the wire.
    pub capability: &'static str,
    /// How the empty call ended.
    pub exchange: Exchange,
}

impl Socket {
    /// A socket of which nothing has been seen yet.
    #[must_use]
    pub fn at(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            file: None,
            connection: Connection::Open,
            first: BTreeMap::new(),
            repeated: BTreeMap::new(),
            connections: 1,
            authorities: Vec::new(),
            unknown_fields: Vec::new(),
            metadata: None,
            grpc_proto: None,
            crowd: Vec::new(),
            beside_open_call: None,
            beside_slow_probe: None,
            deadline: None,
            after_cancel: None,
            after_cut: None,
            waited: None,
            reflected: None,
            promised: Vec::new(),
            with_secret: None,
        }
    }

    /// The first call of a method.
    #[must_use]
    pub fn call(&self, method: Method) -> Option<&Exchange> {
        self.first.get(&method)
    }

    /// GetPluginInfo's first answer.
    #[must_use]
    pub fn plugin_info(&self) -> Option<PluginInfo> {
        self.call(Method::GET_PLUGIN_INFO)?.plugin_info()
    }

    /// GetPluginCapabilities' first answer.
    #[must_use]
    pub fn capabilities(&self) -> Option<Vec<ObservedCapability>> {
        self.call(Method::GET_PLUGIN_CAPABILITIES)?.capabilities()
    }

    /// NodeGetInfo's first answer.
    #[must_use]
    pub fn node_info(&self) -> Option<NodeInfo> {
        self.call(Method::NODE_GET_INFO)?.node_info()
    }

    /// The numbers of the capabilities of a service, by the method that tells them.
    #[must_use]
    pub fn rpcs(&self, method: Method) -> Option<Vec<i32>> {
        self.call(method)?.rpcs()
    }

    /// Whether the plugin says that it does not have this method; nothing where it was not asked, or said neither.
    #[must_use]
    pub fn serves(&self, method: Method) -> Option<bool> {
        let call = self.call(method)?;
        call.is_answer().then(|| !call.is_unimplemented())
    }

    /// The shortest time that a method took, of all its calls.
    #[must_use]
    pub fn fastest(&self, method: Method) -> Option<Duration> {
        let first = self.call(method).map(|call| call.took);
        let repeated = self.repeated.get(&method).filter(|all| all.times > 0);
        let repeated = repeated.map(|repeated| repeated.fastest);
        first.into_iter().chain(repeated).min()
    }

    /// All exchanges but those in which something strange was sent, so that a bad end may be meant for that.
    pub fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        let repeated = self.repeated.values().flat_map(|repeated| &repeated.ends);
        let repeated = repeated.map(|distinct| &distinct.exchange);
        let promised = self.promised.iter().map(|promised| &promised.exchange);
        self.first
            .values()
            .chain(repeated)
            .chain(&self.crowd)
            .chain(&self.beside_open_call)
            .chain(self.deadline.iter().map(|deadline| &deadline.exchange))
            .chain(&self.after_cancel)
            .chain(&self.after_cut)
            .chain(promised)
            .chain(&self.with_secret)
    }
}
