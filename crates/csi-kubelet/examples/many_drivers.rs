//! How long a kubelet takes until very many drivers are registered, and how much memory.
//!
//! `cargo run --release -p csi-kubelet --example many_drivers [COUNT..]`, by default for 10, 100 and 1,000 drivers. All registrars are
//! one process, with a socket for each and one plugin behind them; the kubelet is another, so the memory is its own.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that measures, and has nobody to tell but whoever runs it"
)]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use csi_endpoint::{ServeOptions, serve_socket};
use csi_identity::proto::csi::v1::node_server::{Node, NodeServer};
use csi_identity::proto::csi::v1::{NodeGetInfoRequest, NodeGetInfoResponse};
use csi_identity::proto::pluginregistration::v1::registration_server::{
    Registration, RegistrationServer,
};
use csi_identity::proto::pluginregistration::v1::{
    InfoRequest, PluginInfo, RegistrationStatus, RegistrationStatusResponse,
};
use csi_kubelet::{Event, Kubelet, KubeletOptions, NodeObjects, What};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::UnixListener;
use tokio::sync::oneshot;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let count = |text: &String| text.parse::<usize>().unwrap();
    match &arguments[..] {
        [role, root, number] if role == "registrars" => {
            in_runtime(registrars(Path::new(root), count(number)));
        }
        [role, root, number] if role == "kubelet" => {
            in_runtime(kubelet(Path::new(root), count(number)));
        }
        [] => [10, 100, 1000].into_iter().for_each(measure),
        counts => counts.iter().map(count).for_each(measure),
    }
}

fn in_runtime(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(work);
}

fn measure(count: usize) {
    let root = tempfile::tempdir().unwrap();
    let mut registrars = start("registrars", root.path(), count);
    let mut ready = String::new();
    let output = registrars.stdout.as_mut().unwrap();
    BufReader::new(output).read_line(&mut ready).unwrap();
    let mut kubelet = start("kubelet", root.path(), count);
    std::io::copy(kubelet.stdout.as_mut().unwrap(), &mut std::io::stdout()).unwrap();
    assert!(kubelet.wait().unwrap().success());
    registrars.kill().unwrap();
    registrars.wait().unwrap();
}

fn start(role: &str, root: &Path, count: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([role, root.to_str().unwrap(), &count.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

async fn kubelet(root: &Path, count: usize) {
    let (before, begun) = (memory("VmRSS"), Instant::now());
    let (stop, stopping) = oneshot::channel();
    let mut stop = Some(stop);
    let mut registered = 0;
    let on_event = |event: &Event, _: &NodeObjects| match event.what {
        What::Registered => {
            registered += 1;
            if registered == count
                && let Some(stop) = stop.take()
            {
                stop.send(begun.elapsed()).unwrap();
            }
        }
        What::Refused { .. } => panic!("{event}"),
        _ => {}
    };
    let kubelet = Kubelet::new(KubeletOptions::new(root)).unwrap();
    let mut took = None;
    let shutdown = async { took = stopping.await.ok() };
    let objects = kubelet.run(on_event, shutdown).await.unwrap();
    assert_eq!(objects.drivers.len(), count);
    println!(
        "{count:5} drivers registered after {:4} ms; resident {} kB, at most {} kB, before {before} kB",
        took.unwrap().as_millis(),
        memory("VmRSS"),
        memory("VmHWM"),
    );
}

/// A line of `/proc/self/status`, in kB.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

async fn registrars(root: &Path, count: usize) {
    let limit = getrlimit(Resource::Nofile);
    let current = limit.maximum;
    setrlimit(Resource::Nofile, Rlimit { current, ..limit }).unwrap();
    let registry = root.join("plugins_registry");
    std::fs::create_dir(&registry).unwrap();
    let endpoint = root.join("csi.sock");
    serve(&endpoint, Routes::new(NodeServer::new(Plugin)));
    for number in 0..count {
        let registrar = Registrar {
            name: format!("d{number}.acme.io"),
            endpoint: endpoint.clone(),
        };
        let socket = registry.join(format!("{}-reg.sock", registrar.name));
        serve(&socket, Routes::new(RegistrationServer::new(registrar)));
    }
    println!("ready");
    std::future::pending::<()>().await;
}

fn serve(path: &Path, routes: Routes) {
    let socket = UnixListener::bind(path).unwrap();
    let never = std::future::pending::<()>();
    tokio::spawn(serve_socket(socket, routes, ServeOptions::default(), never));
}

struct Plugin;

#[tonic::async_trait]
impl Node for Plugin {
    async fn node_get_info(
        &self,
        _: Request<NodeGetInfoRequest>,
    ) -> Result<Response<NodeGetInfoResponse>, Status> {
        Ok(Response::new(NodeGetInfoResponse {
            node_id: "i-0123456789abcdef0".to_owned(),
            ..NodeGetInfoResponse::default()
        }))
    }
}

struct Registrar {
    name: String,
    endpoint: PathBuf,
}

#[tonic::async_trait]
impl Registration for Registrar {
    async fn get_info(&self, _: Request<InfoRequest>) -> Result<Response<PluginInfo>, Status> {
        Ok(Response::new(PluginInfo {
            r#type: "CSIPlugin".to_owned(),
            name: self.name.clone(),
            endpoint: self.endpoint.to_str().unwrap().to_owned(),
            supported_versions: vec!["1.0.0".to_owned()],
        }))
    }

    async fn notify_registration_status(
        &self,
        _: Request<RegistrationStatus>,
    ) -> Result<Response<RegistrationStatusResponse>, Status> {
        Ok(Response::new(RegistrationStatusResponse {}))
    }
}
