//! A process that has no descriptor left. Alone in its process, whose limit it lowers.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::get;
use csi_health::{HttpListener, HttpOptions, serve};
use rustix::process::{Resource, getrlimit, setrlimit};
use tracing_subscriber::filter::LevelFilter;

const PATIENCE: Duration = Duration::from_secs(30);

/// A log that can be looked into.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(text)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// How many lines have the text in them.
    fn count(&self, text: &str) -> usize {
        let log = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        log.lines().filter(|line| line.contains(text)).count()
    }
}

#[tokio::test]
async fn without_descriptors_the_server_rests_and_serves_again_when_some_are_free() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::DEBUG)
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();

    let listener = HttpListener::bind(&"127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listener.local_address();
    // The kernel connects them without the server, which has yet to begin.
    let mut clients: Vec<_> = (0..8)
        .map(|_| TcpStream::connect(address).unwrap())
        .collect();
    let router = Router::new().route("/", get(async || "ok"));
    let server = serve(
        listener,
        router,
        HttpOptions::default(),
        std::future::pending::<()>(),
    );
    let server = tokio::spawn(server);
    let spare = 2;
    let next = rustix::io::dup(&clients[0]).unwrap().as_raw_fd();
    let before = getrlimit(Resource::Nofile);
    let mut few = before;
    few.current = Some(u64::try_from(next).unwrap() + spare);
    setrlimit(Resource::Nofile, few).unwrap();

    let start = Instant::now();
    let tries = || log.count("cannot accept an HTTP connection, trying on");
    while tries() < 3 {
        assert!(start.elapsed() < PATIENCE && !server.is_finished());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(start.elapsed() >= Duration::from_millis(300), "it spins");
    assert_eq!(log.count("cannot accept HTTP connections, trying on"), 1);

    setrlimit(Resource::Nofile, before).unwrap();
    let mut last = clients.pop().unwrap();
    let answer = tokio::task::spawn_blocking(move || {
        last.set_read_timeout(Some(PATIENCE)).unwrap();
        last.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
        let mut text = String::new();
        last.read_to_string(&mut text).map(|_| text)
    });
    assert!(answer.await.unwrap().unwrap().ends_with("\r\n\r\nok"));
}
