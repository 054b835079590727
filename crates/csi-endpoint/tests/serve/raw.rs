//! A client that writes what it likes.

use std::collections::BTreeSet;
use std::io;

use httlib_hpack::{Decoder, Encoder};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;

use crate::bounded::within;
use crate::served::Served;
use crate::wire::{self, Fields, Frame, Framing};

pub(crate) const GOOD: &str = "localhost";
pub(crate) const BAD: &str = "/run/csi/csi.sock";

const GET_INFO: &str = "/pluginregistration.Registration/GetInfo";
pub(crate) const NOTIFY: &str = "/pluginregistration.Registration/NotifyRegistrationStatus";

/// A gRPC message without a field, length and all.
const EMPTY_MESSAGE: [u8; 5] = [0; 5];

#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) stream: UnixStream,
    unread: Vec<u8>,
    frames: Vec<Frame>,
}

/// All that a server said, and whether it then closed the connection.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) frames: Vec<Frame>,
    pub(crate) closed: bool,
}

impl Raw {
    pub(crate) async fn connect(served: &Served) -> Self {
        let stream = UnixStream::connect(served.endpoint.path()).await.unwrap();
        Self {
            stream,
            unread: Vec::new(),
            frames: Vec::new(),
        }
    }

    /// Connects and sends the opening of HTTP/2; the server's own has arrived.
    pub(crate) async fn opened(served: &Served) -> Self {
        let mut raw = Self::connect(served).await;
        raw.send(&wire::opening()).await;
        raw.hear(wire::SETTINGS).await;
        raw
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        let writing = self.stream.write_all(bytes);
        within("writing", writing).await.unwrap();
    }

    /// Reads until a frame of the kind arrives.
    pub(crate) async fn hear(&mut self, kind: u8) -> Frame {
        let mut heard = None;
        let arrives = |frame: &Frame| {
            let arrives = frame.kind == kind && heard.is_none();
            if arrives {
                heard = Some(frame.clone());
            }
            arrives
        };
        let closed = self.exchange(&[], arrives).await;
        assert!(!closed, "closed before a frame of kind {kind} came");
        heard.unwrap()
    }

    /// Sends `bytes` and a PING, and reads until its answer comes or the connection ends.
    pub(crate) async fn talk(mut self, bytes: &[u8]) -> Heard {
        let sent = [bytes, &wire::frame(wire::PING, 0, 0, b"the last")].concat();
        let answers = |frame: &Frame| frame.kind == wire::PING && frame.payload == b"the last";
        let closed = self.exchange(&sent, answers).await;
        self.heard(closed)
    }

    /// Sends `bytes` and reads until so many streams have ended, or the connection has: says whether it has.
    pub(crate) async fn call(&mut self, bytes: &[u8], streams: usize) -> bool {
        let mut ended = BTreeSet::new();
        let ends_the_last = |frame: &Frame| {
            let ends = match frame.kind {
                wire::HEADERS | wire::DATA => frame.flags & wire::END_STREAM != 0,
                kind => kind == wire::RST_STREAM,
            };
            if ends {
                ended.insert(frame.stream);
            }
            ended.len() == streams
        };
        self.exchange(bytes, ends_the_last).await
    }

    /// Sends nothing more and reads until the server ends the connection.
    pub(crate) async fn ending(mut self) -> Vec<Frame> {
        let closed = self.exchange(&[], |_| false).await;
        assert!(closed);
        self.frames
    }

    pub(crate) fn heard(self, closed: bool) -> Heard {
        let Self { frames, .. } = self;
        Heard { frames, closed }
    }

    /// Writes and reads at the same time, until a frame is the `last` one or the connection has ended: says whether it has.
    async fn exchange(&mut self, sent: &[u8], mut last: impl FnMut(&Frame) -> bool) -> bool {
        let Self {
            stream,
            unread,
            frames,
        } = self;
        let (mut reader, mut writer) = stream.split();
        let writing = async {
            // A server that ends the connection half-way makes this fail, which the reader notices too.
            let _ = writer.write_all(sent).await;
            std::future::pending().await
        };
        let reading = async {
            loop {
                match reader.read_buf(unread).await {
                    Ok(0) => return true,
                    Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return true,
                    read => read.unwrap(),
                };
                let (arrived, rest) = wire::frames(unread);
                let is_done = arrived.iter().filter(|frame| last(frame)).count() > 0;
                frames.extend(arrived);
                *unread = rest.to_vec();
                if is_done {
                    return false;
                }
            }
        };
        let both = async {
            tokio::select! {
                biased;
                ended = reading => ended,
                never = writing => never,
            }
        };
        within("the last answer, or the end", both).await
    }
}

impl Heard {
    /// The error code of the last GOAWAY, as RFC 9113 numbers them.
    pub(crate) fn goaway(&self) -> Option<u32> {
        let goaway = self.of_kind(wire::GOAWAY).last()?;
        Some(u32::from_be_bytes(goaway.payload[4..8].try_into().unwrap()))
    }

    pub(crate) fn of_kind(&self, kind: u8) -> impl Iterator<Item = &Frame> {
        self.frames.iter().filter(move |frame| frame.kind == kind)
    }

    /// The header blocks in their order, decoded, each with its stream. None is spread over frames.
    pub(crate) fn headers(&self) -> Vec<(u32, Fields)> {
        let mut decoder = Decoder::with_dynamic_size(4096);
        self.of_kind(wire::HEADERS)
            .map(|frame| {
                let mut fields = Vec::new();
                decoder
                    .decode(&mut frame.payload.clone(), &mut fields)
                    .unwrap();
                let fields = fields.into_iter().map(|(name, value, _)| (name, value));
                (frame.stream, fields.collect())
            })
            .collect()
    }

    /// The streams whose call ended with status OK.
    pub(crate) fn answered(&self) -> Vec<u32> {
        let ok = (b"grpc-status".to_vec(), b"0".to_vec());
        let headers = self.headers().into_iter();
        headers
            .filter_map(|(stream, fields)| fields.contains(&ok).then_some(stream))
            .collect()
    }
}

/// The header block of a call; every encoder is at its beginning where a connection begins.
pub(crate) fn block(
    encoder: &mut Encoder<'_>,
    path: &str,
    authority: &str,
    more: &[(String, String)],
) -> Vec<u8> {
    let flags = Encoder::BEST_FORMAT | Encoder::WITH_INDEXING | Encoder::HUFFMAN_VALUE;
    let mut block = Vec::new();
    for (name, value) in [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", authority),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ] {
        wire::field(encoder, name, value, flags, &mut block);
    }
    for (name, value) in more {
        wire::field(encoder, name, value, flags, &mut block);
    }
    block
}

/// A whole call: its headers, and an empty message that ends it.
pub(crate) fn call(
    encoder: &mut Encoder<'_>,
    path: &str,
    authority: &str,
    stream: u32,
    more: &[(String, String)],
) -> Vec<u8> {
    let block = block(encoder, path, authority, more);
    let mut frames = wire::block_frames(&block, stream, false, &Framing::default());
    frames.extend(wire::frame(
        wire::DATA,
        wire::END_STREAM,
        stream,
        &EMPTY_MESSAGE,
    ));
    frames
}

/// A GetInfo call, the first of its connection.
pub(crate) fn first_call(authority: &str) -> Vec<u8> {
    let mut encoder = Encoder::with_dynamic_size(4096);
    call(&mut encoder, GET_INFO, authority, 1, &[])
}

/// A GetInfo call.
pub(crate) fn get_info(
    encoder: &mut Encoder<'_>,
    authority: &str,
    stream: u32,
    more: &[(String, String)],
) -> Vec<u8> {
    call(encoder, GET_INFO, authority, stream, more)
}
