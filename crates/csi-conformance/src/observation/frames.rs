//! The messages in the body of a gRPC reply.

/// One message as it is framed (gRPC over HTTP/2, "Length-Prefixed-Message").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Whether it is marked as compressed.
    pub compressed: bool,
    /// What it holds.
    pub message: &'a [u8],
}

/// The messages of a body, and how many bytes remain that are no whole one.
#[must_use]
pub fn frames(body: &[u8]) -> (Vec<Frame<'_>>, usize) {
    let mut all = Vec::new();
    let mut rest = body;
    while let Some((head, tail)) = rest.split_first_chunk::<5>() {
        let [flag, length @ ..] = *head;
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        let Some((message, after)) = tail.split_at_checked(length) else {
            break;
        };
        all.push(Frame {
            compressed: flag != 0,
            message,
        });
        rest = after;
    }
    (all, rest.len())
}

/// A message with its prefix.
pub(crate) fn framed(message: &[u8]) -> Vec<u8> {
    // Requests have a few bytes.
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    let mut body = vec![0];
    body.extend(length.to_be_bytes());
    body.extend(message);
    body
}

#[cfg(test)]
mod tests {
    use super::{Frame, framed, frames};

    #[test]
    fn a_body_is_cut_into_messages() {
        let frame = |compressed, message| Frame {
            compressed,
            message,
        };
        assert_eq!(frames(&framed(b"ab")), (vec![frame(false, &b"ab"[..])], 0));
        assert_eq!(
            frames(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 7, 0, 0]),
            (vec![frame(true, &[][..]), frame(false, &[7])], 2)
        );
        assert_eq!(frames(&[0, 0, 0, 0, 9, 1]), (vec![], 6));
        assert_eq!(frames(&[]), (vec![], 0));
    }
}
