//! What a kubelet knows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::watcher::Change;
use crate::world::{Begin, Instance, World};
use crate::{Drivers, Event, KubeletVersion, NodeObjects, What};

/// What a kubelet has in memory, and the API objects, which outlive it; with whoever wants to hear of changes.
pub(super) struct Memory<F> {
    version: KubeletVersion,
    pub(super) world: World,
    pub(super) drivers: Drivers,
    pub(super) objects: NodeObjects,
    /// How often each driver was refused by [`Fault::RefuseFirst`](crate::Fault::RefuseFirst).
    pub(super) refusals: BTreeMap<String, u32>,
    /// Sockets of plugins of other types, which a kubelet has other handlers for.
    others: BTreeSet<PathBuf>,
    sockets: u64,
    on_event: F,
}

/// The moment at which something began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun {
    time: SystemTime,
    instant: Instant,
}

impl Begun {
    pub(super) fn now() -> Self {
        Self {
            time: SystemTime::now(),
            instant: Instant::now(),
        }
    }
}

impl<F: FnMut(&Event, &NodeObjects)> Memory<F> {
    pub(super) fn new(version: KubeletVersion, objects: NodeObjects, on_event: F) -> Self {
        Self {
            version,
            world: World::default(),
            drivers: Drivers::default(),
            objects,
            refusals: BTreeMap::new(),
            others: BTreeSet::new(),
            sockets: 0,
            on_event,
        }
    }

    /// Forgets what a kubelet does not keep.
    pub(super) fn restart(&mut self) {
        self.world = World::default();
        self.drivers = Drivers::default();
        self.others.clear();
    }

    /// Leaves a plugin to the handler of its type.
    pub(super) fn leave(&mut self, socket: &Path, instance: Instance, driver: &str) {
        self.world.add(socket, instance, driver);
        self.others.insert(socket.to_owned());
    }

    /// Tells what happens at this moment.
    pub(super) fn tell(&mut self, socket: Option<&Path>, driver: Option<&str>, what: What) {
        self.report(SystemTime::now(), None, socket, driver, what);
    }

    /// Tells what began earlier and is over now.
    pub(super) fn tell_end(
        &mut self,
        begun: Begun,
        socket: &Path,
        driver: Option<&str>,
        what: What,
    ) {
        let took = begun.instant.elapsed();
        self.report(begun.time, Some(took), Some(socket), driver, what);
    }

    fn report(
        &mut self,
        time: SystemTime,
        took: Option<Duration>,
        socket: Option<&Path>,
        driver: Option<&str>,
        what: What,
    ) {
        let event = Event {
            time,
            took,
            socket: socket.map(Path::to_owned),
            driver: driver.map(str::to_owned),
            what,
        };
        (self.on_event)(&event, &self.objects);
    }

    /// Takes in what the watcher saw.
    pub(super) fn see(&mut self, changes: Vec<Change>) {
        for change in changes {
            match change {
                Change::Found(socket) => {
                    let instance = self.next_instance();
                    self.world.discover(&socket, instance);
                    self.tell(Some(&socket), None, What::Discovered);
                }
                Change::Gone(path) => {
                    if self.world.vanish(&path) {
                        self.tell(Some(&path), None, What::Removed);
                    }
                }
                Change::Ignored(path, reason) => {
                    self.tell(Some(&path), None, What::Ignored { reason });
                }
            }
        }
    }

    /// Forgets what is to be forgotten, and returns what is to be registered.
    pub(super) fn look(&mut self, now: Duration) -> Vec<(PathBuf, Instance)> {
        let mut due = Vec::new();
        for begin in self.world.begin(now) {
            match begin {
                Begin::Unregister { socket, driver } => {
                    self.world.forget(&socket);
                    // There may be a CSI plugin of the same name, as that of a driver for dynamic resources usually is.
                    if !self.others.remove(&socket) {
                        self.deregister(&socket, &driver);
                    }
                    self.world.succeeded(&socket);
                }
                Begin::Register { socket, instance } => due.push((socket, instance)),
            }
        }
        due
    }

    /// Takes a driver off the node.
    pub(super) fn deregister(&mut self, socket: &Path, driver: &str) {
        self.uninstall(driver);
        self.tell(Some(socket), Some(driver), What::Deregistered);
    }

    pub(super) fn uninstall(&mut self, driver: &str) {
        self.drivers.remove(driver);
        self.objects.uninstall(driver);
    }

    /// Sockets at one path are told apart by when they were seen, or by a number of their own.
    fn next_instance(&mut self) -> Instance {
        if self.version.numbers_sockets() {
            self.sockets += 1;
            return Instance(self.sockets);
        }
        let stamp = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanoseconds = stamp.unwrap_or_default().as_nanos();
        Instance(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }
}

pub(super) fn lock<F>(memory: &Mutex<Memory<F>>) -> MutexGuard<'_, Memory<F>> {
    // What panicked was whoever heard of an event, and the memory was in order then.
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn into_objects<F>(memory: Mutex<Memory<F>>) -> NodeObjects {
    let memory = memory.into_inner();
    memory.unwrap_or_else(PoisonError::into_inner).objects
}
