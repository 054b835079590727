use std::convert::Infallible;
use std::sync::Arc;

use csi_proto::csi::v1::identity_server::IdentityServer;
use csi_proto::csi::v1::node_server::NodeServer;
use tonic::codegen::{Body as HttpBody, Bytes, Service, StdError, http};
use tonic::server::NamedService;
use tonic::service::Routes;

use super::{Plugin, PluginAdvice};
use crate::grpc::{Gate, Health, MAX_REQUEST};
use crate::{
    Check, Checks, ChecksError, ExpandVolume, Identity, IdentityService, IdentitySource, Manifest,
    NodeInfo, NodeInfoService, NodeTopology, Offer, OfferError, OfferedService, PluginInfo,
    PluginName, ReadinessHandle, ReadinessPolicy, VendorVersion, VolumeExpansion,
};

const IDENTITY: &str = IdentityServer::<IdentityService<Arc<Identity>>>::NAME;
const NODE: &str = NodeServer::<NodeInfoService>::NAME;
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
    /// A service that the builder serves itself.
    #[error("service {name} is served by the plugin anyway; do not register it")]
    ReservedService {
        /// Full name of the gRPC service.
        name: &'static str,
    },
    /// Node information was given beside a Node service.
    #[error(
        "node information and a csi.v1.Node service exclude each other; answer NodeGetInfo in the service"
    )]
    NodeTwice,
    /// The capabilities contradict what is served.
    #[error(transparent)]
    Offer(#[from] OfferError),
    /// The checks do not go together.
    #[error(transparent)]
    Checks(#[from] ChecksError),
}

/// Puts a [`Plugin`] together.
///
/// `I` says where the identity comes from: [`Declared`], the usual case, or [`Sourced`].
#[derive(Debug)]
#[must_use = "a builder makes nothing until it is built"]
pub struct PluginBuilder<I> {
    identity: I,
    parts: Parts,
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

/// What a plugin has whatever its identity.
#[derive(Debug, Default)]
struct Parts {
    services: Vec<&'static str>,
    routes: Routes,
    refused: Option<BuildError>,
    node_info: Option<NodeInfo>,
    policy: ReadinessPolicy,
    gate_on_readiness: bool,
    grpc_health: bool,
    checks: Vec<Check>,
}

impl Plugin {
    /// Begins a plugin whose identity is known now.
    pub fn builder(name: PluginName, vendor_version: VendorVersion) -> PluginBuilder<Declared> {
        let (manifest, offer) = (Manifest::default(), Offer::default());
        let identity = Declared {
            name,
            vendor_version,
            manifest,
            offer,
        };
        PluginBuilder {
            identity,
            parts: Parts::default(),
        }
    }

    /// Begins a plugin whose identity is asked of `source` at each call, and may be unknown for a while.
    ///
    /// Capabilities are the source's then; none are derived.
    pub fn with_source<S: IdentitySource>(source: S) -> PluginBuilder<Sourced<S>> {
        PluginBuilder {
            identity: Sourced(source),
            parts: Parts::default(),
        }
    }
}

impl<I> PluginBuilder<I> {
    /// Registers a gRPC service on the plugin's socket: csi.v1.Controller, csi.v1.Node or any other.
    pub fn service<S, B>(mut self, service: S) -> Self
    where
        S: Service<
                http::Request<tonic::body::Body>,
                Response = http::Response<B>,
                Error = Infallible,
            > + NamedService
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send + 'static,
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<StdError>,
    {
        let name = S::NAME;
        let Parts {
            services,
            routes,
            refused,
            ..
        } = &mut self.parts;
        if [IDENTITY, HEALTH].contains(&name) {
            refused.get_or_insert(BuildError::ReservedService { name });
        } else if services.contains(&name) {
            refused.get_or_insert(BuildError::DuplicateService { name });
        } else {
            services.push(name);
            *routes = std::mem::take(routes).add_service(service);
        }
        self
    }

    /// Serves NodeGetInfo and NodeGetCapabilities, for a plugin without a Node service of its own.
    pub fn node_info(mut self, node_info: NodeInfo) -> Self {
        self.parts.node_info = Some(node_info);
        self
    }

    /// What Probe answers while the plugin starts, and for how long it may.
    pub fn readiness_policy(mut self, policy: ReadinessPolicy) -> Self {
        self.parts.policy = policy;
        self
    }

    /// Refuses storage calls with UNAVAILABLE and the reason while the plugin is not ready; off by default.
    ///
    /// Calls of csi.v1 that wait are all but Identity's, ControllerUnpublishVolume, NodeUnpublishVolume, NodeUnstageVolume,
    /// NodeGetInfo and the GetCapabilities calls: pods can leave and nodes can register while a backend is away.
    pub fn gate_on_readiness(mut self, gate: bool) -> Self {
        self.parts.gate_on_readiness = gate;
        self
    }

    /// Serves grpc.health.v1 beside the plugin, SERVING while it is ready; off by default.
    pub fn grpc_health(mut self, health: bool) -> Self {
        self.parts.grpc_health = health;
        self
    }

    /// What has to be well for the plugin to be ready; checked in the background while the plugin is served.
    ///
    /// Readiness follows the checks by itself. [`ReadinessHandle::set`] goes on to work beside them, and the worse of both
    /// counts, so a plugin that sets nothing by hand is as ready as its checks say. Called again, this adds to what is there;
    /// without any check, readiness is set by hand alone.
    ///
    /// ```
    /// use csi_identity::{Check, CheckPolicy, CheckTarget, Plugin};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let array = CheckTarget::Tcp { address: "array.acme.io:3260".parse()? };
    /// let plugin = Plugin::builder("disk.acme.io".parse()?, "1.2.3".parse()?)
    ///     .checks([Check::new("array".parse()?, array, CheckPolicy::default())?])
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn checks(mut self, checks: impl IntoIterator<Item = Check>) -> Self {
        self.parts.checks.extend(checks);
        self
    }
}

impl PluginBuilder<Declared> {
    /// Facts about the plugin for people and tools; callers do not act on them.
    pub fn manifest(mut self, manifest: Manifest) -> Self {
        self.identity.manifest = manifest;
        self
    }

    /// What other instances of this version serve: all must report the same capabilities, whatever each of them serves.
    pub fn served_elsewhere(mut self, services: impl IntoIterator<Item = OfferedService>) -> Self {
        self.identity.offer.served_elsewhere.extend(services);
        self
    }

    /// In which states of a volume the plugin can expand it.
    pub fn expansion(mut self, modes: impl IntoIterator<Item = VolumeExpansion>) -> Self {
        self.identity.offer.expansion.extend(modes);
        self
    }

    /// Which services list EXPAND_VOLUME among their capabilities, in whatever instance of this version.
    ///
    /// A plugin cannot see what its own services answer to ControllerGetCapabilities and NodeGetCapabilities. Once it is
    /// told, [`Plugin::advice`] points out an expansion that no service can carry out, and one that is missing.
    pub fn expand_volume(mut self, expand_volume: ExpandVolume) -> Self {
        self.identity.offer.expand_volume = Some(expand_volume);
        self
    }

    /// Makes the plugin.
    ///
    /// # Errors
    ///
    /// Where a service is registered twice or is the plugin's own, node information meets a Node service, the
    /// capabilities contradict what is served, or the checks do not go together.
    pub fn build(self) -> Result<Plugin, BuildError> {
        let Self {
            identity:
                Declared {
                    name,
                    vendor_version,
                    manifest,
                    mut offer,
                },
            parts,
        } = self;
        let services = parts.checked_services()?;
        offer.node_topology = match &parts.node_info {
            Some(NodeInfo {
                accessible_topology: Some(_),
                ..
            }) => NodeTopology::Present,
            None if services.contains(&NODE) => NodeTopology::Unknown,
            Some(_) | None => NodeTopology::Absent,
        };
        offer.served_here = Offer::serving(services).served_here;
        let capabilities = offer.capabilities()?;
        let advice = PluginAdvice::on(&name, &vendor_version, &offer, parts.node_info.as_ref());
        let info = PluginInfo {
            name,
            vendor_version,
            manifest,
        };
        let identity = Arc::new(Identity { info, capabilities });
        parts.assemble(Arc::clone(&identity), Some(identity), advice)
    }
}

impl<S: IdentitySource> PluginBuilder<Sourced<S>> {
    /// Makes the plugin.
    ///
    /// # Errors
    ///
    /// Where a service is registered twice or is the plugin's own, node information meets a Node service, or the checks do
    /// not go together.
    pub fn build(self) -> Result<Plugin, BuildError> {
        let Self {
            identity: Sourced(source),
            parts,
        } = self;
        parts.assemble(source, None, Vec::new())
    }
}

impl Parts {
    /// The names of all services of csi.v1 beside Identity, if they go together.
    fn checked_services(&self) -> Result<Vec<&'static str>, BuildError> {
        if let Some(refused) = &self.refused {
            return Err(refused.clone());
        }
        let mut services = self.services.clone();
        if self.node_info.is_some() {
            if services.contains(&NODE) {
                return Err(BuildError::NodeTwice);
            }
            services.push(NODE);
        }
        Ok(services)
    }

    fn assemble<S: IdentitySource>(
        self,
        source: S,
        identity: Option<Arc<Identity>>,
        advice: Vec<PluginAdvice>,
    ) -> Result<Plugin, BuildError> {
        let mut services = self.checked_services()?;
        services.push(IDENTITY);
        let checks = if self.checks.is_empty() {
            None
        } else {
            Some(Checks::new(self.checks)?)
        };
        let readiness = ReadinessHandle::new(self.policy);
        if let Some(checks) = &checks {
            checks.announce(&readiness);
        }
        let server = IdentityServer::new(IdentityService::new(source, readiness.clone()));
        let mut routes = self
            .routes
            .add_service(server.max_decoding_message_size(MAX_REQUEST));
        if let Some(node_info) = self.node_info {
            let server = NodeServer::new(NodeInfoService::new(node_info));
            routes = routes.add_service(server.max_decoding_message_size(MAX_REQUEST));
        }
        if self.gate_on_readiness {
            routes = routes
                .into_axum_router()
                .layer(Gate {
                    readiness: readiness.clone(),
                })
                .into();
        }
        let health = self.grpc_health.then(|| Health::of(&services));
        if let Some(health) = &health {
            routes = routes.add_service(health.service());
        }
        Ok(Plugin {
            identity,
            advice,
            readiness,
            routes: routes.prepare(),
            health,
            checks,
        })
    }
}
