//! A plugin that closes its connections by itself, as servers with a limit on idle time or age do.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::copy_bidirectional;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;

/// Stands before a plugin and cuts each connection when it has been there for a while.
#[derive(Debug)]
pub(crate) struct Impatient {
    cut: Arc<AtomicUsize>,
    server: JoinHandle<()>,
}

impl Impatient {
    pub(crate) fn start(path: &Path, plugin: &Path, age: Duration) -> Self {
        let listener = UnixListener::bind(path).unwrap();
        let plugin = plugin.to_owned();
        let cut = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&cut);
        let server = tokio::spawn(async move {
            loop {
                let (mut client, _) = listener.accept().await.unwrap();
                let mut inner = UnixStream::connect(&plugin).await.unwrap();
                let counter = Arc::clone(&counter);
                tokio::spawn(async move {
                    let passed = copy_bidirectional(&mut client, &mut inner);
                    if tokio::time::timeout(age, passed).await.is_err() {
                        counter.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        Self { cut, server }
    }

    /// How many connections it has cut.
    pub(crate) fn cut(&self) -> usize {
        self.cut.load(Ordering::Relaxed)
    }
}

impl Drop for Impatient {
    fn drop(&mut self) {
        self.server.abort();
    }
}
