//! What a channel does with its one connection.

use std::{fs, time::Duration};

use csi_endpoint::{Channel, ConnectError, ConnectOptions, Connections, Endpoint};
use tokio::time::timeout;

use crate::grpc;

/// As long as a busy machine may take for what should take milliseconds.
const LIMIT: Duration = Duration::from_secs(20);

fn channel(path: &std::path::Path) -> Channel {
    Channel::new(
        Endpoint::from_path(path).unwrap(),
        &ConnectOptions::default(),
    )
}

#[tokio::test]
async fn a_burst_of_first_calls_makes_one_connection() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let channel = channel(&path);
    let connections = channel.connections();
    assert_eq!(*connections.borrow(), Connections::default());

    let _server = grpc::Server::bind(&path);
    let calls: Vec<_> = (0..50)
        .map(|_| {
            let channel = channel.clone();
            tokio::spawn(async move { grpc::call(&channel).await })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    let one = Connections {
        made: 1,
        open: true,
    };
    assert_eq!(*connections.borrow(), one);
}

#[tokio::test]
async fn the_end_of_a_connection_is_told_without_a_call() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let server = grpc::Server::bind(&path);
    let channel = channel(&path);
    let mut connections = channel.connections();
    channel.connect(|_| {}).await.unwrap();
    assert!(connections.borrow_and_update().open);

    drop(server);
    let ended = connections.wait_for(|now| !now.open);
    let ended = *timeout(LIMIT, ended).await.unwrap().unwrap();
    assert_eq!(ended.made, 1);
}

#[tokio::test]
async fn a_call_after_an_idle_close_goes_out_on_a_new_connection() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let server = grpc::Server::bind(&path);
    let channel = channel(&path);
    grpc::call(&channel).await.unwrap();
    let mut connections = channel.connections();

    // The listener goes with its connections here, so the next server has to be there before.
    fs::remove_file(&path).unwrap();
    let _next = grpc::Server::bind(&path);
    drop(server);
    let ended = connections.wait_for(|now| !now.open);
    timeout(LIMIT, ended).await.unwrap().unwrap();
    grpc::call(&channel).await.unwrap();
    let second = Connections {
        made: 2,
        open: true,
    };
    assert_eq!(*channel.connections().borrow(), second);
}

#[tokio::test]
async fn a_renewed_channel_leaves_a_server_that_still_lives_for_the_one_at_the_path() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let mut old = grpc::Server::bind(&path);
    let channel = channel(&path);
    grpc::call(&channel).await.unwrap();
    assert_eq!(old.authority().await, "localhost");

    fs::remove_file(&path).unwrap();
    let mut new = grpc::Server::bind(&path);
    grpc::call(&channel).await.unwrap();
    assert_eq!(
        old.authority().await,
        "localhost",
        "the connection it has still serves"
    );

    channel.renew();
    grpc::call(&channel).await.unwrap();
    assert_eq!(new.authority().await, "localhost");
}

#[tokio::test]
async fn headers_are_taken_up_to_the_limit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let _server = grpc::Server::bind(&path);

    let channel = channel(&path);
    let status = grpc::large_call(&channel).await.unwrap_err();
    assert!(ConnectError::in_chain(&status).is_none(), "{status:?}");
    // It is that call's matter alone.
    grpc::call(&channel).await.unwrap();

    let options = ConnectOptions {
        max_header_list_size: 2 * grpc::LARGE_HEADERS as u32,
        ..ConnectOptions::default()
    };
    let channel = Channel::new(Endpoint::from_path(&path).unwrap(), &options);
    grpc::large_call(&channel).await.unwrap();
}
