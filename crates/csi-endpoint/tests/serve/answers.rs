//! Clients of every kind get their answers.

use std::process;

use csi_endpoint::{Authority, Limits, PeerCredentials, ServeOptions};
use rustix::process::{getegid, geteuid};

use crate::served::{Served, ask};

fn ourselves() -> PeerCredentials {
    PeerCredentials {
        pid: process::id().try_into().unwrap(),
        uid: geteuid().as_raw(),
        gid: getegid().as_raw(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn clients_of_each_authority_get_many_answers_on_several_connections_at_once() {
    let served = Served::start(ServeOptions::default());
    let mut asking = Vec::new();
    for authority in [
        Authority::Localhost,
        Authority::RawPath,
        Authority::EncodedPath,
    ] {
        for _ in 0..3 {
            let mut client = served.client_as(authority.clone()).await;
            asking.push(tokio::spawn(async move {
                for _ in 0..50 {
                    assert_eq!(ask(&mut client).await.r#type, "CSIPlugin");
                }
            }));
        }
    }
    for asking in asking {
        asking.await.unwrap();
    }
}

#[tokio::test]
async fn a_request_tells_who_sent_it() {
    let served = Served::start(ServeOptions::default());
    for authority in [Authority::Localhost, Authority::RawPath] {
        let mut client = served.client_as(authority).await;
        let expected = format!("{:?}", Some(ourselves()));
        assert_eq!(ask(&mut client).await.name, expected);
    }
}

#[tokio::test]
async fn without_a_limit_on_connections_clients_are_served() {
    let served = Served::with_limits(Limits {
        max_connections: usize::MAX,
        ..Limits::default()
    });
    assert_eq!(ask(&mut served.client().await).await.r#type, "CSIPlugin");
}
