use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use csi_identity::endpoint::{BindOptions, Endpoint, ServeOptions};
use csi_identity::{CheckTarget, GrpcProbe, Plugin, Readiness, ReadinessHandle};
use tempfile::TempDir;
use tokio::io::copy_bidirectional;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use crate::watched::{PATIENT, QUICK, STEADY, Watched, bounded, complaint};

/// A plugin that is checked.
struct Backend {
    readiness: ReadinessHandle,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Backend {
    fn start(endpoint: &Endpoint) -> Self {
        let plugin = Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
            .grpc_health(true)
            .build()
            .unwrap();
        let readiness = plugin.readiness();
        readiness.set(Readiness::Ready);
        let bound = plugin.bind(endpoint, &BindOptions::default()).unwrap();
        let (stop, stopping) = oneshot::channel();
        let task = tokio::spawn(async move {
            let stopped = bound.serve(ServeOptions::default(), stopping).await;
            assert!(stopped.unwrap().drained);
        });
        Self {
            readiness,
            stop,
            task,
        }
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        bounded(self.task).await.unwrap();
    }
}

fn socket() -> (TempDir, Endpoint) {
    let folder = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::from_path(folder.path().join("csi.sock")).unwrap();
    (folder, endpoint)
}

fn csi(endpoint: &Endpoint) -> CheckTarget {
    CheckTarget::Grpc {
        endpoint: endpoint.to_string(),
        probe: GrpcProbe::CsiProbe,
    }
}

fn health(endpoint: &Endpoint, service: &str) -> CheckTarget {
    CheckTarget::Grpc {
        endpoint: endpoint.to_string(),
        probe: GrpcProbe::Health {
            service: service.to_owned(),
        },
    }
}

#[tokio::test]
async fn a_plugin_is_as_well_as_its_probe_says() {
    let (_folder, endpoint) = socket();
    let backend = Backend::start(&endpoint);
    for (readiness, expected) in [
        (Readiness::Ready, None),
        (Readiness::starting("loading"), Some("answered ready=false")),
        (
            Readiness::not_ready("pool p0 is offline"),
            Some("answered FAILED_PRECONDITION: NOT_READY: pool p0 is offline"),
        ),
    ] {
        backend.readiness.set(readiness);
        let expected = expected.map(|what| format!("{endpoint} {what}"));
        assert_eq!(complaint(csi(&endpoint), PATIENT).await, expected);
    }
}

#[tokio::test]
async fn a_server_is_as_well_as_its_health_service_says() {
    let (_folder, endpoint) = socket();
    let backend = Backend::start(&endpoint);
    let not_serving = format!("{endpoint} answered NOT_SERVING");
    for service in ["", "csi.v1.Identity"] {
        backend.readiness.set(Readiness::Ready);
        let mut watched = Watched::one(health(&endpoint, service), QUICK);
        watched.until(Readiness::is_ready).await;
        backend.readiness.set(Readiness::not_ready("pool"));
        watched.until_reason(&format!("x: {not_serving}")).await;
    }
    assert_eq!(
        complaint(health(&endpoint, "no.such.Service"), PATIENT)
            .await
            .unwrap(),
        format!("{endpoint} answered NOT_FOUND: service not registered")
    );
}

#[tokio::test]
async fn a_server_without_the_service_asked_for_fails() {
    let (_folder, endpoint) = socket();
    let plugin = Plugin::builder("disk.acme.io".parse().unwrap(), "1.2.3".parse().unwrap())
        .build()
        .unwrap();
    let bound = plugin.bind(&endpoint, &BindOptions::default()).unwrap();
    let serving = tokio::spawn(bound.serve(ServeOptions::default(), std::future::pending::<()>()));
    assert_eq!(
        complaint(health(&endpoint, ""), PATIENT).await.unwrap(),
        format!("{endpoint} answered UNIMPLEMENTED")
    );
    serving.abort();
}

#[tokio::test]
async fn a_check_follows_a_server_that_comes_goes_and_comes_back() {
    let (folder, endpoint) = socket();
    let mut watched = Watched::one(csi(&endpoint), QUICK);
    let missing = format!(
        "x: nothing is at {}/csi.sock, though its directory exists; its server has not bound it yet, or binds another path",
        folder.path().display()
    );
    watched
        .until_is(&Readiness::starting(missing.clone()))
        .await;
    let backend = Backend::start(&endpoint);
    watched.until(Readiness::is_ready).await;
    backend.stop().await;
    watched.until_is(&Readiness::not_ready(missing)).await;
    let _backend = Backend::start(&endpoint);
    watched.until(Readiness::is_ready).await;
}

#[tokio::test]
async fn a_server_that_hangs_fails_and_the_one_that_replaces_it_is_found() {
    let (folder, endpoint) = socket();
    let path = folder.path().join("csi.sock");
    // Takes connections into its backlog and says nothing.
    let mute = UnixListener::bind(&path).unwrap();
    let mut watched = Watched::one(csi(&endpoint), QUICK);
    watched
        .until_reason(&format!(
            "x: no result within 50ms: connecting to {endpoint}"
        ))
        .await;
    std::fs::remove_file(&path).unwrap();
    let _backend = Backend::start(&endpoint);
    watched.until(Readiness::is_ready).await;
    drop(mute);
}

/// A socket before that of a server: passes on what is said, counts connections, and can fall silent.
struct Front {
    connections: Arc<AtomicUsize>,
    silent: watch::Sender<bool>,
}

impl Front {
    fn start(front: &Endpoint, server: &Endpoint) -> Self {
        let listener = UnixListener::bind(front.path()).unwrap();
        let server = server.path().to_owned();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let (silent, heard) = watch::channel(false);
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                let mut server = UnixStream::connect(&server).await.unwrap();
                let mut heard = heard.clone();
                tokio::spawn(async move {
                    tokio::select! {
                        _ = copy_bidirectional(&mut client, &mut server) => return,
                        _ = heard.wait_for(|silent| *silent) => {}
                    }
                    // Both stay open.
                    std::future::pending::<()>().await;
                });
            }
        });
        Self {
            connections,
            silent,
        }
    }
}

#[tokio::test]
async fn a_connection_that_falls_silent_is_given_up() {
    let (_folder, endpoint) = socket();
    let _backend = Backend::start(&endpoint);
    let (_front_folder, at) = socket();
    let front = Front::start(&at, &endpoint);
    let mut watched = Watched::one(csi(&at), QUICK);
    watched.until(Readiness::is_ready).await;
    front.silent.send(true).unwrap();
    watched
        .until(|readiness| readiness.to_string().contains("no result within 50ms"))
        .await;
    std::fs::remove_file(at.path()).unwrap();
    let _other = Backend::start(&at);
    watched.until(Readiness::is_ready).await;
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let (_folder, endpoint) = socket();
    let backend = Backend::start(&endpoint);
    let (_front_folder, at) = socket();
    let front = Front::start(&at, &endpoint);
    let mut watched = Watched::one(csi(&at), STEADY);
    watched.until(Readiness::is_ready).await;
    for change in ["a", "b"] {
        backend.readiness.set(Readiness::not_ready(change));
        watched
            .until_reason(&format!(
                "x: {at} answered FAILED_PRECONDITION: NOT_READY: {change}"
            ))
            .await;
    }
    assert_eq!(front.connections.load(Ordering::Relaxed), 1);
}
