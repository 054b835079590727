//! What has to hold whatever a client sends.

use std::io;

use crate::behind_h2;
use crate::passage::{Passage, pass};

/// Panics unless the repair deals well with a client that sends these bytes.
///
/// However they are cut into pieces, the server gets the same; unless requests are repaired, it gets them as they are; a
/// few bytes set free no more than the limits allow; what was repaired needs no repair and has the same requests in it.
pub(crate) fn deal_well_with(input: &[u8]) {
    for limit in [64, 16 * 1024] {
        let whole = pass(input, &[4096], 4096, limit);
        assert_eq!(
            outcome(&whole),
            outcome(&pass(input, &uneven(input), 37, limit))
        );
        let bytewise = pass(input, &[1], 300, limit);
        assert_eq!(outcome(&whole), outcome(&bytewise));
        // A list beyond the limit is cut after the field that passes it, and a field is either in the dynamic table,
        // which has 4096 bytes, or was sent, at best in five bits for each byte.
        let most = limit + 64 + 4096.max(2 * input.len()) + 64;
        assert!(bytewise.most_at_once <= most, "over {most} bytes at once");

        let Passage {
            received,
            error,
            repaired,
            ..
        } = whole;
        match error {
            Some(error) => {
                assert_eq!(error.kind(), io::ErrorKind::InvalidData);
                assert!(repaired || input.starts_with(&received));
            }
            None if repaired => {
                let again = pass(&received, &[4096], 4096, limit);
                assert!(!again.repaired, "the first authority is still refused");
                assert_eq!(again.received, received);
                behind_h2::sees_the_same_requests(input, &received, limit as u32);
            }
            None => assert_eq!(received, input),
        }
    }
}

fn outcome(passage: &Passage) -> (&[u8], Option<String>, bool) {
    let error = passage.error.as_ref().map(ToString::to_string);
    (&passage.received, error, passage.repaired)
}

/// Sizes of pieces that follow from the bytes, so that an input is nothing but what a client sends.
fn uneven(input: &[u8]) -> [usize; 5] {
    let mut state = input.iter().fold(1_u32, |state, byte| {
        state.wrapping_mul(31).wrapping_add((*byte).into())
    });
    let mut size = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        1 + (state >> 16) as usize % 48
    };
    [size(), 0, size(), size(), size()]
}
