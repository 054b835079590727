//! grpc.health.v1 beside Identity.

use csi_identity::{Plugin, Readiness};
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::running::Running;

fn plugin(health: bool) -> Plugin {
    Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
        .grpc_health(health)
        .build()
        .unwrap()
}

#[tokio::test]
async fn health_follows_readiness_for_the_server_and_each_service() {
    let running = Running::start(plugin(true));
    let mut client = HealthClient::new(running.channel().await);
    for service in ["", "csi.v1.Identity"] {
        running
            .readiness
            .set(Readiness::not_ready("array does not answer"));
        let request = HealthCheckRequest {
            service: service.to_owned(),
        };
        let mut watch = client.watch(request).await.unwrap().into_inner();
        let mut next = async || watch.message().await.unwrap().unwrap().status();
        // What was reported before may still be on its way.
        while next().await != ServingStatus::NotServing {}
        running.readiness.set(Readiness::Ready);
        assert_eq!(next().await, ServingStatus::Serving, "{service:?}");
    }
}

#[tokio::test]
async fn a_plugin_that_has_not_reported_is_not_serving() {
    let running = Running::start(plugin(true));
    let mut client = HealthClient::new(running.channel().await);
    let answer = client
        .check(HealthCheckRequest::default())
        .await
        .unwrap()
        .into_inner();
    assert_eq!(answer.status(), ServingStatus::NotServing);
}

#[tokio::test]
async fn health_is_served_only_where_asked_for() {
    let running = Running::start(plugin(false));
    let mut client = HealthClient::new(running.channel().await);
    let status = client
        .check(HealthCheckRequest::default())
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
}

#[tokio::test]
async fn watchers_do_not_hold_up_a_stop() {
    let running = Running::start(plugin(true));
    running.readiness.set(Readiness::Ready);
    let mut client = HealthClient::new(running.channel().await);
    let mut watch = client
        .watch(HealthCheckRequest::default())
        .await
        .unwrap()
        .into_inner();
    while watch.message().await.unwrap().unwrap().status() != ServingStatus::Serving {}

    let stopped = tokio::spawn(running.stop());
    let last = watch.message().await.unwrap().map(|answer| answer.status());
    assert_eq!(last, Some(ServingStatus::NotServing));
    assert_eq!(watch.message().await.unwrap(), None);
    assert!(stopped.await.unwrap().drained);
}
