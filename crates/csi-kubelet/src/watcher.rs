//! Which sockets come and go below a directory, as the kubelet's watcher sees it (`plugin_watcher.go`).

use std::collections::HashMap;
use std::fs::{self, FileType};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use tokio::io::{Interest, unix::AsyncFd};

/// How many directories are watched at most; a kubelet goes on until the system refuses.
const MAX_DIRECTORIES: usize = 4096;

/// How many files are looked at on one walk; a kubelet looks at all of them.
const MAX_FILES: usize = 100_000;

/// What a watcher saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// There is a socket at this path, a new one even if there was one before.
    Found(PathBuf),
    /// What was at this path is removed, whatever it was.
    Gone(PathBuf),
    /// Something that a kubelet leaves alone, or cannot look at.
    Ignored(PathBuf, String),
}

/// An inotify watch on each directory of a tree.
///
/// There is no second look: what the kernel does not tell of stays unseen until the kubelet starts anew. That this is so where
/// events were lost is inferred from the code.
#[derive(Debug)]
pub(crate) struct Watcher {
    fd: AsyncFd<OwnedFd>,
    root: PathBuf,
    directories: HashMap<i32, PathBuf>,
}

impl Watcher {
    /// Begins to watch; returns what is there. Links to sockets count only if the version takes them at this moment.
    pub(crate) fn start(root: &Path, takes_links: bool) -> io::Result<(Self, Vec<Change>)> {
        let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        #[expect(
            deprecated,
            reason = "sound here, since an OwnedFd keeps its descriptor; the successor is unsafe, which is forbidden here"
        )]
        let fd = AsyncFd::with_interest(fd, Interest::READABLE)?;
        let mut watcher = Self {
            fd,
            root: root.to_owned(),
            directories: HashMap::new(),
        };
        watcher.watch(root)?;
        let mut seen = Vec::new();
        watcher.walk(root, takes_links, &mut seen);
        Ok((watcher, seen))
    }

    /// Waits until there is something to see, and returns all there is.
    pub(crate) async fn changes(&mut self) -> io::Result<Vec<Change>> {
        loop {
            let mut ready = self.fd.readable().await?;
            let events = drain(&self.fd)?;
            ready.clear_ready();
            let mut seen = Vec::new();
            for event in events {
                self.see(event, &mut seen);
            }
            if !seen.is_empty() {
                return Ok(seen);
            }
        }
    }

    fn see(&mut self, event: Happened, seen: &mut Vec<Change>) {
        let Happened { watch, flags, name } = event;
        if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
            let reason = "so much happened at once that the kernel dropped events; what they told of stays unseen until the kubelet \
                          starts anew";
            seen.push(Change::Ignored(self.root.clone(), reason.to_owned()));
        }
        if flags.contains(ReadFlags::IGNORED) {
            self.lost(watch, seen);
            return;
        }
        if flags.contains(ReadFlags::MOVE_SELF) {
            self.moved(watch, seen);
            return;
        }
        let (Some(directory), Some(name)) = (self.directories.get(&watch), name) else {
            return;
        };
        let path = directory.join(std::ffi::OsStr::from_bytes(&name));
        if flags.intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO) {
            self.created(path, seen);
        } else if flags.contains(ReadFlags::DELETE) {
            seen.push(Change::Gone(path));
        }
    }

    /// A directory was moved: what was below it is not heard of any more, as with the kubelet's fsnotify since 1.7, unless it has been
    /// found at its new place already, by which it then goes.
    fn moved(&mut self, watch: i32, seen: &mut Vec<Change>) {
        if let Some(directory) = self.directories.get(&watch)
            && !directory.exists()
        {
            // It may have been removed meanwhile, and its watch with it.
            let _ = inotify::remove_watch(&self.fd, watch);
            self.lost(watch, seen);
        }
    }

    fn lost(&mut self, watch: i32, seen: &mut Vec<Change>) {
        let directory = self.directories.remove(&watch);
        if directory.is_some_and(|directory| directory == self.root) {
            let reason = "the directory itself is gone; one that takes its place stays unseen until the kubelet starts anew";
            seen.push(Change::Ignored(self.root.clone(), reason.to_owned()));
        }
    }

    /// Something is new at a path: made there, or moved there. What is behind a link counts.
    fn created(&mut self, path: PathBuf, seen: &mut Vec<Change>) {
        if is_hidden(&path) {
            let reason = "its name begins with a dot";
            seen.push(Change::Ignored(path, reason.to_owned()));
            return;
        }
        let kind = match fs::metadata(&path) {
            Ok(file) => file.file_type(),
            Err(error) => {
                seen.push(Change::Ignored(path, format!("cannot look at it: {error}")));
                return;
            }
        };
        if !kind.is_dir() {
            seen.push(taken(path, kind));
            return;
        }
        let is_link = fs::symlink_metadata(&path).is_ok_and(|file| file.is_symlink());
        if self.watched(&path, seen) && !is_link {
            // By now every version follows links to sockets.
            self.walk(&path, true, seen);
        }
    }

    /// Looks at all that is below a directory, and watches its directories, those with hidden names, too.
    fn walk(&mut self, root: &Path, takes_links: bool, seen: &mut Vec<Change>) {
        let mut left = vec![root.to_owned()];
        let mut files = 0;
        while let Some(directory) = left.pop() {
            let entries =
                fs::read_dir(&directory).and_then(Iterator::collect::<io::Result<Vec<_>>>);
            let mut entries = match entries {
                Ok(entries) => entries,
                Err(error) => {
                    let reason = format!("cannot read the directory: {error}");
                    seen.push(Change::Ignored(directory, reason));
                    continue;
                }
            };
            entries.sort_by_key(fs::DirEntry::file_name);
            for entry in entries {
                files += 1;
                if files > MAX_FILES {
                    let reason =
                        format!("it and what follows is not looked at: over {MAX_FILES} files");
                    seen.push(Change::Ignored(entry.path(), reason));
                    return;
                }
                let path = entry.path();
                // Not through links, as file trees are walked.
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => {
                        if self.watched(&path, seen) {
                            left.push(path);
                        }
                    }
                    Ok(kind) => seen.push(found(path, kind, takes_links)),
                    Err(error) => {
                        seen.push(Change::Ignored(path, format!("cannot look at it: {error}")));
                    }
                }
            }
        }
    }

    fn watched(&mut self, directory: &Path, seen: &mut Vec<Change>) -> bool {
        match self.watch(directory) {
            Ok(()) => true,
            Err(error) => {
                let reason = format!("cannot watch the directory: {error}");
                seen.push(Change::Ignored(directory.to_owned(), reason));
                false
            }
        }
    }

    fn watch(&mut self, directory: &Path) -> io::Result<()> {
        if self.directories.len() >= MAX_DIRECTORIES {
            let reason = format!("{MAX_DIRECTORIES} directories are watched already");
            return Err(io::Error::other(reason));
        }
        let flags = WatchFlags::CREATE
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        let watch = inotify::add_watch(&self.fd, directory, flags)?;
        self.directories.insert(watch, directory.to_owned());
        Ok(())
    }
}

/// What an inotify event says.
struct Happened {
    watch: i32,
    flags: ReadFlags,
    name: Option<Vec<u8>>,
}

fn drain(fd: &AsyncFd<OwnedFd>) -> io::Result<Vec<Happened>> {
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut reader = Reader::new(fd, &mut buffer);
    let mut events = Vec::new();
    loop {
        match reader.next() {
            Ok(event) => events.push(Happened {
                watch: event.wd(),
                flags: event.events(),
                name: event.file_name().map(|name| name.to_bytes().to_vec()),
            }),
            Err(Errno::AGAIN) => return Ok(events),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Something found on a walk.
fn found(path: PathBuf, kind: FileType, takes_links: bool) -> Change {
    if is_hidden(&path) {
        return Change::Ignored(path, "its name begins with a dot".to_owned());
    }
    if !kind.is_symlink() {
        return taken(path, kind);
    }
    if !takes_links {
        let reason = "it is a symbolic link, which kubelets to 1.24 leave alone when they start";
        return Change::Ignored(path, reason.to_owned());
    }
    match fs::metadata(&path) {
        Ok(file) => taken(path, file.file_type()),
        Err(error) => Change::Ignored(path, format!("cannot look at it: {error}")),
    }
}

fn taken(path: PathBuf, kind: FileType) -> Change {
    if kind.is_socket() {
        Change::Found(path)
    } else {
        Change::Ignored(path, "it is no socket".to_owned())
    }
}

fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.as_bytes().starts_with(b".")
}
