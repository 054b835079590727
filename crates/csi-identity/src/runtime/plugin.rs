use std::future::pending;
use std::sync::Arc;

use csi_endpoint::{BindError, BindOptions, Endpoint, Listener, ServeError, ServeOptions, Stopped};
use tonic::service::Routes;

use crate::grpc::Health;
use crate::{Checks, Identity, ReadinessHandle};

mod advice;
mod builder;

pub use advice::PluginAdvice;
pub use builder::{BuildError, Declared, PluginBuilder, Sourced};

/// A plugin that is complete and not bound to a socket yet.
///
/// # Examples
///
/// A node plugin that a kubelet can register:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use csi_identity::endpoint::{BindOptions, ServeOptions};
/// use csi_identity::{NodeInfo, Plugin, Readiness};
///
/// let plugin = Plugin::builder("disk.vendor.io".parse()?, "1.2.3".parse()?)
///     .node_info(NodeInfo::new("node-1".parse()?))
///     .build()?;
/// let readiness = plugin.readiness();
/// # let folder = tempfile::tempdir()?;
/// # let endpoint = format!("unix://{}/csi.sock", folder.path().display());
/// let bound = plugin.bind(&endpoint.parse()?, &BindOptions::default())?;
///
/// readiness.set(Readiness::Ready);
/// # let shutdown = std::future::ready(());
/// let stopped = bound.serve(ServeOptions::default(), shutdown).await?;
/// assert!(stopped.drained);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a plugin does nothing until it is bound and served"]
pub struct Plugin {
    identity: Option<Arc<Identity>>,
    advice: Vec<PluginAdvice>,
    readiness: ReadinessHandle,
    routes: Routes,
    health: Option<Health>,
    checks: Option<Checks>,
}

impl Plugin {
    /// What the plugin says of itself, where that is fixed.
    pub fn identity(&self) -> Option<&Identity> {
        self.identity.as_deref()
    }

    /// What is right by the specification and yet trouble for some caller.
    pub fn advice(&self) -> &[PluginAdvice] {
        &self.advice
    }

    /// The plugin's readiness, to report it from anywhere.
    pub fn readiness(&self) -> ReadinessHandle {
        self.readiness.clone()
    }

    /// The plugin's services, for a server of one's own.
    ///
    /// Behind any other server than this crate's, kubelets and clients that send a socket path as authority are refused.
    /// Checks do not run either; [`Checks::run`] does that beside any server.
    pub fn into_routes(self) -> Routes {
        self.routes
    }

    /// Binds the plugin's socket; clients can connect from then on and are answered once [`BoundPlugin::serve`] runs.
    ///
    /// To be called within a Tokio runtime.
    ///
    /// # Errors
    ///
    /// As [`Listener::bind`]: another process serves there, something that is no socket is in the way, or the system says no.
    /// Nothing is left behind.
    pub fn bind(
        self,
        endpoint: &Endpoint,
        options: &BindOptions,
    ) -> Result<BoundPlugin, BindError> {
        let listener = Listener::bind(endpoint, options)?;
        Ok(BoundPlugin {
            plugin: self,
            listener,
        })
    }
}

/// A plugin whose socket is bound.
#[derive(Debug)]
#[must_use = "clients wait in the backlog until the plugin is served"]
pub struct BoundPlugin {
    plugin: Plugin,
    listener: Listener,
}

impl BoundPlugin {
    /// Answers calls until `shutdown` is ready, and runs the plugin's checks until it returns.
    ///
    /// Then Probe says not ready, no connection is accepted any more, calls in flight have the grace period to end, and the
    /// socket is removed.
    ///
    /// # Errors
    ///
    /// As [`csi_endpoint::serve`].
    pub async fn serve(
        self,
        options: ServeOptions,
        shutdown: impl Future + Send,
    ) -> Result<Stopped, ServeError> {
        let Self {
            plugin:
                Plugin {
                    readiness,
                    routes,
                    health,
                    checks,
                    ..
                },
            listener,
        } = self;
        let stopping = async {
            shutdown.await;
            readiness.stop();
        };
        let serving = csi_endpoint::serve(listener, routes, options, stopping);
        let report = async {
            match health {
                Some(health) => health.follow(&readiness).await,
                None => pending().await,
            }
        };
        let check = async {
            match checks {
                Some(checks) => checks.run(readiness.clone()).await,
                None => pending().await,
            }
        };
        tokio::select! {
            // Reports what it is before the first call is answered.
            biased;
            never = report => match never {},
            never = check => match never {},
            served = serving => served,
        }
    }
}
