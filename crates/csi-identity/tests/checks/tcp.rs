use csi_identity::CheckTarget;
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::watched::{PATIENT, QUICK, Watched, bounded, complaint};

fn tcp(address: &str) -> CheckTarget {
    CheckTarget::Tcp {
        address: address.parse().unwrap(),
    }
}

/// An address that nobody listens on and nobody else can take.
fn taken_but_silent() -> (TcpSocket, String) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap().to_string();
    (socket, address)
}

#[tokio::test]
async fn a_listener_passes_by_address_and_by_name() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    for host in ["127.0.0.1", "localhost"] {
        assert_eq!(
            complaint(tcp(&format!("{host}:{port}")), PATIENT).await,
            None,
            "{host}"
        );
    }
}

#[tokio::test]
async fn an_address_without_listener_fails() {
    let (_socket, address) = taken_but_silent();
    assert_eq!(
        complaint(tcp(&address), PATIENT).await.unwrap(),
        format!("cannot connect to {address}: Connection refused (os error 111)")
    );
}

#[tokio::test]
async fn a_host_that_cannot_be_looked_up_fails() {
    // No label has more than 63 bytes, so no name server is asked.
    let host = "a".repeat(64);
    assert_eq!(
        complaint(tcp(&format!("{host}:1")), PATIENT).await.unwrap(),
        format!(
            "cannot look up {host}: failed to lookup address information: Name or service not known"
        )
    );
}

#[tokio::test]
async fn a_connection_that_is_not_taken_fails_and_is_not_waited_for() {
    let (socket, address) = taken_but_silent();
    let _listener = socket.listen(0).unwrap();
    let _queued = TcpStream::connect(&address).await.unwrap();
    assert_eq!(
        complaint(tcp(&address), QUICK).await.unwrap(),
        format!("no result within 50ms: connecting to {address}")
    );
}

#[tokio::test]
async fn a_check_follows_a_listener_that_comes_goes_and_comes_back() {
    // Not 127.0.0.1, where other tests take whatever port is free.
    const HOST: &str = "127.0.0.77:0";
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(HOST.parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    let mut watched = Watched::one(tcp(&address.to_string()), QUICK);
    let refused = format!("x: cannot connect to {address}: Connection refused (os error 111)");
    watched.until_reason(&refused).await;
    let listener = socket.listen(16).unwrap();
    watched.until(csi_identity::Readiness::is_ready).await;
    drop(listener);
    watched
        .until_is(&csi_identity::Readiness::not_ready(refused))
        .await;
    let listener = TcpListener::bind(address).await.unwrap();
    watched.until(csi_identity::Readiness::is_ready).await;
    drop(bounded(listener.accept()).await.unwrap());
}
