//! A kubelet as far as a registrar meets it: it watches, dials, asks and says yes.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use csi_endpoint::{Authority, ConnectOptions, Endpoint, SocketWatch, WatchOptions, connect};
use csi_proto::pluginregistration::v1::registration_client::RegistrationClient;
use csi_proto::pluginregistration::v1::{InfoRequest, RegistrationStatus};

use crate::patience::within;

#[derive(Debug)]
pub(crate) struct Kubelet {
    socket: Endpoint,
    plugin: String,
    watch: SocketWatch,
    known: Option<FileId>,
}

/// The number of an inode alone is given out again.
type FileId = (u64, i64, i64);

impl Kubelet {
    pub(crate) fn new(socket: &Path, plugin: &Path) -> Self {
        let socket = Endpoint::from_path(socket).unwrap();
        Self {
            watch: SocketWatch::new(socket.clone(), WatchOptions::default()),
            plugin: plugin.display().to_string(),
            socket,
            known: None,
        }
    }

    /// Registers the plugin on the next socket that it has not seen yet.
    pub(crate) async fn registers(&mut self) {
        within("a registration socket is shown", self.sees_another()).await;
        let options = ConnectOptions {
            // As kubelets dial since 1.29.
            authority: Authority::EncodedPath,
            ..ConnectOptions::default()
        };
        let registering = async {
            let channel = connect(&self.socket, &options).await.unwrap();
            let mut client = RegistrationClient::new(channel);
            let info = client.get_info(InfoRequest {}).await.unwrap().into_inner();
            assert_eq!(info.endpoint, self.plugin);
            let status = RegistrationStatus {
                plugin_registered: true,
                error: String::new(),
            };
            client.notify_registration_status(status).await.unwrap();
        };
        within("the plugin is registered", registering).await;
    }

    async fn sees_another(&mut self) {
        loop {
            let now = fs::symlink_metadata(self.socket.path());
            let now = now
                .ok()
                .map(|file| (file.ino(), file.ctime(), file.ctime_nsec()));
            if now.is_some() && now != self.known {
                self.known = now;
                return;
            }
            self.watch.changed().await;
        }
    }
}
