//! Much of what costs little to send: each flood ends or is bounded, and others are served meanwhile.

use std::io;

use csi_endpoint::ServeOptions;
use httlib_hpack::Encoder;

use crate::raw::{BAD, GOOD, Heard, NOTIFY, Raw, call, first_call, get_info};
use crate::served::Served;
use crate::steady::Steady;
use crate::wire;

const ENHANCE_YOUR_CALM: u32 = 0xb;
const REFUSED_STREAM: [u8; 4] = [0, 0, 0, 7];

/// A header block that does not end, in frames without and with something in them.
fn continuations(stream: u32) -> [Vec<u8>; 2] {
    let flood = |count: usize, fragment: &[u8]| {
        let open = wire::frame(wire::HEADERS, 0, stream, &[0x82]);
        let more = wire::frame(wire::CONTINUATION, 0, stream, fragment);
        [open, more.repeat(count)].concat()
    };
    // One field from the static table for each byte.
    [flood(100_000, &[]), flood(100, &[0x90; 16_384])]
}

#[tokio::test]
async fn a_continuation_flood_ends_its_connection() {
    let served = Served::start(ServeOptions::default());
    let steady = Steady::start(&served).await;
    for flood in continuations(1) {
        let heard = Raw::opened(&served).await.talk(&flood).await;
        assert!(heard.closed);
        assert_eq!(
            heard.goaway(),
            None,
            "cut by the repair, which cannot speak"
        );
    }
    for (authority, goaway) in [(GOOD, Some(ENHANCE_YOUR_CALM)), (BAD, None)] {
        for flood in continuations(3) {
            let mut raw = Raw::opened(&served).await;
            assert!(!raw.call(&first_call(authority), 1).await);
            let heard = raw.talk(&flood).await;
            assert!(heard.closed, "{authority}");
            assert_eq!(heard.goaway(), goaway, "{authority}");
        }
    }
    steady.was_served_throughout().await;
}

#[tokio::test]
async fn rapid_resets_end_their_connection() {
    let served = Served::start(ServeOptions::default());
    let steady = Steady::start(&served).await;
    for authority in [GOOD, BAD] {
        let mut encoder = Encoder::with_dynamic_size(4096);
        let mut flood = Vec::new();
        for stream in (1..).step_by(2).take(10_000) {
            flood.extend(call(&mut encoder, NOTIFY, authority, stream, &[]));
            flood.extend(wire::frame(wire::RST_STREAM, 0, stream, &[0, 0, 0, 8]));
        }
        let heard = Raw::opened(&served).await.talk(&flood).await;
        assert!(heard.closed, "{authority}");
        assert_eq!(heard.goaway(), Some(ENHANCE_YOUR_CALM), "{authority}");
    }
    let mut waiting = served.plugin.waiting();
    let none_is_left = waiting.wait_for(|calls| calls.begun == calls.dropped);
    crate::bounded::within("the calls that were reset", none_is_left)
        .await
        .unwrap();
    steady.was_served_throughout().await;
}

#[tokio::test]
async fn requests_over_the_limit_of_one_connection_are_refused_and_the_others_answered() {
    let served = Served::start(ServeOptions::default());
    let steady = Steady::start(&served).await;
    for authority in [GOOD, BAD] {
        let mut encoder = Encoder::with_dynamic_size(4096);
        let streams = (1..).step_by(2).take(130);
        let calls: Vec<_> = streams
            .flat_map(|stream| call(&mut encoder, NOTIFY, authority, stream, &[]))
            .collect();
        let mut raw = Raw::opened(&served).await;
        // 128 are let in.
        assert!(!raw.call(&calls, 2).await, "{authority}");
        served.plugin.let_go(128);
        assert!(!raw.call(&[], 128).await, "{authority}");
        let heard = raw.heard(false);
        assert_eq!(heard.answered().len(), 128, "{authority}");
        let refused: Vec<_> = heard
            .of_kind(wire::RST_STREAM)
            .filter(|frame| frame.payload == REFUSED_STREAM)
            .map(|frame| frame.stream)
            .collect();
        assert_eq!(refused, [257, 259], "{authority}");
    }
    steady.was_served_throughout().await;
}

fn settings() -> Vec<u8> {
    wire::frame(wire::SETTINGS, 0, 0, &[])
}

fn ping() -> Vec<u8> {
    wire::frame(wire::PING, 0, 0, b"how long")
}

#[tokio::test]
async fn each_settings_and_each_ping_is_answered_to_who_reads() {
    let served = Served::start(ServeOptions::default());
    let steady = Steady::start(&served).await;
    let acknowledged = |heard: &Heard, kind| heard.of_kind(kind).filter(|f| f.flags == 1).count();
    for authority in [GOOD, BAD] {
        for (frame, kind) in [(settings(), wire::SETTINGS), (ping(), wire::PING)] {
            let mut raw = Raw::opened(&served).await;
            assert!(!raw.call(&first_call(authority), 1).await);
            let heard = raw.talk(&frame.repeat(10_000)).await;
            assert!(!heard.closed, "{authority}");
            // The opening has a SETTINGS frame, and the last question is a PING.
            assert_eq!(acknowledged(&heard, kind), 10_001, "{authority}");
        }
    }
    steady.was_served_throughout().await;
}

#[tokio::test]
async fn a_client_that_does_not_read_is_not_read_from_for_long() {
    let served = Served::start(ServeOptions::default());
    let mut steady = Steady::start(&served).await;
    for authority in [GOOD, BAD] {
        for (what, flood) in [
            ("SETTINGS", settings().repeat(1000)),
            ("PING", ping().repeat(1000)),
        ] {
            let mut raw = Raw::opened(&served).await;
            assert!(!raw.call(&first_call(authority), 1).await);
            let taken = taken_at_most(&raw, &flood, &mut steady).await;
            assert!(taken < 2_000_000, "{taken} bytes of {what}, {authority}");
        }
    }
    steady.was_served_throughout().await;
}

/// How many bytes of an endless flood a server takes from a client that does not read.
///
/// It takes no more when it has had many turns, which the good client's answers show.
async fn taken_at_most(raw: &Raw, flood: &[u8], steady: &mut Steady) -> usize {
    let mut taken = 0;
    loop {
        let before = taken;
        loop {
            // In whole rounds of the flood, so that no frame begins in the middle of another.
            match raw.stream.try_write(&flood[taken % flood.len()..]) {
                Ok(written) => taken += written,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => panic!("writing failed after {taken} bytes: {error}"),
            }
        }
        if taken == before {
            return taken;
        }
        steady.is_served().await;
    }
}

#[tokio::test]
async fn requests_whose_answers_are_not_read_are_not_taken_for_long() {
    let served = Served::start(ServeOptions::default());
    let mut steady = Steady::start(&served).await;
    for authority in [GOOD, BAD] {
        let raw = Raw::opened(&served).await;
        let mut encoder = Encoder::with_dynamic_size(4096);
        let size = [("answer-size".to_owned(), "100000".to_owned())];
        for stream in (1..).step_by(2) {
            assert!(stream < 50_000, "all is taken, {authority}");
            let call = get_info(&mut encoder, authority, stream, &size);
            match raw.stream.try_write(&call) {
                Ok(written) if written == call.len() => {}
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => panic!("{authority}: {error}"),
            }
            if stream % 100 == 1 {
                steady.is_served().await;
            }
        }
    }
    steady.was_served_throughout().await;
}
