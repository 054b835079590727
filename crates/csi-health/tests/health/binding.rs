//! Ports that can be had, and ports that cannot.

use std::net::{Ipv6Addr, SocketAddr};

use csi_health::{HttpEndpoint, HttpListener};
use tokio::net::TcpStream;

use crate::http::connect;
use crate::rig::in_time;

#[tokio::test]
async fn all_forms_of_an_endpoint_are_reached_where_they_say() {
    for (endpoint, reached_at) in [
        (":0", "127.0.0.1"),
        ("127.0.0.1:0", "127.0.0.1"),
        ("0.0.0.0:0", "127.0.0.1"),
        ("localhost:0", "127.0.0.1"),
    ] {
        let listener = HttpListener::bind(&endpoint.parse().unwrap()).unwrap();
        let port = listener.local_address().port();
        assert_ne!(port, 0);
        let address = SocketAddr::new(reached_at.parse().unwrap(), port);
        connect(address).await;
    }
}

#[tokio::test]
async fn a_client_on_this_machine_has_a_destination_for_every_form() {
    for (host, destination) in [
        ("", "localhost"),
        ("0.0.0.0", "localhost"),
        ("[::]", "localhost"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
    ] {
        let endpoint = format!("{host}:0").parse().unwrap();
        let listener = HttpListener::bind(&endpoint).unwrap();
        let port = listener.local_address().port();
        let endpoint: HttpEndpoint = format!("{host}:{port}").parse().unwrap();
        let (host, port) = endpoint.destination();
        assert_eq!((&*host, port), (destination, endpoint.port()));
        in_time(TcpStream::connect((host, port))).await.unwrap();
    }
    // Without brackets, as a resolver takes it; nothing is bound, as a machine may have no IPv6.
    let endpoint: HttpEndpoint = "[::1]:9808".parse().unwrap();
    assert_eq!(endpoint.destination(), ("::1".to_owned(), 9808));
}

#[tokio::test]
async fn every_form_of_all_addresses_is_the_same_and_takes_ipv4() {
    for host in ["", "0.0.0.0", "[::]"] {
        let endpoint: HttpEndpoint = format!("{host}:9808").parse().unwrap();
        assert_eq!(endpoint, HttpEndpoint::all_addresses(9808));
        let listener = HttpListener::bind(&format!("{host}:0").parse().unwrap()).unwrap();
        let address = listener.local_address();
        assert!(address.ip().is_unspecified());
        connect(SocketAddr::from(([127, 0, 0, 1], address.port()))).await;
        // One socket of IPv6 for both, where there is IPv6 at all.
        if has_ipv6() {
            assert!(address.is_ipv6(), "{host}");
            connect(SocketAddr::from((Ipv6Addr::LOCALHOST, address.port()))).await;
        }
    }
}

fn has_ipv6() -> bool {
    std::net::TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok()
}

#[tokio::test]
async fn r28_a_port_that_is_taken_names_who_has_it() {
    let first = HttpListener::bind(&"127.0.0.1:0".parse().unwrap()).unwrap();
    let port = first.local_address().port();
    let command = std::fs::read_to_string("/proc/self/comm").unwrap();
    let message = format!(
        "port {port} is in use by process {} ({}); stop that first, or choose another port (pods with hostNetwork \
         share the ports of their node)",
        std::process::id(),
        command.trim()
    );
    for endpoint in [
        format!("127.0.0.1:{port}"),
        HttpEndpoint::all_addresses(port).to_string(),
    ] {
        let error = HttpListener::bind(&endpoint.parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    drop(first);
    HttpListener::bind(&HttpEndpoint::all_addresses(port)).unwrap();
}

#[test]
fn an_address_of_another_machine_is_refused() {
    // An address that is for documentation, so nobody has it.
    let error = HttpListener::bind(&"192.0.2.1:0".parse().unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "192.0.2.1 is no address of this machine or container; use one that is, or :0 for all"
    );
}
