//! HTTP/2 by hand, for what no client library would do: to begin a call and leave it at that.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use crate::program::PATIENCE;

pub(crate) const DATA: u8 = 0;
const HEADERS: u8 = 1;
pub(crate) const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;

pub(crate) const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;

pub(crate) const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// One frame (RFC 9113, section 4.1), as far as anybody here looks at it.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
}

/// Reads the next frame; nothing at the end of the stream.
pub(crate) fn read_frame(stream: &mut UnixStream) -> Option<Frame> {
    let mut header = [0; 9];
    stream.read_exact(&mut header).ok()?;
    let [high, middle, low, kind, flags, ..] = header;
    let len = u32::from_be_bytes([0, high, middle, low]);
    let mut payload = vec![0; len as usize];
    stream.read_exact(&mut payload).ok()?;
    Some(Frame { kind, flags })
}

pub(crate) fn write_frame(stream: &mut UnixStream, kind: u8, flags: u8, id: u8, payload: &[u8]) {
    let len = u8::try_from(payload.len()).unwrap();
    let header = [0, 0, len, kind, flags, 0, 0, 0, id];
    stream.write_all(&[&header, payload].concat()).unwrap();
}

/// A call that has begun and does not go on: its request has headers and no body.
#[derive(Debug)]
pub(crate) struct OpenCall(UnixStream);

impl OpenCall {
    /// Begins it, and returns when the server knows of it.
    pub(crate) fn begin(socket: &Path) -> Self {
        let mut stream = UnixStream::connect(socket).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(PREFACE).unwrap();
        write_frame(&mut stream, SETTINGS, 0, 0, &[]);
        write_frame(&mut stream, HEADERS, END_HEADERS, 1, &request_headers());
        // Frames are taken in their order, so an answer to this one tells of those before.
        write_frame(&mut stream, PING, 0, 0, &[0; 8]);
        let mut call = Self(stream);
        call.await_frame(PING, ACK);
        call
    }

    /// Waits until the server says that it is going away.
    pub(crate) fn await_goodbye(&mut self) {
        self.await_frame(GOAWAY, 0);
    }

    fn await_frame(&mut self, kind: u8, flags: u8) {
        loop {
            let frame = read_frame(&mut self.0).expect("the server stays");
            if frame.kind == kind && frame.flags & flags == flags {
                break;
            }
        }
    }
}

/// The headers of a Probe (RFC 7541, appendix A, has the numbers), all without indexing.
fn request_headers() -> Vec<u8> {
    const METHOD_POST: u8 = 0x83;
    const SCHEME_HTTP: u8 = 0x86;
    const AUTHORITY: &[u8] = &[0x01];
    const PATH: &[u8] = &[0x04];
    const CONTENT_TYPE: &[u8] = &[0x0f, 0x10];
    let mut block = vec![METHOD_POST, SCHEME_HTTP];
    for (name, value) in [
        (AUTHORITY, "localhost"),
        (PATH, "/csi.v1.Identity/Probe"),
        (CONTENT_TYPE, "application/grpc"),
        (b"\0\x02te", "trailers"),
    ] {
        block.extend(name);
        block.push(u8::try_from(value.len()).unwrap());
        block.extend(value.as_bytes());
    }
    block
}
