//! One check's way to find out, whatever its kind.

use csi_endpoint::EndpointError;

use super::exec::ExecProbe;
use super::grpc::ServerProbe;
use super::http::HttpProbe;
use super::mount::MountProbe;
use super::path::PathProbe;
use super::tcp::TcpProbe;
use crate::CheckTarget;

#[derive(Debug)]
pub(super) enum Probe {
    Tcp(TcpProbe),
    Http(HttpProbe),
    Exec(ExecProbe),
    Path(PathProbe),
    Mount(MountProbe),
    Grpc(ServerProbe),
}

impl Probe {
    pub(super) fn of(target: &CheckTarget) -> Result<Self, EndpointError> {
        Ok(match target.clone() {
            CheckTarget::Tcp { address } => Self::Tcp(TcpProbe::new(address)),
            CheckTarget::Http { url, status, body } => {
                Self::Http(HttpProbe::new(url, status, body))
            }
            CheckTarget::Exec { command } => Self::Exec(ExecProbe::new(command)),
            CheckTarget::Path { path } => Self::Path(PathProbe::new(path)),
            CheckTarget::Mount { path, fs_type } => Self::Mount(MountProbe::new(path, fs_type)),
            CheckTarget::Grpc { endpoint, probe } => {
                Self::Grpc(ServerProbe::new(endpoint.parse()?, probe))
            }
        })
    }

    /// Finds out once. May be dropped on its way, and run again after that.
    pub(super) async fn run(&mut self) -> Result<(), String> {
        match self {
            Self::Tcp(probe) => probe.run().await,
            Self::Http(probe) => probe.run().await,
            Self::Exec(probe) => probe.run().await,
            Self::Path(probe) => probe.run().await,
            Self::Mount(probe) => probe.run().await,
            Self::Grpc(probe) => probe.run().await,
        }
    }

    /// What a run was at when it was dropped.
    pub(super) fn doing(&self) -> String {
        match self {
            Self::Tcp(probe) => probe.doing(),
            Self::Http(probe) => probe.doing(),
            Self::Exec(probe) => probe.doing(),
            Self::Path(probe) => probe.doing(),
            Self::Mount(probe) => probe.doing(),
            Self::Grpc(probe) => probe.doing(),
        }
    }
}
