use std::{
    io::{Read, Write},
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc::{Sender, channel},
    thread,
};

use anyhow::{Context, Result, ensure};
use httlib_hpack::Decoder;

use crate::http2::{Frame, FrameReader, PREFACE, flag, kind, write_frame};

/// Stands in for the folder of the socket, so that the same client shows the same authority in every run.
const SHOWN_PATH: &str = "/path/csi.sock";

/// Runs a client against a socket that answers UNIMPLEMENTED to everything; returns the authority of its first request.
///
/// # Errors
///
/// Where the socket cannot be bound, or the client cannot be run or fails or sends no request.
pub(crate) fn observe(socket: &Path, client: &[&str]) -> Result<String> {
    let (program, arguments) = client.split_first().context("no client to run")?;
    let listener =
        UnixListener::bind(socket).with_context(|| format!("cannot bind {}", socket.display()))?;
    let (sender, receiver) = channel();
    // Nobody waits for it: it accepts until this short-lived process ends.
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let sender = sender.clone();
            thread::spawn(move || serve(&stream, &sender));
        }
    });
    let status = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .status()
        .with_context(|| format!("cannot run {program}"))?;
    ensure!(status.success(), "{program}: {status}");
    let authority = receiver.try_recv();
    let authority = authority.with_context(|| format!("{program} sent no request"))?;
    Ok(shown(&authority, &socket.display().to_string()))
}

/// Answers one connection until its client has enough; what goes wrong then is the client's to tell.
fn serve(stream: &UnixStream, authorities: &Sender<String>) -> Result<()> {
    let mut preface = [0; PREFACE.len()];
    (&mut &*stream).read_exact(&mut preface)?;
    ensure!(preface == *PREFACE, "no HTTP/2 client");
    send(stream, kind::SETTINGS, 0, 0, &[])?;
    let (mut reader, mut decoder, mut block) = (FrameReader::new(), Decoder::default(), vec![]);
    loop {
        let frame = reader.next(stream)?;
        match frame.kind {
            kind::SETTINGS | kind::PING if !frame.has(flag::ACK) => {
                send(stream, frame.kind, flag::ACK, 0, frame.payload)?;
            }
            kind::HEADERS | kind::CONTINUATION => {
                block.extend_from_slice(frame.block()?);
                if frame.has(flag::END_HEADERS) {
                    let mut fields = Vec::new();
                    decoder.decode(&mut std::mem::take(&mut block), &mut fields)?;
                    let authority = fields.into_iter().find(|(name, ..)| name == b":authority");
                    let authority = authority.map_or_else(
                        || "(none)".to_owned(),
                        |(_, value, _)| String::from_utf8_lossy(&value).into_owned(),
                    );
                    authorities.send(authority)?;
                    let end = flag::END_HEADERS | flag::END_STREAM;
                    send(stream, kind::HEADERS, end, frame.stream, UNIMPLEMENTED)?;
                }
            }
            _ => {}
        }
    }
}

/// `:status: 200`, `content-type: application/grpc`, `grpc-status: 12`, without use of a table that has to be kept.
const UNIMPLEMENTED: &[u8] = b"\x88\x0f\x10\x10application/grpc\x00\x0bgrpc-status\x0212";

fn send(mut stream: &UnixStream, kind: u8, flags: u8, id: u32, payload: &[u8]) -> Result<()> {
    // An acknowledgement of settings repeats nothing, one of a ping repeats all.
    let payload = if kind == kind::SETTINGS { &[] } else { payload };
    let mut bytes = Vec::new();
    let frame = Frame {
        kind,
        flags,
        stream: id,
        payload,
    };
    write_frame(&mut bytes, &frame)?;
    stream.write_all(&bytes)?;
    Ok(())
}

/// Puts a path that is the same everywhere in place of `path`, in the forms in which clients send it.
fn shown(authority: &str, path: &str) -> String {
    let encoded = |path: &str| path.replace('/', "%2F");
    authority
        .replace(path, SHOWN_PATH)
        .replace(&encoded(path), &encoded(SHOWN_PATH))
        .replace(&encoded(&path[1..]), &encoded(&SHOWN_PATH[1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http2::{Caller, Method};

    #[test]
    fn paths_are_shown_alike_whatever_the_folder() {
        for (sent, expected) in [
            ("localhost", "localhost"),
            ("/tmp/a/o.sock", "/path/csi.sock"),
            ("%2Ftmp%2Fa%2Fo.sock", "%2Fpath%2Fcsi.sock"),
            ("tmp%2Fa%2Fo.sock", "path%2Fcsi.sock"),
            ("unix:///tmp/a/o.sock", "unix:///path/csi.sock"),
        ] {
            assert_eq!(shown(sent, "/tmp/a/o.sock"), expected);
        }
    }

    #[test]
    fn each_request_shows_its_authority_and_fails() {
        let (client, server) = UnixStream::pair().unwrap();
        let (sender, receiver) = channel();
        let serving = thread::spawn(move || serve(&server, &sender).unwrap_err().to_string());
        let mut caller = Caller::open(client, Method::GetPluginInfo, "/run/csi.sock").unwrap();
        // The caller looks for a status in the first answer only.
        for expected in [
            "the call failed: HTTP status 200, gRPC status 12, message none",
            "wrong answer []",
        ] {
            let error = caller.call().unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
            assert_eq!(receiver.recv().unwrap(), "/run/csi.sock");
        }
        drop(caller);
        assert_eq!(serving.join().unwrap(), "the peer closed the connection");
    }

    #[test]
    fn a_client_that_sends_nothing_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let observe = |name: &str, client: &[&str]| {
            observe(&directory.path().join(name), client)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(observe("mute", &["true"]), "true sent no request");
        assert_eq!(observe("failing", &["false"]), "false: exit status: 1");
        assert_eq!(observe("none", &[]), "no client to run");
    }
}
