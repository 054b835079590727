//! How long a client may take to begin.

use std::time::Duration;

use csi_endpoint::Limits;

use crate::bounded::pass;
use crate::raw::{BAD, GOOD, Raw, first_call, get_info};
use crate::served::{Served, ask};
use crate::wire;
use httlib_hpack::Encoder;

/// Long against what the tests themselves take.
const PREFACE_TIMEOUT: Duration = Duration::from_secs(1000);

fn served() -> Served {
    Served::with_limits(Limits {
        preface_timeout: PREFACE_TIMEOUT,
        ..Limits::default()
    })
}

#[tokio::test]
async fn a_client_that_does_not_begin_in_time_is_disconnected() {
    let served = served();
    let mute = Raw::connect(&served).await;
    let mut stuck = Raw::connect(&served).await;
    stuck.send(&wire::PREFACE[..12]).await;
    let mut slow = Raw::connect(&served).await;
    slow.send(&wire::PREFACE[..12]).await;
    // Clients are accepted in their order: after this answer, the three above have been.
    let mut good = served.client().await;
    ask(&mut good).await;

    pass(PREFACE_TIMEOUT * 9 / 10).await;
    let rest = [&wire::opening()[12..], &first_call(GOOD)].concat();
    assert!(!slow.call(&rest, 1).await, "still in time");

    pass(PREFACE_TIMEOUT / 10).await;
    for late in [mute, stuck] {
        // The server had introduced itself, and says nothing more.
        let frames = late.ending().await;
        let kinds: Vec<_> = frames.iter().map(|frame| frame.kind).collect();
        assert_eq!(kinds, [wire::SETTINGS]);
    }
    ask(&mut good).await;
    assert_eq!(slow.heard(false).answered(), [1]);
}

#[tokio::test]
async fn a_client_that_has_begun_may_idle_for_as_long_as_it_likes() {
    let served = served();
    let mut good = served.client().await;
    let mut silent = Raw::opened(&served).await;
    let mut asked = Vec::new();
    for authority in [GOOD, BAD] {
        let mut encoder = Encoder::with_dynamic_size(4096);
        let mut raw = Raw::opened(&served).await;
        let call = get_info(&mut encoder, authority, 1, &[]);
        assert!(!raw.call(&call, 1).await);
        asked.push((authority, encoder, raw));
    }

    pass(PREFACE_TIMEOUT * 10).await;

    ask(&mut good).await;
    assert!(!silent.call(&first_call(BAD), 1).await);
    assert_eq!(silent.heard(false).answered(), [1]);
    for (authority, mut encoder, mut raw) in asked {
        let call = get_info(&mut encoder, authority, 3, &[]);
        assert!(!raw.call(&call, 1).await, "{authority}");
        assert_eq!(raw.heard(false).answered(), [1, 3], "{authority}");
    }
}
