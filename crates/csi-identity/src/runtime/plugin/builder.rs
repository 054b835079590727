use std::convert::Infallible;
use std::sync::Arc;

use csi_proto::csi::v1::identity_server::IdentityServer;
use csi_proto::csi::v1::node_server::NodeServer;
use tonic::codegen::{Body as HttpBody, Bytes, Service, StdError, http};
use tonic::server::NamedService;
use tonic::service::Routes;

use super::{Plugin, PluginAdvice};
use crate::grpc::{Gate, Health};
use crate::{
    Identity, IdentityService, IdentitySource, Manifest, NodeInfo, NodeInfoService, NodeTopology, Offer, OfferError,
    OfferedService, PluginInfo, PluginName, ReadinessHandle, ReadinessPolicy, VendorVersion, VolumeExpansion,
};

/// Largest request that Identity and the built-in Node service take, in bytes: theirs are empty but for unknown fields.
const MAX_REQUEST: usize = 64 * 1024;

const HEALTH: &str = "grpc.health.v1.Health";

/// Why what was given makes no plugin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two services of one name.
    #[error("service {name} is registered twice; register it once")]
    DuplicateService {
        /// Full name of the gRPC service.
        name: &'static str,
    },
    /// A service that the builder registers itself.
    #[error("service {name} is served by the builder; do not register it")]
    ReservedService {
        /// Full name of the gRPC service.
        name: &'static str,
    },
    /// Node information was given beside a Node service.
    #[error("node information and a csi.v1.Node service of one's own exclude each other; answer NodeGetInfo in the service")]
    NodeTwice,
    /// The capabilities contradict what is served.
    #[error(transparent)]
    Offer(#[from] OfferError),
}

/// Puts a [`Plugin`] together.
///
/// `I` says where the identity comes from: [`Declared`], the usual case, or [`Sourced`].
#[derive(Debug)]
#[must_use = "a builder makes nothing until it is built"]
pub struct PluginBuilder<I> {
    identity: I,
    services: Vec<&'static str>,
    routes: Routes,
    refused: Option<BuildError>,
    node_info: Option<NodeInfo>,
    policy: ReadinessPolicy,
    gate_on_readiness: bool,
    health: bool,
}

/// An identity that is fixed when the plugin is built; its capabilities are derived from the services registered.
#[derive(Debug)]
pub struct Declared {
    name: PluginName,
    vendor_version: VendorVersion,
    manifest: Manifest,
    offer: Offer,
}

/// An identity that is asked for anew at each call.
#[derive(Debug)]
pub struct Sourced<S>(S);

impl Plugin {
    /// Begins a plugin whose identity is known now.
    pub fn builder(name: PluginName, vendor_version: VendorVersion) -> PluginBuilder<Declared> {
        let (manifest, offer) = (Manifest::default(), Offer::default());
        PluginBuilder::new(Declared { name, vendor_version, manifest, offer })
    }

    /// Begins a plugin whose identity is asked of `source` at each call, and may be unknown for a while.
    ///
    /// Capabilities are the source's then; none are derived.
    pub fn with_source<S: IdentitySource + Clone>(source: S) -> PluginBuilder<Sourced<S>> {
        PluginBuilder::new(Sourced(source))
    }
}

impl<I> PluginBuilder<I> {
    fn new(identity: I) -> Self {
        Self {
            identity,
            services: Vec::new(),
            routes: Routes::default(),
            refused: None,
            node_info: None,
            policy: ReadinessPolicy::default(),
            gate_on_readiness: false,
            health: false,
        }
    }

    /// Registers a gRPC service on the plugin's socket: csi.v1.Controller, csi.v1.Node or any other.
    pub fn service<S, B>(mut self, service: S) -> Self
    where
        S: Service<http::Request<tonic::body::Body>, Response = http::Response<B>, Error = Infallible>
            + NamedService
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send + 'static,
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<StdError>,
    {
        let name = S::NAME;
        if [IdentityServer::<IdentityService<Arc<Identity>>>::NAME, HEALTH].contains(&name) {
            self.refused.get_or_insert(BuildError::ReservedService { name });
        } else if self.services.contains(&name) {
            self.refused.get_or_insert(BuildError::DuplicateService { name });
        } else {
            self.services.push(name);
            self.routes = self.routes.add_service(service);
        }
        self
    }

    /// Serves NodeGetInfo and NodeGetCapabilities, for a plugin without a Node service of its own.
    pub fn node_info(mut self, node_info: NodeInfo) -> Self {
        self.node_info = Some(node_info);
        self
    }

    /// What Probe answers while the plugin starts, and for how long it may.
    pub fn readiness_policy(mut self, policy: ReadinessPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Refuses storage calls with UNAVAILABLE and the reason while the plugin is not ready; off by default.
    ///
    /// Calls of csi.v1 that wait are all but Identity's, ControllerUnpublishVolume, NodeUnpublishVolume, NodeUnstageVolume,
    /// NodeGetInfo and the GetCapabilities calls: pods can leave and nodes can register while a backend is away.
    pub fn gate_on_readiness(mut self, gate: bool) -> Self {
        self.gate_on_readiness = gate;
        self
    }

    /// Serves grpc.health.v1 beside the plugin, SERVING while it is ready; off by default.
    pub fn grpc_health(mut self, health: bool) -> Self {
        self.health = health;
        self
    }

    fn finish<S: IdentitySource + Clone>(
        mut self,
        source: S,
        identity: Option<Arc<Identity>>,
        mut advice: Vec<PluginAdvice>,
    ) -> Result<Plugin, BuildError> {
        if let Some(refused) = self.refused {
            return Err(refused);
        }
        let readiness = ReadinessHandle::new(self.policy);
        let identity_service = IdentityService::new(source, readiness.clone());
        let mut routes = self.routes;
        if let Some(node_info) = self.node_info {
            advice.extend(PluginAdvice::of_node(&node_info));
            let node = NodeServer::new(NodeInfoService::new(node_info));
            routes = routes.add_service(node.max_decoding_message_size(MAX_REQUEST));
            self.services.push(NodeServer::<NodeInfoService>::NAME);
        }
        if self.gate_on_readiness {
            routes = routes.into_axum_router().layer(Gate { readiness: readiness.clone() }).into();
        }
        let identity_server = IdentityServer::new(identity_service);
        routes = routes.add_service(identity_server.max_decoding_message_size(MAX_REQUEST));
        self.services.push(IdentityServer::<IdentityService<S>>::NAME);
        let health = self.health.then(|| Health::of(self.services.iter().map(ToString::to_string)));
        if let Some(health) = &health {
            routes = routes.add_service(health.service());
        }
        Ok(Plugin { identity, advice, readiness, routes: routes.prepare(), health })
    }

    fn serves_node(&self) -> bool {
        self.services.contains(&NodeServer::<NodeInfoService>::NAME)
    }
}

impl PluginBuilder<Declared> {
    /// Facts about the plugin for people and tools; callers do not act on them.
    pub fn manifest(mut self, manifest: Manifest) -> Self {
        self.identity.manifest = manifest;
        self
    }

    /// What other instances of this version serve: all instances must report the same capabilities, whatever each of them serves.
    pub fn served_elsewhere(mut self, services: impl IntoIterator<Item = OfferedService>) -> Self {
        self.identity.offer.served_elsewhere.extend(services);
        self
    }

    /// How the plugin can expand volumes.
    pub fn expansion(mut self, modes: impl IntoIterator<Item = VolumeExpansion>) -> Self {
        self.identity.offer.expansion.extend(modes);
        self
    }

    /// Makes the plugin.
    ///
    /// # Errors
    ///
    /// Where a service is registered twice or is the builder's own, node information meets a Node service, or the
    /// capabilities contradict what is served.
    pub fn build(mut self) -> Result<Plugin, BuildError> {
        self.check_node()?;
        let mut offer = self.identity.offer.clone();
        offer.served_here = Offer::serving(self.services.iter().copied()).served_here;
        if let Some(node_info) = &self.node_info {
            offer.served_here.insert(OfferedService::Node);
            offer.node_topology = NodeTopology::of(node_info);
        }
        let capabilities = offer.capabilities()?;
        let Declared { name, vendor_version, manifest, .. } = &mut self.identity;
        let advice = PluginAdvice::of(name, vendor_version, &offer);
        let info = PluginInfo {
            name: name.clone(),
            vendor_version: vendor_version.clone(),
            manifest: std::mem::take(manifest),
        };
        let identity = Arc::new(Identity { info, capabilities });
        self.finish(Arc::clone(&identity), Some(identity), advice)
    }
}
