use std::{
    borrow::Cow,
    io::{self, Write},
    os::unix::net::UnixStream,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use httlib_hpack::Decoder;

use super::{
    frame::{Frame, FrameReader, PREFACE, flag, kind, write_frame},
    request::{Method, Request},
};

/// A server that stays silent for so long has failed.
const SILENCE: Duration = Duration::from_secs(10);

/// Between two tries to reach a server that is starting: a small part of any start.
const RETRY: Duration = Duration::from_micros(50);

/// Calls one method over one connection, one call after another, as fast as the server answers.
///
/// Header fields go out as a client library sends them: in full with the first request, by their place in the table ever
/// after. The windows announced are so large that they need not be replenished within two billion bytes; those of the
/// server are kept by having one small request under way at a time.
pub(crate) struct Caller {
    socket: UnixStream,
    reader: FrameReader,
    first_request: Request,
    later_request: Request,
    stream: u32,
    answer: Vec<u8>,
    expected: Vec<u8>,
}

impl Caller {
    /// Exchanges settings with the server on `socket`; every request will carry `authority`.
    ///
    /// # Errors
    ///
    /// Where that is no HTTP/2 server, or one that wants a smaller header table than usual.
    pub(crate) fn open(socket: UnixStream, method: Method<'_>, authority: &str) -> Result<Self> {
        socket.set_read_timeout(Some(SILENCE))?;
        socket.set_write_timeout(Some(SILENCE))?;
        let mut reader = FrameReader::new();
        shake_hands(&socket, &mut reader).context("HTTP/2 handshake failed")?;
        Ok(Self {
            socket,
            reader,
            first_request: Request::first(method, authority)?,
            later_request: Request::later(method)?,
            stream: 1,
            answer: Vec::new(),
            expected: method.expected_answer(),
        })
    }

    /// Calls once. Every answer is compared, that to the first call also looked through for its status.
    ///
    /// # Errors
    ///
    /// Where anything but the right answer arrives.
    pub(crate) fn call(&mut self) -> Result<()> {
        let stream = self.stream;
        self.stream += 2;
        // The decoder knows a connection's headers only from the start, and once is enough.
        let (request, mut decoder) = match stream {
            1 => (&mut self.first_request, Some(Decoder::default())),
            _ => (&mut self.later_request, None),
        };
        (&self.socket)
            .write_all(request.on_stream(stream))
            .context("cannot write")?;

        self.answer.clear();
        let mut fields = Vec::new();
        loop {
            let frame = self.reader.next(&self.socket)?;
            match frame.kind {
                kind::HEADERS if frame.stream == stream => {
                    ensure!(
                        frame.has(flag::END_HEADERS),
                        "headers in more than one frame"
                    );
                    if let Some(decoder) = &mut decoder {
                        decoder
                            .decode(&mut frame.block()?.to_vec(), &mut fields)
                            .context("bad header block")?;
                    }
                    if frame.has(flag::END_STREAM) {
                        break;
                    }
                }
                kind::DATA if frame.stream == stream => {
                    ensure!(!frame.has(flag::END_STREAM), "an answer without trailers");
                    self.answer.extend_from_slice(frame.payload);
                }
                kind::RST_STREAM if frame.stream == stream => {
                    let code = error_code(frame.payload);
                    bail!("the server reset the request with {code}");
                }
                _ => attend(&self.socket, &frame)?,
            }
        }
        if decoder.is_some() {
            require_success(&fields)?;
        }
        let (answer, expected) = (&self.answer, &self.expected);
        ensure!(
            answer == expected,
            "wrong answer {answer:02x?}, {expected:02x?} would be right"
        );
        Ok(())
    }
}

/// Connects to a server that may not be there yet, and waits for its first answer to `method`.
///
/// `go_on` is asked before each new try; an error from it ends the waiting.
///
/// # Errors
///
/// Where the server cannot be reached for 10 s, or gives anything but the right answer.
pub(crate) fn await_answer(
    path: &Path,
    method: Method<'_>,
    authority: &str,
    mut go_on: impl FnMut() -> Result<()>,
) -> Result<Caller> {
    let deadline = Instant::now() + SILENCE;
    let socket = loop {
        match UnixStream::connect(path) {
            Ok(socket) => break socket,
            Err(error) if may_be_starting(&error) && Instant::now() < deadline => {
                go_on()?;
                thread::sleep(RETRY);
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot connect to {}", path.display()));
            }
        }
    };
    let mut caller = Caller::open(socket, method, authority)?;
    caller.call()?;
    Ok(caller)
}

fn may_be_starting(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, NotFound};
    matches!(error.kind(), NotFound | ConnectionRefused)
}

fn shake_hands(mut socket: &UnixStream, reader: &mut FrameReader) -> Result<()> {
    const INITIAL_WINDOW_SIZE: u16 = 4;
    const DEFAULT_WINDOW: u32 = 65_535;
    const MAX_WINDOW: u32 = 0x7fff_ffff;

    let mut settings = INITIAL_WINDOW_SIZE.to_be_bytes().to_vec();
    settings.extend(MAX_WINDOW.to_be_bytes());
    let more = (MAX_WINDOW - DEFAULT_WINDOW).to_be_bytes();
    let mut hello = PREFACE.to_vec();
    for (kind, payload) in [
        (kind::SETTINGS, settings.as_slice()),
        (kind::WINDOW_UPDATE, &more),
    ] {
        let frame = Frame {
            kind,
            flags: 0,
            stream: 0,
            payload,
        };
        write_frame(&mut hello, &frame)?;
    }
    socket.write_all(&hello).context("cannot write")?;

    let (mut received, mut acknowledged) = (false, false);
    while !(received && acknowledged) {
        let frame = reader.next(socket)?;
        if frame.kind == kind::SETTINGS {
            let which = if frame.has(flag::ACK) {
                &mut acknowledged
            } else {
                &mut received
            };
            *which = true;
        }
        attend(socket, &frame)?;
    }
    Ok(())
}

/// Does what a frame asks for that belongs to no request.
fn attend(socket: &UnixStream, frame: &Frame<'_>) -> Result<()> {
    let Frame { kind, payload, .. } = *frame;
    match kind {
        kind::SETTINGS if !frame.has(flag::ACK) => {
            require_usual_header_table(payload)?;
            acknowledge(socket, kind, &[])
        }
        kind::PING if !frame.has(flag::ACK) => acknowledge(socket, kind, payload),
        kind::SETTINGS | kind::PING | kind::WINDOW_UPDATE => Ok(()),
        kind::GOAWAY => {
            // The last stream comes before the code.
            let code = error_code(payload.get(4..).unwrap_or_default());
            bail!("the server ends the connection with {code}");
        }
        other => bail!(
            "unexpected frame of type {other} on stream {}",
            frame.stream
        ),
    }
}

fn acknowledge(mut socket: &UnixStream, kind: u8, payload: &[u8]) -> Result<()> {
    let mut bytes = Vec::new();
    let frame = Frame {
        kind,
        flags: flag::ACK,
        stream: 0,
        payload,
    };
    write_frame(&mut bytes, &frame)?;
    socket.write_all(&bytes).context("cannot write")
}

/// The requests rely on the table that a client may use unless its server says otherwise.
fn require_usual_header_table(settings: &[u8]) -> Result<()> {
    const HEADER_TABLE_SIZE: [u8; 2] = [0, 1];
    const USUAL: u32 = 4096;

    for setting in settings.as_chunks::<6>().0 {
        let [id @ .., v0, v1, v2, v3] = *setting;
        let value = u32::from_be_bytes([v0, v1, v2, v3]);
        ensure!(
            id != HEADER_TABLE_SIZE || value >= USUAL,
            "the server allows a header table of {value} bytes, {USUAL} are needed"
        );
    }
    Ok(())
}

fn require_success(fields: &[(Vec<u8>, Vec<u8>, u8)]) -> Result<()> {
    let field = |name: &str| {
        let found = fields.iter().find(|(known, ..)| known == name.as_bytes());
        found.map_or(Cow::Borrowed("none"), |(_, value, _)| {
            String::from_utf8_lossy(value)
        })
    };
    let (status, grpc_status) = (field(":status"), field("grpc-status"));
    ensure!(
        status == "200" && grpc_status == "0",
        "the call failed: HTTP status {status}, gRPC status {grpc_status}, message {}",
        field("grpc-message")
    );
    Ok(())
}

/// The name of the error code at the beginning of `payload` (RFC 9113, section 7).
fn error_code(payload: &[u8]) -> String {
    const NAMES: [&str; 14] = [
        "NO_ERROR",
        "PROTOCOL_ERROR",
        "INTERNAL_ERROR",
        "FLOW_CONTROL_ERROR",
        "SETTINGS_TIMEOUT",
        "STREAM_CLOSED",
        "FRAME_SIZE_ERROR",
        "REFUSED_STREAM",
        "CANCEL",
        "COMPRESSION_ERROR",
        "CONNECT_ERROR",
        "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY",
        "HTTP_1_1_REQUIRED",
    ];
    let Some(code) = payload.first_chunk() else {
        return "no error code".to_owned();
    };
    let code = u32::from_be_bytes(*code);
    let name = usize::try_from(code).ok().and_then(|code| NAMES.get(code));
    name.map_or_else(|| format!("error code {code}"), |&name| name.to_owned())
}

#[cfg(test)]
mod tests;
