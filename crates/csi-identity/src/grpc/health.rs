//! grpc.health.v1 beside the plugin's services, for callers that speak only that.

use std::convert::Infallible;

use tonic_health::ServingStatus;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};

use crate::{Readiness, ReadinessHandle};

/// Follows the plugin's readiness: SERVING while it is ready, NOT_SERVING otherwise.
#[derive(Debug)]
pub(crate) struct Health {
    reporter: HealthReporter,
    services: Vec<&'static str>,
}

impl Health {
    /// Health of the server as a whole (the empty name) and of each of `services`.
    pub(crate) fn of(services: &[&'static str]) -> Self {
        let services = [&[""], services].concat();
        Self {
            reporter: HealthReporter::new(),
            services,
        }
    }

    pub(crate) fn service(&self) -> HealthServer<HealthService> {
        HealthServer::new(HealthService::from_health_reporter(self.reporter.clone()))
            .max_decoding_message_size(super::MAX_REQUEST)
    }

    /// Reports `readiness` for every service.
    pub(crate) async fn report(&mut self, readiness: &Readiness) {
        let status = match readiness {
            Readiness::Ready => ServingStatus::Serving,
            Readiness::Starting { .. } | Readiness::NotReady { .. } => ServingStatus::NotServing,
        };
        for service in &self.services {
            self.reporter.set_service_status(service, status).await;
        }
    }

    /// Reports each change of readiness, for ever; when the plugin stops, watchers get the last one and are let go.
    pub(crate) async fn follow(mut self, readiness: &ReadinessHandle) -> Infallible {
        let mut changes = readiness.subscribe();
        loop {
            let current = changes.borrow_and_update().clone();
            self.report(&current).await;
            if readiness.is_stopping() {
                for service in &self.services {
                    self.reporter.clear_service_status(service).await;
                }
            }
            if changes.changed().await.is_err() {
                // Does not happen while `readiness` is borrowed; if it did, nothing more would change.
                return std::future::pending().await;
            }
        }
    }
}
