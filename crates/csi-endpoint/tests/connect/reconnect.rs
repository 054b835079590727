//! What a channel does when its server goes, comes back, or is another.

use std::{error::Error, fs, os::unix::net::UnixListener as StdListener, time::Duration};

use csi_endpoint::{ConnectError, ConnectOptions, Endpoint, connect};
use tonic::Code;

use crate::grpc;

#[tokio::test]
async fn each_new_connection_looks_the_path_up_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("csi.sock");
    let endpoint = Endpoint::from_path(&path).unwrap();
    let options = ConnectOptions {
        attempt_timeout: Duration::from_millis(30),
        ..ConnectOptions::default()
    };
    let server = grpc::Server::bind(&path);
    let channel = connect(&endpoint, &options).await.unwrap();
    grpc::call(&channel).await.unwrap();

    // Its file stays behind, as after a kill.
    drop(server);
    // A call may still go down with the old connection; the next one needs a new connection.
    let status = loop {
        let status = grpc::call(&channel).await.unwrap_err();
        if ConnectError::in_chain(&status).is_some() {
            break status;
        }
    };
    let (code, reason) = (status.code(), ConnectError::in_chain(&status).unwrap());
    assert!(matches!(reason, ConnectError::Refused { .. }), "{status:?}");
    assert_eq!(code, Code::Unavailable);
    assert_eq!(status.message(), reason.to_string());

    fs::remove_file(&path).unwrap();
    let status = grpc::call(&channel).await.unwrap_err();
    assert!(
        matches!(
            ConnectError::in_chain(&status),
            Some(ConnectError::NoSocket { .. })
        ),
        "{status:?}"
    );

    let mute = StdListener::bind(&path).unwrap();
    let status = grpc::call(&channel).await.unwrap_err();
    assert!(
        matches!(
            ConnectError::in_chain(&status),
            Some(ConnectError::TimedOut { .. })
        ),
        "{status:?}"
    );

    // Swapped under the eyes of the client, the old one still listening.
    fs::remove_file(&path).unwrap();
    let _server = grpc::Server::bind(&path);
    grpc::call(&channel).await.unwrap();
    drop(mute);
}

#[tokio::test]
async fn the_reason_is_found_at_any_depth_and_only_if_it_is_there() {
    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[source] Box<dyn Error + Send + Sync>);

    let dir = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::from_path(dir.path().join("csi.sock")).unwrap();
    let reason = connect(&endpoint, &ConnectOptions::default())
        .await
        .unwrap_err();
    assert!(ConnectError::in_chain(&reason).is_some());
    assert!(ConnectError::in_chain(&Outer(Box::new(Outer(Box::new(reason))))).is_some());
    assert!(ConnectError::in_chain(&Outer("something else".into())).is_none());
}
