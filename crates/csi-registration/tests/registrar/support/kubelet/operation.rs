//! What a kubelet does with a socket: it dials, asks and answers as kubelets do.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use csi_endpoint::{
    Authority, Channel, ConnectOptions, Endpoint, SocketWatch, WatchOptions, connect,
};
use csi_proto::csi::v1::NodeGetInfoRequest;
use csi_proto::csi::v1::node_client::NodeClient;
use csi_proto::pluginregistration::v1::registration_client::RegistrationClient;
use csi_proto::pluginregistration::v1::{InfoRequest, RegistrationStatus};
use tokio::time::{Instant, timeout, timeout_at};
use tonic::{Code, Status};

use super::{Dials, Info, KubeletOptions, Seen, Verdict};

/// Timeouts of `operation_generator.go`, the same from 1.20 to 1.36.
const DIAL: Duration = Duration::from_secs(10);
const GET_INFO: Duration = Duration::from_secs(1);
const NOTIFY: Duration = Duration::from_secs(5);

type FileId = (u64, u64, i64, i64);

fn file_id(path: &Path) -> Option<FileId> {
    let file = fs::symlink_metadata(path).ok()?;
    Some((file.dev(), file.ino(), file.ctime(), file.ctime_nsec()))
}

/// Pauses of `exponentialbackoff`, for each path.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(122);

/// How an operation ended.
enum Done {
    Registered,
    Refused,
    /// The kubelet could not even ask, so it will try again.
    Failed,
}

/// Watches one path for ever.
pub(super) async fn watch(options: KubeletOptions, tell: impl Fn(Seen)) {
    let KubeletOptions {
        socket,
        dials,
        verdicts,
        retries_refusals,
    } = options;
    let socket = Endpoint::from_path(socket).unwrap();
    let mut verdicts = VecDeque::from(verdicts);
    let mut watch = SocketWatch::new(socket.clone(), WatchOptions::default());
    let mut known = None;
    // Whether the plugin is in the kubelet's actual state of the world, so that its going is an operation too; the end of
    // that one resets the pause.
    let mut is_actual = false;
    let mut is_pending = false;
    let mut not_before = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        let now = file_id(socket.path());
        if now != known {
            if known.is_some() {
                tell(Seen::Deregistered);
            }
            if is_actual {
                (not_before, pause) = (Instant::now(), FIRST_PAUSE);
            }
            is_actual = false;
            known = now;
            is_pending = now.is_some();
        }
        if !is_pending {
            watch.changed().await;
            continue;
        }
        if Instant::now() < not_before {
            let _ = timeout_at(not_before, watch.changed()).await;
            continue;
        }
        let done = register(&socket, dials, &mut verdicts, &tell).await;
        is_pending = match done {
            Done::Registered => false,
            Done::Refused => retries_refusals,
            Done::Failed => true,
        };
        is_actual = !is_pending;
        if matches!(done, Done::Registered) {
            pause = FIRST_PAUSE;
        } else {
            not_before = Instant::now() + pause;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }
}

/// The operation of a kubelet on a socket it has not seen before.
async fn register(
    socket: &Endpoint,
    dials: Dials,
    verdicts: &mut VecDeque<Verdict>,
    tell: &impl Fn(Seen),
) -> Done {
    let options = ConnectOptions {
        attempt_timeout: DIAL,
        authority: match dials {
            Dials::RawPath => Authority::RawPath,
            Dials::EncodedPath => Authority::EncodedPath,
        },
        ..ConnectOptions::default()
    };
    let channel = match connect(socket, &options).await {
        Ok(channel) => channel,
        Err(error) => {
            tell(Seen::GetInfo(Err(error.to_string())));
            return Done::Failed;
        }
    };
    let mut client = RegistrationClient::new(channel);
    let info = match timeout(GET_INFO, client.get_info(InfoRequest {})).await {
        Ok(Ok(answer)) => Ok(Info::from(answer.into_inner())),
        Ok(Err(status)) => Err(status.message().to_owned()),
        Err(_elapsed) => Err("no answer within a second".to_owned()),
    };
    let endpoint = info.as_ref().ok().map(|info| info.endpoint.clone());
    tell(Seen::GetInfo(info));
    let Some(endpoint) = endpoint else {
        return Done::Failed;
    };
    let verdict = match next_of(verdicts) {
        Verdict::Silent => return Done::Registered,
        Verdict::No(message) => Err(message),
        Verdict::Fair => node_get_info(&endpoint).await,
    };
    let status = RegistrationStatus {
        plugin_registered: verdict.is_ok(),
        error: verdict.clone().err().unwrap_or_default(),
    };
    let notified = timeout(NOTIFY, client.notify_registration_status(status)).await;
    match (verdict, notified) {
        (Ok(()), Ok(Ok(_))) => {
            tell(Seen::Registered);
            Done::Registered
        }
        (Ok(()), _) => {
            tell(Seen::Refused(
                "failed to send registration status".to_owned(),
            ));
            Done::Refused
        }
        (Err(message), _) => {
            tell(Seen::Refused(message));
            Done::Refused
        }
    }
}

/// The last one stays.
fn next_of(verdicts: &mut VecDeque<Verdict>) -> Verdict {
    let next = verdicts.front().cloned().unwrap();
    if verdicts.len() > 1 {
        verdicts.pop_front();
    }
    next
}

/// The endpoint is a path to be opened as it stands, scheme and all.
async fn node_get_info(path: &str) -> Result<(), String> {
    let endpoint = Endpoint::from_path(path).map_err(|error| error.to_string())?;
    let channel = Channel::new(endpoint, &ConnectOptions::default());
    let answer = NodeClient::new(channel)
        .node_get_info(NodeGetInfoRequest {})
        .await;
    let text = |status: Status| match status.code() {
        Code::Unavailable => format!("connection error: {}", status.message()),
        code => format!("rpc error: code = {code:?} desc = {}", status.message()),
    };
    let node = answer.map_err(text)?.into_inner();
    if node.node_id.is_empty() {
        return Err("error adding CSI driver node info: driverNodeID must not be empty".to_owned());
    }
    Ok(())
}
