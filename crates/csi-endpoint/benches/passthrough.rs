//! What the authority repair costs a connection, per read.
//!
//! The same HTTP/2 bytes, one HEADERS frame and many DATA frames after it, are read from memory in three ways: bare,
//! through a repair that has nothing to do, and through one that repairs. From memory, because the system calls of a real
//! socket would hide what is to be seen: a connection that needs no repair pays once, for its first HEADERS, and for one
//! branch a read from then on. The first 4 KiB are therefore timed by themselves.
//!
//! All three take turns in one run; times are the medians of the rounds, ratios the medians of the ratios within each
//! round. A repair hands out each frame by itself, so it takes more and smaller reads: the ratios are of times per byte.
//!
//! `cargo bench --package csi-endpoint --bench passthrough` prints a table.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark prints, and fails by panicking"
)]

#[expect(dead_code, reason = "the tests need more of it")]
#[path = "../tests/http2/wire.rs"]
mod wire;

use std::hint::black_box;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use csi_endpoint::AuthorityRepair;
use httlib_hpack::Encoder;
use tokio::io::{AsyncRead, ReadBuf};

const GOOD: &str = "localhost";
const BAD: &str = "/var/lib/kubelet/plugins_registry/disk.example.org-reg.sock";

/// Bytes in DATA frames of one pass. They stay in a cache, so that it does not matter who read them before.
const VOLUME: usize = 512 * 1024;
/// The part that is timed by itself: all that a repair without work reads before it steps aside.
const OPENING: usize = 4096;
const PASSES: usize = 16;
const ROUNDS: usize = 51;
const MAX_HEADER_LIST_SIZE: usize = 16 * 1024;

/// Payload of a DATA frame, and size of a read: small gRPC messages, what h2 reads by default, a large transfer.
const SHAPES: [(usize, usize); 4] = [(100, 256), (100, 8192), (16_384, 8192), (16_384, 65_536)];

fn main() {
    println!(
        "DATA bytes  read bytes | a: bare                | b: passed through      | c: repairing           | \
         b/a, c/a per byte | first 4 KiB: a, b, c in ns"
    );
    for (payload, size) in SHAPES {
        let (good, bad) = (stream(GOOD, payload), stream(BAD, payload));
        let mut rounds = Vec::new();
        for round in 0..ROUNDS {
            let mut results = [Run::default(); 3];
            for turn in 0..3 {
                // Each goes first equally often.
                let which = (round + turn) % 3;
                results[which] = match which {
                    0 => Run::of(|| good.as_slice(), size),
                    1 => Run::of(|| repair(&good), size),
                    _ => Run::of(|| repair(&bad), size),
                };
            }
            rounds.push(results);
        }
        let of_each = |value: fn(&Run) -> f64| {
            [0, 1, 2].map(|which| median(&rounds, |round| value(&round[which])))
        };
        let [a, b, c] = of_each(Run::per_read);
        let [a_rate, b_rate, c_rate] = of_each(Run::rate);
        let [a_opening, b_opening, c_opening] = of_each(Run::per_opening);
        let [b_ratio, c_ratio] = [1, 2].map(|which| {
            median(&rounds, |round| {
                round[which].per_byte() / round[0].per_byte()
            })
        });
        println!(
            "{payload:>10} {size:>11} | {a:>6.1} ns {a_rate:>7.0} MB/s | {b:>6.1} ns {b_rate:>7.0} MB/s | \
             {c:>6.1} ns {c_rate:>7.0} MB/s | {b_ratio:>8.3} {c_ratio:>8.2} | \
             {a_opening:>5.0} {b_opening:>5.0} {c_opening:>5.0}"
        );
    }
}

/// A request and its DATA frames.
fn stream(authority: &str, payload: usize) -> Vec<u8> {
    let mut block = Vec::new();
    let mut encoder = Encoder::with_dynamic_size(4096);
    for (name, value) in [(":authority", authority)].iter().chain(&wire::GRPC_FIELDS) {
        wire::field(&mut encoder, name, value, Encoder::BEST_FORMAT, &mut block);
    }
    let mut bytes = wire::opening();
    let framing = wire::Framing::default();
    bytes.extend(wire::block_frames(&block, 1, false, &framing));
    let data = wire::frame(wire::DATA, 0, 1, &vec![7; payload]);
    bytes.extend(data.repeat(VOLUME / payload));
    bytes
}

fn repair(bytes: &[u8]) -> AuthorityRepair<&[u8]> {
    AuthorityRepair::new(bytes, MAX_HEADER_LIST_SIZE)
}

/// Several passes over all the bytes, each by a new reader.
#[derive(Clone, Copy, Default)]
struct Run {
    /// For the first part, which has the HEADERS frame.
    opening: Duration,
    /// For the rest, as are the numbers below.
    time: Duration,
    reads: usize,
    bytes: usize,
}

impl Run {
    fn of<R: AsyncRead + Unpin>(reader: impl Fn() -> R, size: usize) -> Self {
        let mut buffer = vec![0; size];
        Self::default().pass(reader(), &mut buffer);
        let mut run = Self::default();
        for _ in 0..PASSES {
            run.pass(reader(), &mut buffer);
        }
        run
    }

    fn pass(&mut self, mut reader: impl AsyncRead + Unpin, buffer: &mut [u8]) {
        let start = Instant::now();
        let mut opening = 0;
        while opening < OPENING {
            opening += read(&mut reader, buffer);
        }
        self.opening += start.elapsed();

        let start = Instant::now();
        loop {
            let bytes = read(&mut reader, buffer);
            if bytes == 0 {
                break;
            }
            self.reads += 1;
            self.bytes += bytes;
        }
        self.time += start.elapsed();
    }

    /// Nanoseconds for the first part of one connection.
    fn per_opening(&self) -> f64 {
        self.opening.as_nanos() as f64 / PASSES as f64
    }

    /// Nanoseconds for one read.
    fn per_read(&self) -> f64 {
        self.time.as_nanos() as f64 / self.reads as f64
    }

    fn per_byte(&self) -> f64 {
        self.time.as_nanos() as f64 / self.bytes as f64
    }

    /// Megabytes in a second.
    fn rate(&self) -> f64 {
        1000.0 / self.per_byte()
    }
}

fn read(reader: &mut (impl AsyncRead + Unpin), buffer: &mut [u8]) -> usize {
    let mut context = Context::from_waker(Waker::noop());
    let mut read = ReadBuf::new(buffer);
    let polled = Pin::new(reader).poll_read(&mut context, &mut read);
    assert!(matches!(polled, Poll::Ready(Ok(()))), "memory is ready");
    black_box(read.filled()).len()
}

fn median(rounds: &[[Run; 3]], value: impl Fn(&[Run; 3]) -> f64) -> f64 {
    let mut values: Vec<_> = rounds.iter().map(value).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
