use std::{io::Read, thread};

use super::*;

const SETTINGS: (u8, u8, u32, &[u8]) = (kind::SETTINGS, 0, 0, b"");
const SETTINGS_ACK: (u8, u8, u32, &[u8]) = (kind::SETTINGS, flag::ACK, 0, b"");
/// `:status: 200`, and `grpc-status: 0` or `12`.
const HEADERS: (u8, u8, u32, &[u8]) = (kind::HEADERS, flag::END_HEADERS, 1, b"\x88");
const END: u8 = flag::END_HEADERS | flag::END_STREAM;
const TRAILERS: (u8, u8, u32, &[u8]) = (kind::HEADERS, END, 1, b"\x00\x0bgrpc-status\x010");
const UNIMPLEMENTED: (u8, u8, u32, &[u8]) =
    (kind::HEADERS, END, 1, b"\x88\x00\x0bgrpc-status\x0212");
const RIGHT: &[u8] = b"\0\0\0\0\x19\x0a\x10disk.example.org\x12\x051.2.3";

/// A server that says all it has to say at once; the client reads it when it gets there.
fn server(frames: &[(u8, u8, u32, &[u8])]) -> (UnixStream, UnixStream) {
    let (client, mut server) = UnixStream::pair().unwrap();
    for &(kind, flags, stream, payload) in frames {
        let frame = Frame {
            kind,
            flags,
            stream,
            payload,
        };
        write_frame(&mut server, &frame).unwrap();
    }
    (client, server)
}

#[test]
fn a_right_answer_is_taken_and_a_ping_before_it_answered() {
    let (client, mut server) = server(&[
        SETTINGS,
        SETTINGS_ACK,
        HEADERS,
        (kind::PING, 0, 0, b"pingpong"),
        (kind::DATA, 0, 1, &RIGHT[..9]),
        (kind::DATA, 0, 1, &RIGHT[9..]),
        TRAILERS,
    ]);
    Caller::open(client, Method::GetPluginInfo, "localhost")
        .unwrap()
        .call()
        .unwrap();
    let mut preface = [0; 24];
    server.read_exact(&mut preface).unwrap();
    assert_eq!(preface, *PREFACE);
    let mut reader = FrameReader::new();
    let mut seen = Vec::new();
    while let Ok(frame) = reader.next(&server) {
        seen.push((frame.kind, frame.flags, frame.stream));
        if frame.kind == kind::PING {
            assert_eq!(frame.payload, b"pingpong");
        }
    }
    assert_eq!(
        seen,
        [
            (kind::SETTINGS, 0, 0),
            (kind::WINDOW_UPDATE, 0, 0),
            (kind::SETTINGS, flag::ACK, 0),
            (kind::HEADERS, flag::END_HEADERS, 1),
            (kind::DATA, flag::END_STREAM, 1),
            (kind::PING, flag::ACK, 0),
        ]
    );
}

#[test]
fn anything_but_the_right_answer_is_an_error() {
    type Frames<'a> = &'a [(u8, u8, u32, &'a [u8])];
    let cases: [(Frames<'_>, &str); 9] = [
        (
            &[UNIMPLEMENTED],
            "the call failed: HTTP status 200, gRPC status 12, message none",
        ),
        (
            &[HEADERS, (kind::DATA, 0, 1, b"\0\0\0\0\x02\x0a\0"), TRAILERS],
            "wrong answer [00, 00, 00, 00, 02, 0a, 00], [00, 00, 00, 00, 19, 0a, 10, 64, 69, 73, 6b, 2e, 65, 78, 61, \
             6d, 70, 6c, 65, 2e, 6f, 72, 67, 12, 05, 31, 2e, 32, 2e, 33] would be right",
        ),
        (
            &[HEADERS, (kind::DATA, flag::END_STREAM, 1, RIGHT)],
            "an answer without trailers",
        ),
        (
            &[(kind::RST_STREAM, 0, 1, b"\0\0\0\x01")],
            "the server reset the request with PROTOCOL_ERROR",
        ),
        (
            &[(kind::RST_STREAM, 0, 1, b"\0\0\x01\0")],
            "the server reset the request with error code 256",
        ),
        (
            &[(kind::GOAWAY, 0, 0, b"\0\0\0\0\0\0\0\x0b")],
            "the server ends the connection with ENHANCE_YOUR_CALM",
        ),
        (
            &[(kind::HEADERS, 0, 1, b"\x88")],
            "headers in more than one frame",
        ),
        (
            &[(kind::DATA, 0, 3, b"")],
            "unexpected frame of type 0 on stream 3",
        ),
        (&[], "the peer closed the connection"),
    ];
    for (frames, expected) in cases {
        let (client, peer) = server(&[&[SETTINGS, SETTINGS_ACK], frames].concat());
        peer.shutdown(std::net::Shutdown::Write).unwrap();
        let error = Caller::open(client, Method::GetPluginInfo, "localhost")
            .unwrap()
            .call()
            .unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_server_with_a_smaller_header_table_is_refused() {
    let table = |size: u16| [&[0, 1, 0, 0][..], &size.to_be_bytes()].concat();
    for (size, expected) in [
        (4096, None),
        (
            4095,
            Some(
                "HTTP/2 handshake failed: the server allows a header table of 4095 bytes, 4096 are needed",
            ),
        ),
    ] {
        let (client, _server) = server(&[(kind::SETTINGS, 0, 0, &table(size)), SETTINGS_ACK]);
        let refused = Caller::open(client, Method::GetPluginInfo, "localhost").err();
        let refused = refused.map(|error| format!("{error:#}"));
        assert_eq!(refused.as_deref(), expected);
    }
}

#[test]
fn a_server_that_starts_later_is_waited_for_until_told_not_to() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("csi.sock");
    let mut tries = 0;
    let mut late = None;
    let answer = await_answer(&path, Method::GetPluginInfo, "localhost", || {
        tries += 1;
        if tries == 3 {
            let listener = std::os::unix::net::UnixListener::bind(&path)?;
            late = Some(thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                for (kind, flags, stream_id, payload) in [
                    SETTINGS,
                    SETTINGS_ACK,
                    HEADERS,
                    (kind::DATA, 0, 1, RIGHT),
                    TRAILERS,
                ] {
                    let frame = Frame {
                        kind,
                        flags,
                        stream: stream_id,
                        payload,
                    };
                    write_frame(&mut stream, &frame).unwrap();
                }
                // Closed only after the client has it all, or it could not write.
                let _ = stream.read_to_end(&mut Vec::new());
            }));
        }
        Ok(())
    });
    drop(answer.unwrap());
    late.unwrap().join().unwrap();
    assert_eq!(tries, 3);

    let gone = directory.path().join("gone.sock");
    let error = await_answer(&gone, Method::GetPluginInfo, "localhost", || {
        bail!("it has ended")
    })
    .err();
    assert_eq!(error.unwrap().to_string(), "it has ended");
}
