//! Serves a plugin on a socket that is bound.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::UnixListener;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::plugin::Plugin;
use crate::reply::Reply;

mod call;
mod connection;
mod request;
mod send;

/// How long connections may take to end.
const GRACE: Duration = Duration::from_secs(1);

/// How serving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a plugin that died is to look like one"]
pub enum Ended {
    /// The shutdown came.
    Asked,
    /// A fault had the plugin end.
    Died,
}

/// Serves a plugin until `shutdown` is ready, or a fault ends it.
///
/// The socket's file is the caller's. Calls in flight have a second to end. Faults that are about the process, its socket's
/// file and signals do not show; they take [`run()`](crate::run()).
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use faulty_plugin::{Ended, Fault, serve};
///
/// let folder = tempfile::tempdir()?;
/// let socket = tokio::net::UnixListener::bind(folder.path().join("csi.sock"))?;
/// let fault: Fault = "name-empty".parse()?;
/// assert_eq!(serve(fault, socket, std::future::ready(())).await, Ended::Asked);
/// # Ok(())
/// # }
/// ```
pub async fn serve(
    plugin: impl Into<Plugin>,
    socket: UnixListener,
    shutdown: impl Future<Output = ()>,
) -> Ended {
    let served = Arc::new(Served::new(plugin.into()));
    // Connections are tasks that know nothing of this future, which may be dropped.
    let _killed = served.killed.clone().drop_guard();
    let mut connections = JoinSet::new();
    tokio::pin!(shutdown);
    let ended = loop {
        tokio::select! {
            () = &mut shutdown => break Ended::Asked,
            () = served.killed.cancelled() => break Ended::Died,
            accepted = socket.accept() => match accepted {
                Ok((stream, _)) => drop(connections.spawn(connection::serve(stream, Arc::clone(&served)))),
                // For want of descriptors; clients wait meanwhile.
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    };
    drop(socket);
    served.stopping.cancel();
    let all = async { while connections.join_next().await.is_some() {} };
    // Whoever is left then is cut.
    let _in_time = tokio::time::timeout(GRACE, all).await;
    ended
}

/// A plugin that is being asked.
#[derive(Debug)]
struct Served {
    plugin: Plugin,
    /// How often each call was made.
    counts: Mutex<BTreeMap<&'static str, usize>>,
    /// Until when it goes on with calls that were cancelled.
    busy_until: Mutex<Instant>,
    /// Held by a call that lets others wait.
    turn: tokio::sync::Mutex<()>,
    stopping: CancellationToken,
    killed: CancellationToken,
    /// Cancelled once nobody is answered any more.
    stuck: CancellationToken,
}

impl Served {
    fn new(plugin: Plugin) -> Self {
        Self {
            counts: Mutex::new(plugin.paths().map(|path| (path, 0)).collect()),
            plugin,
            busy_until: Mutex::new(Instant::now()),
            turn: tokio::sync::Mutex::default(),
            stopping: CancellationToken::new(),
            killed: CancellationToken::new(),
            stuck: CancellationToken::new(),
        }
    }

    /// Goes on with something, when it has done with what it goes on with now.
    fn be_busy_for(&self, time: Duration) {
        let mut until = unpoisoned(&self.busy_until);
        *until = (*until).max(Instant::now()) + time;
    }

    fn busy_until(&self) -> Instant {
        *unpoisoned(&self.busy_until)
    }

    /// What is due for a call, which is counted; nothing for one the plugin does not have.
    fn next(&self, path: &str) -> Option<Reply> {
        let mut counts = unpoisoned(&self.counts);
        let count = counts.get_mut(path)?;
        let earlier = *count;
        *count += 1;
        self.plugin.answer(path, earlier).cloned()
    }
}

/// What is behind these locks is never left half changed.
fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
