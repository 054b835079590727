use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(test)]
mod tests;

/// Which of the sockets that were at a path one after the other: a UUID or a time stamp, depending on the version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance(pub u64);

/// An operation that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begin {
    /// Forget the plugin that was registered from this socket.
    Unregister {
        /// The path of the socket.
        socket: PathBuf,
        /// Its driver.
        driver: String,
    },
    /// Dial the socket, ask and register.
    Register {
        /// The path of the socket.
        socket: PathBuf,
        /// Which socket at that path.
        instance: Instance,
    },
}

/// What a kubelet wants registered and what it has: its desired and actual state of the world, and the operations between.
///
/// It decides what to do next and does nothing (`reconciler.go`, `exponentialbackoff`; the same from 1.20 to 1.36): one
/// operation a path at a time, first those that unregister, and after a failure a pause of 500 ms that doubles up to 2 min
/// 2 s until an operation on that path succeeds, be it one that unregisters. Moments are what a clock shows since its start.
///
/// What costs is what is open, not what is registered.
///
/// ```
/// use std::path::Path;
/// use std::time::Duration;
///
/// use csi_kubelet::{Begin, Instance, World};
///
/// let socket = Path::new("/var/lib/kubelet/plugins_registry/a.io-reg.sock");
/// let mut world = World::default();
/// world.discover(socket, Instance(1));
/// let begun = world.begin(Duration::ZERO);
/// assert_eq!(begun, [Begin::Register { socket: socket.to_owned(), instance: Instance(1) }]);
/// let pause = world.failed(socket, Duration::from_secs(1));
/// assert_eq!(pause, Duration::from_millis(500));
/// ```
#[derive(Clone, Debug, Default)]
pub struct World {
    desired: BTreeMap<PathBuf, Instance>,
    actual: BTreeMap<PathBuf, (Instance, String)>,
    operations: BTreeMap<PathBuf, Operation>,
    /// Paths at which the two differ.
    open: BTreeSet<PathBuf>,
}

/// What was last done at a path and did not succeed, or is being done.
#[derive(Clone, Copy, Debug, Default)]
struct Operation {
    pending: bool,
    pause: Duration,
    not_before: Duration,
}

impl World {
    /// The time between two looks at the world.
    pub const LOOP: Duration = Duration::from_secs(1);

    /// The pause after a first failure.
    pub const FIRST_PAUSE: Duration = Duration::from_millis(500);

    /// The longest pause.
    pub const LONGEST_PAUSE: Duration = Duration::from_secs(122);

    /// A socket was seen: a new one, or another one at a known path.
    pub fn discover(&mut self, socket: &Path, instance: Instance) {
        self.desired.insert(socket.to_owned(), instance);
        self.compare(socket);
    }

    /// A socket was removed. Says whether it was known.
    pub fn vanish(&mut self, socket: &Path) -> bool {
        let known = self.desired.remove(socket).is_some();
        self.compare(socket);
        known
    }

    /// A plugin was found good enough to be registered; from now on its going is worth an operation.
    pub fn add(&mut self, socket: &Path, instance: Instance, driver: &str) {
        self.actual
            .insert(socket.to_owned(), (instance, driver.to_owned()));
        self.compare(socket);
    }

    /// A plugin is not registered after all, or any more. Says which driver that was.
    pub fn forget(&mut self, socket: &Path) -> Option<String> {
        let forgotten = self.actual.remove(socket);
        self.compare(socket);
        forgotten.map(|(_, driver)| driver)
    }

    /// The operation at a path succeeded.
    pub fn succeeded(&mut self, socket: &Path) {
        self.operations.remove(socket);
    }

    /// The operation at a path failed; returns the pause before the next one there.
    pub fn failed(&mut self, socket: &Path, now: Duration) -> Duration {
        let operation = self.operations.entry(socket.to_owned()).or_default();
        operation.pending = false;
        operation.pause = match operation.pause {
            Duration::ZERO => Self::FIRST_PAUSE,
            pause => Self::LONGEST_PAUSE.min(pause * 2),
        };
        operation.not_before = now + operation.pause;
        operation.pause
    }

    /// Leaves a path alone until another socket is there, whatever has become of it.
    pub fn abandon(&mut self, socket: &Path) {
        self.open.remove(socket);
    }

    /// Whether there is something that is not as it should be, so that the kubelet has to look again.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether another operation will follow at this path when its pause is over.
    #[must_use]
    pub fn will_retry(&self, socket: &Path) -> bool {
        self.open.contains(socket)
    }

    /// Begins all operations that are due. The end of each is to be told, by [`World::succeeded`] or [`World::failed`].
    ///
    /// A path at which something is unregistered has its turn to register at the next look, even if the former ends at once.
    /// That is inferred from the code: the two are goroutines under one key.
    pub fn begin(&mut self, now: Duration) -> Vec<Begin> {
        let free = |socket: &&PathBuf| match self.operations.get(*socket) {
            Some(operation) => !operation.pending && operation.not_before < now,
            None => true,
        };
        let (mut begun, mut later) = (Vec::new(), Vec::new());
        for socket in self.open.iter().filter(free) {
            match (self.actual.get(socket), self.desired.get(socket)) {
                (Some((_, driver)), _) => begun.push(Begin::Unregister {
                    socket: socket.clone(),
                    driver: driver.clone(),
                }),
                (None, Some(instance)) => later.push(Begin::Register {
                    socket: socket.clone(),
                    instance: *instance,
                }),
                (None, None) => {}
            }
        }
        begun.append(&mut later);
        for begin in &begun {
            let (Begin::Unregister { socket, .. } | Begin::Register { socket, .. }) = begin;
            self.operations.entry(socket.clone()).or_default().pending = true;
        }
        begun
    }

    fn compare(&mut self, socket: &Path) {
        let desired = self.desired.get(socket);
        let actual = self.actual.get(socket).map(|(instance, _)| instance);
        if desired == actual {
            self.open.remove(socket);
        } else {
            self.open.insert(socket.to_owned());
        }
    }
}
