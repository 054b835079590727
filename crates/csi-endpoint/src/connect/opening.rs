//! The first bytes of an HTTP/2 connection, exchanged before anybody relies on it.
//!
//! An HTTP/2 client counts as connected when it has written its preface, whoever is at the other end, and a server
//! may wait for that preface before it says anything. So the fixed part of the preface is sent here and the server's
//! first frame awaited. The stream then hides both: it swallows the preface that the client writes, and gives back the
//! bytes that were read. What goes over the wire is what would have gone anyway.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf},
    net::UnixStream,
};

/// What every HTTP/2 client sends first (RFC 9113, section 3.4). Its SETTINGS, which follow, are not needed here:
/// servers answer with their own as soon as they have read this much, or sooner.
const PREFACE: [u8; 24] = *b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The length of a frame header (RFC 9113, section 4.1).
const FRAME_HEADER: usize = 9;

/// How much of an answer is read at most; enough to show what it is.
const MAX_READ: usize = 64;

/// How much of a strange answer is shown.
const MAX_SHOWN: usize = 32;

/// A stream whose peer has been seen to speak HTTP/2.
#[derive(Debug)]
pub(super) struct OpenedStream {
    inner: UnixStream,
    /// Read already, but not by the client.
    unread: Vec<u8>,
    /// How much of the preface the client has still to write.
    unwritten: usize,
}

/// Why a stream did not open.
#[derive(Debug)]
pub(super) enum NotOpened {
    Closed,
    NotHttp2 { seen: String },
    Io(io::Error),
}

/// Sends the preface and waits for the first frame, which has to be SETTINGS.
pub(super) async fn open(mut inner: UnixStream) -> Result<OpenedStream, NotOpened> {
    inner.write_all(&PREFACE).await.map_err(NotOpened::of)?;
    let mut buffer = [0; MAX_READ];
    let mut filled = 0;
    loop {
        match begins_with_settings(&buffer[..filled]) {
            Some(true) => break,
            Some(false) => {
                return Err(NotOpened::NotHttp2 {
                    seen: shown(&buffer[..filled]),
                });
            }
            None => {}
        }
        filled += match inner.read(&mut buffer[filled..]).await {
            Ok(0) if filled == 0 => return Err(NotOpened::Closed),
            Ok(0) => {
                return Err(NotOpened::NotHttp2 {
                    seen: shown(&buffer[..filled]),
                });
            }
            Ok(count) => count,
            Err(error) => return Err(NotOpened::of(error)),
        };
    }
    Ok(OpenedStream {
        inner,
        unread: buffer[..filled].to_vec(),
        unwritten: PREFACE.len(),
    })
}

/// Whether bytes begin with the header of a SETTINGS frame that is no acknowledgement (RFC 9113, section 6.5).
///
/// `None` says that it takes more bytes to tell.
fn begins_with_settings(bytes: &[u8]) -> Option<bool> {
    const SETTINGS: u8 = 4;
    const ACK: u8 = 1;
    // An entry has six bytes, and a frame at most 2^14 before a client allows more.
    const ENTRY: u16 = 6;
    const MAX_LEN: u16 = 1 << 14;
    let header = &bytes[..bytes.len().min(FRAME_HEADER)];
    let fits = |at: usize| match at {
        0 => header[0] == 0,
        1 => u16::from_be_bytes([header[1], 0]) <= MAX_LEN,
        2 => u16::from_be_bytes([header[1], header[2]]).is_multiple_of(ENTRY),
        3 => header[3] == SETTINGS,
        4 => header[4] & ACK == 0,
        // The highest bit of the stream number is reserved and to be ignored.
        5 => header[5] & 0x7f == 0,
        _ => header[at] == 0,
    };
    if !(0..header.len()).all(fits) {
        return Some(false);
    }
    (header.len() == FRAME_HEADER).then_some(true)
}

/// The first line of an answer, as far as there is room.
fn shown(bytes: &[u8]) -> String {
    let line = bytes
        .split(|byte| b"\r\n".contains(byte))
        .next()
        .unwrap_or(bytes);
    let line = if line.is_empty() { bytes } else { line };
    line[..line.len().min(MAX_SHOWN)].escape_ascii().to_string()
}

impl NotOpened {
    fn of(error: io::Error) -> Self {
        match error.kind() {
            // What a peer does to a stream when it closes it with our preface unread.
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Io(error),
        }
    }
}

impl AsyncRead for OpenedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.unread.is_empty() {
            return Pin::new(&mut self.inner).poll_read(context, buffer);
        }
        let count = self.unread.len().min(buffer.remaining());
        buffer.put_slice(&self.unread[..count]);
        self.unread.drain(..count);
        if self.unread.is_empty() {
            self.unread = Vec::new();
        }
        Poll::Ready(Ok(()))
    }
}

impl OpenedStream {
    /// Takes what is left of the preface from the front of a write, if anything is.
    fn swallow(&mut self, bytes: &[u8]) -> Option<io::Result<usize>> {
        if self.unwritten == 0 || bytes.is_empty() {
            return None;
        }
        let expected = &PREFACE[PREFACE.len() - self.unwritten..];
        let count = bytes.len().min(expected.len());
        if bytes[..count] != expected[..count] {
            return Some(Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the client does not begin with the HTTP/2 preface",
            )));
        }
        self.unwritten -= count;
        Some(Ok(count))
    }
}

impl AsyncWrite for OpenedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.swallow(bytes) {
            Some(swallowed) => Poll::Ready(swallowed),
            None => Pin::new(&mut self.inner).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let first = slices.iter().find(|slice| !slice.is_empty());
        match first.and_then(|slice| self.swallow(slice)) {
            Some(swallowed) => Poll::Ready(swallowed),
            None => Pin::new(&mut self.inner).poll_write_vectored(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_settings_frame_begins_http2() {
        let cases: [(&[u8], Option<bool>); 14] = [
            (b"", None),
            (b"\0\0\x12", None),
            (b"\0\0\x12\x04\0\0\0\0", None),
            (b"\0\0\x12\x04\0\0\0\0\0", Some(true)),
            (b"\0\0\0\x04\0\0\0\0\0and more", Some(true)),
            (b"\0\x01\x02\x04\0\x80\0\0\0", Some(true)),
            (b"H", Some(false)),
            (b"HTTP/1.1 400 Bad Request", Some(false)),
            (b"\x15\x03\x01", Some(false)),
            (b"\0\x41", Some(false)),
            (b"\0\0\x11\x04\0\0\0\0\0", Some(false)),
            (b"\0\0\0\x04\x01\0\0\0\0", Some(false)),
            (b"\0\0\0\x04\0\0\0\0\x01", Some(false)),
            // GOAWAY, which may come later.
            (b"\0\0\x08\x07\0\0\0\0\0", Some(false)),
        ];
        for (bytes, expected) in cases {
            assert_eq!(
                begins_with_settings(bytes),
                expected,
                "{}",
                bytes.escape_ascii()
            );
        }
    }

    #[test]
    fn an_answer_is_shown_by_its_first_line() {
        let cases: [(&[u8], &str); 4] = [
            (
                b"HTTP/1.1 400 Bad Request\r\nServer: x",
                "HTTP/1.1 400 Bad Request",
            ),
            (b"\x15\x03\x01\0\x02", "\\x15\\x03\\x01\\x00\\x02"),
            (b"\r\n", "\\r\\n"),
            (&[b'x'; 64], "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(shown(bytes), expected);
        }
    }

    #[tokio::test]
    async fn the_client_reads_and_writes_as_if_nothing_had_happened() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        theirs.write_all(b"\0\0\0\x04\0\0\0\0\0rest").await.unwrap();
        let mut stream = open(ours).await.unwrap();

        // In pieces, the second of which goes beyond the preface and is taken in part.
        assert_eq!(stream.write(&PREFACE[..7]).await.unwrap(), 7);
        let slices = [
            IoSlice::new(&[]),
            IoSlice::new(&PREFACE[7..]),
            IoSlice::new(b"a"),
        ];
        assert_eq!(stream.write_vectored(&slices).await.unwrap(), 17);
        stream.write_all(b"abc").await.unwrap();
        let mut read = Vec::new();
        while read.len() < 13 {
            read.push(stream.read_u8().await.unwrap());
        }
        assert_eq!(read, b"\0\0\0\x04\0\0\0\0\0rest");

        theirs.write_all(b"late").await.unwrap();
        let mut late = [0; 4];
        stream.read_exact(&mut late).await.unwrap();
        assert_eq!(&late, b"late");
        drop(stream);
        let mut sent = Vec::new();
        theirs.read_to_end(&mut sent).await.unwrap();
        assert_eq!(sent, [&PREFACE[..], b"abc"].concat());
    }

    #[tokio::test]
    async fn a_client_that_speaks_something_else_is_stopped() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        theirs.write_all(b"\0\0\0\x04\0\0\0\0\0").await.unwrap();
        let mut stream = open(ours).await.unwrap();
        let error = stream.write_all(b"GET / HTTP/1.1").await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the client does not begin with the HTTP/2 preface"
        );
    }
}
