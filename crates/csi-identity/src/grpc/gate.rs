//! Storage calls are refused while the plugin is not ready.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use tonic::Status;
use tonic::codegen::http;
use tower::{Layer, Service};

use crate::{Readiness, ReadinessHandle};

/// Puts a gate that follows `readiness` before a service.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pub(crate) readiness: ReadinessHandle,
}

/// A service behind a [`Gate`].
#[derive(Clone, Debug)]
pub(crate) struct Gated<S> {
    inner: S,
    readiness: ReadinessHandle,
}

/// Whether the call with this HTTP path waits for readiness.
///
/// All of csi.v1 does but Identity, the calls by which volumes leave a node, and those by which callers learn what there
/// is: pods can leave and nodes can register while a backend is away.
fn is_gated(path: &str) -> bool {
    let Some((service, method)) = path
        .strip_prefix("/csi.v1.")
        .and_then(|rest| rest.split_once('/'))
    else {
        return false;
    };
    let leaves = [
        "ControllerUnpublishVolume",
        "NodeUnpublishVolume",
        "NodeUnstageVolume",
    ];
    let tells = method.ends_with("GetCapabilities") || method == "NodeGetInfo";
    service != "Identity" && !leaves.contains(&method) && !tells
}

impl<S> Layer<S> for Gate {
    type Service = Gated<S>;

    fn layer(&self, inner: S) -> Gated<S> {
        Gated {
            inner,
            readiness: self.readiness.clone(),
        }
    }
}

impl<S, B, ResBody> Service<http::Request<B>> for Gated<S>
where
    S: Service<http::Request<B>, Response = http::Response<ResBody>, Error = Infallible>,
    S::Future: Send + 'static,
    ResBody: Default + 'static,
{
    type Response = http::Response<ResBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        if is_gated(request.uri().path()) {
            let reason = match self.readiness.current() {
                Readiness::Ready => None,
                Readiness::Starting { reason } => Some(format!("the plugin is starting: {reason}")),
                Readiness::NotReady { reason } => {
                    Some(format!("the plugin is not ready: {reason}"))
                }
            };
            if let Some(reason) = reason {
                // Kubelets and sidecars take this code for "later": they repeat the call with back-off.
                return Box::pin(async { Ok(Status::unavailable(reason).into_http()) });
            }
        }
        Box::pin(self.inner.call(request))
    }
}

#[cfg(test)]
mod tests {
    use super::is_gated;

    #[test]
    fn storage_calls_wait_for_readiness() {
        for path in [
            "/csi.v1.Controller/CreateVolume",
            "/csi.v1.Controller/ControllerPublishVolume",
            "/csi.v1.Controller/DeleteVolume",
            "/csi.v1.Node/NodePublishVolume",
            "/csi.v1.Node/NodeStageVolume",
            "/csi.v1.Node/NodeGetVolumeStats",
            "/csi.v1.GroupController/CreateVolumeGroupSnapshot",
            "/csi.v1.SnapshotMetadata/GetMetadataAllocated",
        ] {
            assert!(is_gated(path), "{path}");
        }
    }

    #[test]
    fn calls_that_let_volumes_leave_or_tell_what_there_is_do_not_wait() {
        for path in [
            "/csi.v1.Identity/Probe",
            "/csi.v1.Identity/GetPluginInfo",
            "/csi.v1.Identity/GetPluginCapabilities",
            "/csi.v1.Controller/ControllerUnpublishVolume",
            "/csi.v1.Controller/ControllerGetCapabilities",
            "/csi.v1.GroupController/GroupControllerGetCapabilities",
            "/csi.v1.Node/NodeUnpublishVolume",
            "/csi.v1.Node/NodeUnstageVolume",
            "/csi.v1.Node/NodeGetInfo",
            "/csi.v1.Node/NodeGetCapabilities",
            "/grpc.health.v1.Health/Check",
            "/csi.v1.",
            "/",
        ] {
            assert!(!is_gated(path), "{path}");
        }
    }
}
