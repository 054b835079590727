//! The parts of HTTP/2 framing that the repair needs (RFC 9113, sections 4.1, 6.2 and 6.10).

/// What a client sends first (RFC 9113, section 3.4).
pub(super) const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Largest payload while no SETTINGS allowed more. No server of this crate allows more.
pub(super) const MAX_PAYLOAD: usize = 16_384;

pub(super) const HEADERS: u8 = 0x1;
pub(super) const CONTINUATION: u8 = 0x9;

const END_HEADERS: u8 = 0x4;
const PADDED: u8 = 0x8;
const PRIORITY: u8 = 0x20;

const PRIORITY_LENGTH: usize = 5;

/// The nine bytes before each payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) length: usize,
    pub(super) kind: u8,
    flags: u8,
    /// The reserved bit is kept, so that a frame passed on is the frame received.
    stream: u32,
}

impl Head {
    pub(super) const LENGTH: usize = 9;

    pub(super) fn parse(bytes: [u8; Self::LENGTH]) -> Self {
        let [l0, l1, l2, kind, flags, s0, s1, s2, s3] = bytes;
        Self {
            length: u32::from_be_bytes([0, l0, l1, l2]) as usize,
            kind,
            flags,
            stream: u32::from_be_bytes([s0, s1, s2, s3]),
        }
    }

    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.length as u32).to_be_bytes()[1..]);
        out.extend_from_slice(&[self.kind, self.flags]);
        out.extend_from_slice(&self.stream.to_be_bytes());
    }

    pub(super) fn ends_headers(self) -> bool {
        self.flags & END_HEADERS != 0
    }

    /// Whether this frame may follow `head` inside one header block.
    pub(super) fn continues(self, head: Self) -> bool {
        self.kind == CONTINUATION && self.stream == head.stream
    }

    /// Takes a HEADERS payload apart: the priority fields and the fragment of the header block.
    ///
    /// Nothing where the padding or the priority fields do not fit.
    pub(super) fn open_headers(self, payload: &[u8]) -> Option<(&[u8], &[u8])> {
        let payload = if self.flags & PADDED == 0 {
            payload
        } else {
            let (&padding, rest) = payload.split_first()?;
            rest.get(..rest.len().checked_sub(padding.into())?)?
        };
        payload.split_at_checked(if self.flags & PRIORITY == 0 {
            0
        } else {
            PRIORITY_LENGTH
        })
    }

    /// Writes a header block as a HEADERS frame like this one, without padding, and CONTINUATION frames as needed.
    pub(super) fn write_block(self, priority: &[u8], block: &[u8], out: &mut Vec<u8>) {
        let (first, mut rest) = block.split_at(block.len().min(MAX_PAYLOAD - priority.len()));
        let flags = self.flags & !(PADDED | END_HEADERS);
        let end = |rest: &[u8]| if rest.is_empty() { END_HEADERS } else { 0 };
        Self {
            length: priority.len() + first.len(),
            flags: flags | end(rest),
            ..self
        }
        .write(out);
        out.extend_from_slice(priority);
        out.extend_from_slice(first);
        while !rest.is_empty() {
            let (next, after) = rest.split_at(rest.len().min(MAX_PAYLOAD));
            rest = after;
            Self {
                length: next.len(),
                kind: CONTINUATION,
                flags: end(rest),
                ..self
            }
            .write(out);
            out.extend_from_slice(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(flags: u8) -> Head {
        Head {
            length: 0,
            kind: HEADERS,
            flags,
            stream: 1,
        }
    }

    #[test]
    fn opens_padded_and_prioritised_headers() {
        let (padded, priority) = (headers(PADDED), headers(PADDED | PRIORITY));
        assert_eq!(
            padded.open_headers(&[2, 7, 0, 0]),
            Some((&[][..], &[7][..]))
        );
        assert_eq!(
            priority.open_headers(&[1, 0, 0, 0, 0, 9, 7, 0]),
            Some((&[0, 0, 0, 0, 9][..], &[7][..]))
        );
    }

    #[test]
    fn padding_or_priority_that_does_not_fit_opens_nothing() {
        assert_eq!(headers(PADDED).open_headers(&[]), None);
        assert_eq!(headers(PADDED).open_headers(&[2, 7]), None);
        assert_eq!(headers(PRIORITY).open_headers(&[0, 0, 0, 0]), None);
        assert_eq!(
            headers(PADDED | PRIORITY).open_headers(&[1, 0, 0, 0, 0, 9]),
            None
        );
    }

    #[test]
    fn a_block_over_one_frame_continues_in_others() {
        let block = vec![7; 2 * MAX_PAYLOAD + 1];
        let mut out = Vec::new();
        headers(PRIORITY | PADDED | 0x1).write_block(&[1, 2, 3, 4, 5], &block, &mut out);
        let mut frames = Vec::new();
        let mut rest = out.as_slice();
        while let Some((head, after)) = rest.split_first_chunk() {
            let head = Head::parse(*head);
            frames.push((head.kind, head.flags, head.length));
            rest = &after[head.length..];
        }
        let last = 2 * MAX_PAYLOAD + 1 - (MAX_PAYLOAD - 5) - MAX_PAYLOAD;
        assert_eq!(
            frames,
            [
                (HEADERS, PRIORITY | 0x1, MAX_PAYLOAD),
                (CONTINUATION, 0, MAX_PAYLOAD),
                (CONTINUATION, END_HEADERS, last)
            ]
        );
    }
}
