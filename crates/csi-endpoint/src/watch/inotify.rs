//! One inotify instance with one watch, that follows a path through directories that come and go.

use std::{
    ffi::OsString,
    io,
    mem::MaybeUninit,
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
};

use rustix::{
    fs::inotify::{self, CreateFlags, Event, ReadFlags, Reader, WatchFlags},
    io::Errno,
};
use tokio::io::{Interest, unix::AsyncFd};

use crate::{
    Endpoint, FileKind,
    obstacle::{Obstacle, walk},
};

/// How often directories may change under our hands before this gives up and leaves it to polling.
const MAX_TRIES: usize = 16;

#[derive(Debug)]
pub(super) struct Inotify {
    fd: AsyncFd<OwnedFd>,
    watched: Option<(i32, Place)>,
}

/// A directory, and the name in it that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    directory: PathBuf,
    name: OsString,
}

impl Inotify {
    pub(super) fn new() -> io::Result<Self> {
        let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        #[expect(
            deprecated,
            reason = "sound here, since an OwnedFd keeps its descriptor; the successor is unsafe, which is forbidden here"
        )]
        let fd = AsyncFd::with_interest(fd, Interest::READABLE)?;
        Ok(Self { fd, watched: None })
    }

    /// Sets the watch to where the next change will be seen.
    pub(super) fn arm(&mut self, endpoint: &Endpoint) -> io::Result<()> {
        let mut place = Place::of(endpoint)?;
        for _ in 0..MAX_TRIES {
            self.watch(place.clone())?;
            // What was missing a moment ago may have come before the watch was set, and then no event tells of it.
            let now = Place::of(endpoint)?;
            if now == place {
                return Ok(());
            }
            place = now;
        }
        Err(io::Error::other("directories on the way change too fast"))
    }

    fn watch(&mut self, place: Place) -> io::Result<()> {
        let flags = WatchFlags::CREATE
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::ATTRIB
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        let before = self.watched.take();
        let watch = match inotify::add_watch(&self.fd, &place.directory, flags) {
            Ok(watch) => watch,
            // It went between the walk and now; the next walk says what is left.
            Err(Errno::NOENT | Errno::NOTDIR) => {
                self.watched = before;
                return Ok(());
            }
            Err(errno) => {
                self.remove(before.as_ref());
                return Err(errno.into());
            }
        };
        self.remove(before.as_ref().filter(|(old, _)| *old != watch));
        self.watched = Some((watch, place));
        Ok(())
    }

    fn remove(&self, watched: Option<&(i32, Place)>) {
        if let Some((watch, _)) = watched {
            // EINVAL says that the kernel removed it already, with its directory.
            let _ = inotify::remove_watch(&self.fd, *watch);
        }
    }

    /// Waits for an event at the place.
    pub(super) async fn changed(&self) -> Result<(), ()> {
        loop {
            let mut ready = self.fd.readable().await.map_err(drop)?;
            let relevant = self.drain()?;
            ready.clear_ready();
            if relevant {
                return Ok(());
            }
        }
    }

    /// Reads all events there are, and says whether one of them matters.
    fn drain(&self) -> Result<bool, ()> {
        let mut buffer = [MaybeUninit::uninit(); 1024];
        let mut reader = Reader::new(&self.fd, &mut buffer);
        let mut relevant = false;
        loop {
            match reader.next() {
                Ok(event) => relevant |= self.matters(&event),
                Err(Errno::AGAIN) => return Ok(relevant),
                Err(Errno::INTR) => {}
                Err(_) => return Err(()),
            }
        }
    }

    fn matters(&self, event: &Event<'_>) -> bool {
        if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
            return true;
        }
        let Some((watch, place)) = &self.watched else {
            return false;
        };
        // An event without a name is about the directory itself.
        *watch == event.wd()
            && event
                .file_name()
                .is_none_or(|name| name.to_bytes() == place.name.as_bytes())
    }
}

impl Place {
    /// Where the next change of an endpoint will be seen.
    fn of(endpoint: &Endpoint) -> io::Result<Self> {
        match walk(endpoint.directory()) {
            Ok((directory, stat)) if FileKind::of(&stat) == FileKind::Directory => Ok(Self {
                directory,
                name: endpoint.file_name().into(),
            }),
            Ok((element, _)) => Self::around(&element),
            Err(
                Obstacle::Missing(element)
                | Obstacle::NotADirectory(element, _)
                | Obstacle::NoSearch(element),
            ) => Self::around(&element),
            Err(Obstacle::Other(_, errno)) => Err(errno.into()),
        }
    }

    /// The element of a path in the directory it is in.
    fn around(element: &Path) -> io::Result<Self> {
        match (element.parent(), element.file_name()) {
            (Some(directory), Some(name)) => Ok(Self {
                directory: directory.to_owned(),
                name: name.to_owned(),
            }),
            _ => Err(Errno::ACCESS.into()),
        }
    }
}
