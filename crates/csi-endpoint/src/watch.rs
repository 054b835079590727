//! Waiting until something changes at the path of a socket.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::Endpoint;

mod inotify;

use inotify::Inotify;

/// How changes at a path are noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchOptions {
    /// Whether to ask the kernel for events; true by default.
    ///
    /// False is for file systems whose changes come from another kernel, and so without events: virtiofs, 9p, NFS.
    pub inotify: bool,
    /// How long at most to trust that no event means no change; 1 s by default.
    ///
    /// A directory mounted over the watched one and a symbolic link turned elsewhere make no event.
    pub safety_poll: Duration,
    /// The time between two looks where there are no events; 20 ms by default.
    pub poll: Duration,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            inotify: true,
            safety_poll: Duration::from_secs(1),
            poll: Duration::from_millis(20),
        }
    }
}

/// Wakes up when something may have changed at the path of a socket.
///
/// It watches the directory of the socket, or the nearest directory there is while that one is missing. Where the
/// kernel has no watch left (`fs.inotify.max_user_instances`, `max_user_watches`) or the directory may not be read, it
/// wakes up at short intervals instead, until a watch can be had.
///
/// It says that there was a change and not which, so look after each wake-up; a change between the look and the next
/// wait is not lost.
///
/// ```
/// use csi_endpoint::{Endpoint, SocketWatch, WatchOptions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// let endpoint = Endpoint::from_path(dir.path().join("later/csi.sock"))?;
/// let mut watch = SocketWatch::new(endpoint.clone(), WatchOptions::default());
/// # let path = endpoint.path().to_owned();
/// # std::thread::spawn(move || {
/// #     std::fs::create_dir(path.parent().unwrap()).unwrap();
/// #     std::os::unix::net::UnixListener::bind(path).unwrap();
/// # });
/// while !endpoint.path().exists() {
///     watch.changed().await;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SocketWatch {
    endpoint: Endpoint,
    options: WatchOptions,
    inotify: Option<Inotify>,
    armed: bool,
    polling_is_known: bool,
}

impl SocketWatch {
    /// Begins to watch. Look at the path after this, not before.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime with I/O and time enabled.
    pub fn new(endpoint: Endpoint, options: WatchOptions) -> Self {
        let mut watch = Self {
            endpoint,
            options,
            inotify: None,
            armed: false,
            polling_is_known: false,
        };
        watch.arm();
        watch
    }

    /// Waits until something may have changed: an event, or the end of the interval to which events are trusted.
    ///
    /// Cancel safe: dropping the future loses no change.
    pub async fn changed(&mut self) {
        let event = match &self.inotify {
            Some(inotify) if self.armed => {
                timeout(self.options.safety_poll, inotify.changed()).await
            }
            _ => Ok(Err(())),
        };
        if let Ok(Err(())) = event {
            sleep(self.options.poll).await;
        }
        self.arm();
    }

    /// Whether there are no events just now, so that it wakes up at short intervals.
    pub fn is_polling(&self) -> bool {
        !self.armed
    }

    /// Watches what is there now: a directory on the way may have come, gone, or been replaced.
    fn arm(&mut self) {
        let armed = if self.options.inotify {
            self.try_arm()
        } else {
            Ok(false)
        };
        self.armed = matches!(armed, Ok(true));
        if let Err(error) = &armed
            && !self.polling_is_known
        {
            let (socket, poll) = (self.endpoint.path().display(), self.options.poll);
            tracing::info!(%socket, %error, ?poll, "no inotify watch to be had, so the path is polled");
        }
        self.polling_is_known = armed.is_err();
    }

    fn try_arm(&mut self) -> std::io::Result<bool> {
        let inotify = match &mut self.inotify {
            Some(inotify) => inotify,
            none => none.insert(Inotify::new()?),
        };
        inotify.arm(&self.endpoint)?;
        Ok(true)
    }
}
