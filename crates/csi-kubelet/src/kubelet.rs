use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

use crate::clock::RunningClock;
use crate::watcher::{Change, Watcher};
use crate::world::World;
use crate::{Clock, Event, Fault, KubeletVersion, NodeObjects, What};

mod memory;
mod registration;

use memory::{Memory, lock};

/// What kind of kubelet to be, and where.
#[derive(Clone, Debug)]
pub struct KubeletOptions {
    /// The kubelet's root directory, `/var/lib/kubelet` on a node; registration sockets are looked for in `plugins_registry` in it.
    pub root: PathBuf,
    /// The Node and the CSINode as they are when it starts.
    pub node: NodeObjects,
    /// The version that is emulated.
    pub version: KubeletVersion,
    /// What goes wrong.
    pub faults: Vec<Fault>,
    /// How fast its time runs.
    pub clock: Clock,
}

impl KubeletOptions {
    /// The newest kubelet, without faults, on a Node called `node-1` without labels.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            node: NodeObjects::new("node-1", BTreeMap::new()),
            version: KubeletVersion::LATEST,
            faults: Vec::new(),
            clock: Clock::real(),
        }
    }

    /// The directory in which registration sockets are looked for.
    #[must_use]
    pub fn registry(&self) -> PathBuf {
        self.root.join("plugins_registry")
    }

    fn restart_every(&self) -> Option<Duration> {
        self.faults.iter().find_map(|fault| match fault {
            Fault::RestartEvery(pause) => Some(*pause),
            _ => None,
        })
    }

    fn has(&self, fault: &Fault) -> bool {
        self.faults.contains(fault)
    }
}

/// A kubelet as far as CSI plugins meet it: it finds registration sockets, asks, judges, registers, refuses and forgets.
///
/// It does on real sockets what the kubelet's plugin manager and its handler for CSI plugins do (`pkg/kubelet/pluginmanager`,
/// `pkg/volume/csi`), with their limits and in their order; what becomes of the Node and the CSINode is in [`NodeObjects`] in place of an
/// API server. Plugins of other types are left alone.
///
/// At most 256 registrations run at a time; a kubelet has no such limit.
///
/// ```
/// use csi_kubelet::{Kubelet, KubeletOptions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), csi_kubelet::KubeletError> {
/// # let dir = tempfile::tempdir().unwrap();
/// let options = KubeletOptions::new(dir.path());
/// let mut events = Vec::new();
/// // Until something says stop; here, at once.
/// let node = Kubelet::new(options)?.run(|event, _| events.push(event.to_string()), async {}).await?;
/// assert!(events[0].contains("kubelet 1.36 watches"));
/// assert!(node.drivers.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Kubelet {
    options: KubeletOptions,
    watcher: Watcher,
    seen: Vec<Change>,
}

/// Why a kubelet cannot do its work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KubeletError {
    /// The directory for registration sockets cannot be made.
    #[error("cannot make the directory {}", directory.display())]
    Directory {
        /// Which one.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The directory cannot be watched.
    #[error("cannot watch {}", directory.display())]
    Watch {
        /// Which one.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// How many registrations run at a time; each has up to two connections.
const MAX_OPERATIONS: usize = 256;

/// How one life of a kubelet ended.
enum End {
    Restart,
}

impl Kubelet {
    /// A kubelet that has its directory, made with mode 0750 where it is missing, and watches it.
    ///
    /// # Errors
    ///
    /// If the directory cannot be made or watched.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime with I/O enabled.
    pub fn new(options: KubeletOptions) -> Result<Self, KubeletError> {
        let directory = options.registry();
        let made = std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o750)
            .create(&directory);
        made.map_err(|source| KubeletError::Directory {
            directory: directory.clone(),
            source,
        })?;
        let (watcher, seen) = watch(&directory, options.version)?;
        Ok(Self {
            options,
            watcher,
            seen,
        })
    }

    /// Works until `shutdown` is done; returns what became of the Node and the CSINode.
    ///
    /// `on_event` hears of all that is seen and done, with the objects as they are then.
    ///
    /// # Errors
    ///
    /// If the directory cannot be watched any more, or anew after a restart.
    pub async fn run(
        self,
        on_event: impl FnMut(&Event, &NodeObjects),
        shutdown: impl Future,
    ) -> Result<NodeObjects, KubeletError> {
        let Self {
            options,
            mut watcher,
            mut seen,
        } = self;
        let directory = options.registry();
        let clock = options.clock.start();
        let memory = Memory::new(options.version, options.node.clone(), on_event);
        let memory = Mutex::new(memory);
        let mut shutdown = std::pin::pin!(shutdown);
        loop {
            lock(&memory).tell(
                None,
                None,
                What::Started {
                    version: options.version,
                    directory: directory.clone(),
                },
            );
            let living = live(&options, clock, &memory, watcher, seen);
            let ended = tokio::select! {
                _ = &mut shutdown => break,
                ended = living => ended,
            };
            let End::Restart = ended.map_err(|source| KubeletError::Watch {
                directory: directory.clone(),
                source,
            })?;
            lock(&memory).restart();
            (watcher, seen) = watch(&directory, options.version)?;
        }
        Ok(memory::into_objects(memory))
    }
}

fn watch(
    directory: &Path,
    version: KubeletVersion,
) -> Result<(Watcher, Vec<Change>), KubeletError> {
    Watcher::start(directory, version.takes_links_at_start()).map_err(|source| {
        KubeletError::Watch {
            directory: directory.to_owned(),
            source,
        }
    })
}

/// From a start to the next: sees what changes, and once a second begins what is due.
async fn live<F: FnMut(&Event, &NodeObjects)>(
    options: &KubeletOptions,
    clock: RunningClock,
    memory: &Mutex<Memory<F>>,
    mut watcher: Watcher,
    seen: Vec<Change>,
) -> io::Result<End> {
    let started = clock.now();
    let mut looked = None;
    let mut waiting = VecDeque::new();
    let mut running = FuturesUnordered::new();
    lock(memory).see(seen);
    let restart = async {
        match options.restart_every() {
            Some(pause) => tokio::time::sleep(pause).await,
            None => std::future::pending().await,
        }
    };
    let mut restart = std::pin::pin!(restart);
    loop {
        let is_open = lock(memory).world.is_open();
        tokio::select! {
            seen = watcher.changes() => lock(memory).see(seen?),
            Some(()) = running.next(), if !running.is_empty() => {}
            () = clock.sleep_until(next_look(started, looked, clock.now())), if is_open => {
                let now = clock.now();
                looked = Some(now);
                waiting.extend(lock(memory).look(now));
            }
            () = &mut restart => return Ok(End::Restart),
        }
        while running.len() < MAX_OPERATIONS
            && let Some((socket, instance)) = waiting.pop_front()
        {
            running.push(registration::register(
                options, clock, memory, socket, instance,
            ));
        }
    }
}

/// The looks are a second apart, counted from the start; those at which there is nothing to do are left out.
fn next_look(started: Duration, looked: Option<Duration>, now: Duration) -> Duration {
    let Some(looked) = looked else {
        return started;
    };
    let next = looked + World::LOOP;
    if next >= now {
        return next;
    }
    let since = now - started;
    let whole = since.as_nanos() / World::LOOP.as_nanos() + 1;
    started + World::LOOP * u32::try_from(whole).unwrap_or(u32::MAX)
}
