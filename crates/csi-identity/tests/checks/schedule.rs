//! When checks run.

use std::io::{ErrorKind, Read as _};
use std::time::Instant;

use csi_identity::{CheckTarget, Checks, ChecksError};
use tokio::net::{TcpListener, TcpStream};

use crate::watched::{PATIENT, QUICK, Watched, bounded, check};

/// Whether the client has closed the connection, by what the kernel knows now.
fn is_closed(stream: TcpStream) -> bool {
    // Not blocking, as it comes from the runtime.
    let mut stream = stream.into_std().unwrap();
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return true,
            Ok(_request) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn a_check_that_hangs_runs_once_an_interval_and_never_twice_at_once() {
    const RUNS: u32 = 5;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = CheckTarget::Http {
        url: format!("http://{}", listener.local_addr().unwrap())
            .parse()
            .unwrap(),
        status: None,
        body: None,
    };
    let begun = Instant::now();
    let _watched = Watched::one(target, QUICK);
    let (mut last, _) = bounded(listener.accept()).await.unwrap();
    for _ in 1..RUNS {
        let (next, _) = bounded(listener.accept()).await.unwrap();
        assert!(is_closed(last), "the run before is over");
        last = next;
    }
    assert!(begun.elapsed() >= QUICK.interval * (RUNS - 1));
}

#[tokio::test]
async fn a_check_that_passes_runs_once_an_interval() {
    const RUNS: u32 = 5;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = CheckTarget::Tcp {
        address: listener.local_addr().unwrap().to_string().parse().unwrap(),
    };
    let begun = Instant::now();
    let _watched = Watched::one(target, QUICK);
    for _ in 0..RUNS {
        drop(bounded(listener.accept()).await.unwrap());
    }
    assert!(begun.elapsed() >= QUICK.interval * (RUNS - 1));
}

#[tokio::test]
async fn a_check_that_hangs_holds_up_no_other() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let hanging = CheckTarget::Http {
        url: format!("http://{address}").parse().unwrap(),
        status: None,
        body: None,
    };
    let quick = CheckTarget::Tcp {
        address: address.to_string().parse().unwrap(),
    };
    let mut watched = Watched::start(vec![
        check("hanging", hanging, PATIENT),
        check("quick", quick, PATIENT),
    ]);
    watched.until_reason("hanging: not checked yet").await;
}

#[test]
fn checks_that_do_not_go_together_are_refused() {
    let path = || CheckTarget::Path {
        path: "/".parse().unwrap(),
    };
    let grpc = CheckTarget::Grpc {
        endpoint: "tcp://a:1".to_owned(),
        probe: csi_identity::GrpcProbe::CsiProbe,
    };
    let named = |name, target| check(name, target, PATIENT);
    let endpoint = "tcp://a:1"
        .parse::<csi_identity::endpoint::Endpoint>()
        .unwrap_err();
    for (checks, message) in [
        (
            vec![named("a", path()), named("b", path()), named("a", path())],
            "two checks have the name a; give each a name of its own".to_owned(),
        ),
        (vec![named("a", grpc)], format!("check a: {endpoint}")),
    ] {
        let error: ChecksError = Checks::new(checks).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}
