//! `/healthz` where it is about the registration socket, as node-driver-registrar's is.

use std::future::pending;
use std::path::{Path, PathBuf};
use std::time::Duration;

use csi_identity::endpoint::{BindOptions, Endpoint, Listener, ServeOptions, serve};
use csi_proto::pluginregistration::v1::registration_server::{Registration, RegistrationServer};
use csi_proto::pluginregistration::v1::{
    InfoRequest, PluginInfo, RegistrationStatus, RegistrationStatusResponse,
};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tonic::service::Routes;
use tonic::{Code, Request, Response, Status};

use crate::http::{get, request};
use crate::plugin::Reply;
use crate::rig::{PATIENCE, Parts, Rig, registered};

/// What GetInfo brings.
#[derive(Clone, Copy, Debug)]
enum Info {
    Name(&'static str),
    Error(Code, &'static str),
    Never,
}

#[tonic::async_trait]
impl Registration for Info {
    async fn get_info(&self, _: Request<InfoRequest>) -> Result<Response<PluginInfo>, Status> {
        match *self {
            Self::Name(name) => Ok(Response::new(PluginInfo {
                name: name.to_owned(),
                ..Default::default()
            })),
            Self::Error(code, message) => Err(Status::new(code, message)),
            Self::Never => pending().await,
        }
    }

    async fn notify_registration_status(
        &self,
        _: Request<RegistrationStatus>,
    ) -> Result<Response<RegistrationStatusResponse>, Status> {
        Err(Status::internal("nobody here says how it went"))
    }
}

/// Shows a registration socket until it is aborted.
fn show(socket: &Path, info: Info) -> JoinHandle<()> {
    let endpoint = Endpoint::from_path(socket).unwrap();
    let listener = Listener::bind(&endpoint, &BindOptions::default()).unwrap();
    let routes = Routes::new(RegistrationServer::new(info));
    tokio::spawn(async move {
        let _stopped = serve(listener, routes, ServeOptions::default(), pending::<()>()).await;
    })
}

/// A ready plugin that is registered by a socket at a path where nothing is yet, and a check of that socket.
async fn checked(timeout: Duration) -> (Rig, PathBuf, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("disk.acme.io-reg.sock");
    let parts = Parts {
        status: Some(csi_registration::Status {
            socket: Some(socket.clone()),
            ..registered()
        }),
        registration_check: Some(timeout),
        ..Parts::default()
    };
    (
        Rig::with(Reply::Ready(Some(true)), parts).await,
        socket,
        folder,
    )
}

#[tokio::test]
async fn each_answer_of_the_registration_socket_has_its_code_and_body() {
    for (info, code, body) in [
        (Info::Name("disk.acme.io"), 200, "ok"),
        (
            Info::Name("other.acme.io"),
            500,
            "the registration socket answers for \"other.acme.io\" instead of \"disk.acme.io\"",
        ),
        (
            Info::Error(Code::Unavailable, "the plugin\ndoes not answer"),
            500,
            "UNAVAILABLE: the plugin does not answer",
        ),
    ] {
        let (rig, socket, _folder) = checked(PATIENCE).await;
        let _shown = show(&socket, info);
        let answer = get(rig.address, "/healthz").await;
        assert_eq!((answer.code, &*answer.body), (code, body), "{info:?}");
        let head = request(rig.address, "HEAD", "/healthz", "").await;
        assert_eq!((head.code, &*head.body), (code, ""), "{info:?}");
        // The plugin itself is no part of it, and still is of the rest.
        assert_eq!(rig.plugin.counts().probes, 0);
        assert_eq!(get(rig.address, "/readyz").await.body, "ok");
        assert_eq!(rig.plugin.counts().probes, 1);
    }
}

#[tokio::test]
async fn a_registration_socket_that_is_silent_is_waited_for_no_longer_than_allowed() {
    let (rig, socket, _folder) = checked(Duration::from_millis(100)).await;
    let _shown = show(&socket, Info::Never);
    let answer = get(rig.address, "/healthz").await;
    assert_eq!(
        (answer.code, &*answer.body),
        (500, "the registration socket does not answer within 100ms")
    );
}

#[tokio::test]
async fn a_registration_socket_that_is_not_there_is_404_and_a_dead_one_500() {
    let none = (404, "registration socket does not exist");
    let (rig, socket, _folder) = checked(PATIENCE).await;
    let status = rig.status.as_ref().unwrap();
    let answer = get(rig.address, "/healthz").await;
    assert_eq!((answer.code, &*answer.body), none, "no file");

    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    let answer = get(rig.address, "/healthz").await;
    let dead = format!(
        "nobody listens on {}; its server is gone and left the socket, or is about to listen",
        socket.display()
    );
    assert_eq!((answer.code, answer.body), (500, dead));

    let _shown = show(&socket, Info::Name("disk.acme.io"));
    assert_eq!(get(rig.address, "/healthz").await.code, 200);
    status.send_modify(|status| status.socket_is_shown = false);
    let answer = get(rig.address, "/healthz").await;
    assert_eq!((answer.code, &*answer.body), none, "another's socket");

    status.send_modify(|status| {
        status.socket_is_shown = true;
        status.socket = None;
    });
    let answer = get(rig.address, "/healthz").await;
    assert_eq!((answer.code, &*answer.body), none, "no path yet");
}
