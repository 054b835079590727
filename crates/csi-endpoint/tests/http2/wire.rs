//! HTTP/2 as a client writes it, byte by byte, and what arrives at a server, taken apart by an independent decoder.

use httlib_hpack::{Decoder, Encoder};

pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
pub(crate) const DATA: u8 = 0x0;
pub(crate) const HEADERS: u8 = 0x1;
pub(crate) const RST_STREAM: u8 = 0x3;
pub(crate) const SETTINGS: u8 = 0x4;
pub(crate) const PING: u8 = 0x6;
pub(crate) const GOAWAY: u8 = 0x7;
pub(crate) const CONTINUATION: u8 = 0x9;
pub(crate) const END_STREAM: u8 = 0x1;
pub(crate) const END_HEADERS: u8 = 0x4;
pub(crate) const PADDED: u8 = 0x8;
pub(crate) const PRIORITY: u8 = 0x20;

pub(crate) type Fields = Vec<(Vec<u8>, Vec<u8>)>;

pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut out = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    out.extend([kind, flags]);
    out.extend(stream.to_be_bytes());
    out.extend(payload);
    out
}

/// One frame as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
    pub(crate) payload: Vec<u8>,
}

/// All whole frames that `bytes` begin with, and the rest.
pub(crate) fn frames(mut bytes: &[u8]) -> (Vec<Frame>, &[u8]) {
    let mut found = Vec::new();
    while let Some((head, rest)) = bytes.split_first_chunk::<9>() {
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let Some((payload, rest)) = rest.split_at_checked(length) else {
            break;
        };
        found.push(Frame {
            kind: head[3],
            flags: head[4],
            stream: u32::from_be_bytes([head[5], head[6], head[7], head[8]]),
            payload: payload.to_vec(),
        });
        bytes = rest;
    }
    (found, bytes)
}

/// The preface and an empty SETTINGS frame.
pub(crate) fn opening() -> Vec<u8> {
    [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat()
}

/// How a block is spread over frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Framing {
    pub(crate) padding: Option<u8>,
    pub(crate) priority: bool,
    /// Lengths of the fragments before the last one; those that do not fit are left out.
    pub(crate) cuts: Vec<usize>,
}

pub(crate) fn block_frames(
    block: &[u8],
    stream: u32,
    end_stream: bool,
    framing: &Framing,
) -> Vec<u8> {
    let mut fragments = Vec::new();
    let mut rest = block;
    for &cut in &framing.cuts {
        if let Some((fragment, after)) = rest.split_at_checked(cut) {
            fragments.push(fragment);
            rest = after;
        }
    }
    fragments.push(rest);
    let mut out = Vec::new();
    let last = fragments.len() - 1;
    for (nth, fragment) in fragments.iter().enumerate() {
        let end = if nth == last { END_HEADERS } else { 0 };
        if nth > 0 {
            out.extend(frame(CONTINUATION, end, stream, fragment));
            continue;
        }
        let mut flags = end | if end_stream { END_STREAM } else { 0 };
        let mut payload = Vec::new();
        if let Some(padding) = framing.padding {
            flags |= PADDED;
            payload.push(padding);
        }
        if framing.priority {
            flags |= PRIORITY;
            payload.extend([0, 0, 0, 0, 200]);
        }
        payload.extend(*fragment);
        payload.extend(vec![0; framing.padding.unwrap_or(0).into()]);
        out.extend(frame(HEADERS, flags, stream, &payload));
    }
    out
}

/// One field in a given representation: flags as httlib-hpack has them.
pub(crate) fn field(
    encoder: &mut Encoder<'_>,
    name: &str,
    value: &str,
    flags: u8,
    out: &mut Vec<u8>,
) {
    encoder
        .encode(
            (name.as_bytes().to_vec(), value.as_bytes().to_vec(), flags),
            out,
        )
        .unwrap();
}

/// The fields of a gRPC request without `:authority`.
pub(crate) const GRPC_FIELDS: [(&str, &str); 5] = [
    (":method", "POST"),
    (":scheme", "http"),
    (":path", "/csi.v1.Identity/Probe"),
    ("content-type", "application/grpc"),
    ("te", "trailers"),
];

/// What arrived: frames that carry no header block as they are, header blocks decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Arrived {
    Frame {
        kind: u8,
        flags: u8,
        stream: u32,
        payload: Vec<u8>,
    },
    Block {
        stream: u32,
        end_stream: bool,
        priority: bool,
        fields: Fields,
    },
}

/// Takes apart all that a server got after the preface.
pub(crate) fn arrived(bytes: &[u8]) -> Vec<Arrived> {
    let mut rest = bytes
        .strip_prefix(PREFACE)
        .expect("the preface arrives first");
    let mut decoder = Decoder::with_dynamic_size(4096);
    let mut arrived = Vec::new();
    let mut open: Option<(u32, u8, Vec<u8>)> = None;
    while !rest.is_empty() {
        let length = u32::from_be_bytes([0, rest[0], rest[1], rest[2]]) as usize;
        let (kind, flags) = (rest[3], rest[4]);
        let stream = u32::from_be_bytes([rest[5], rest[6], rest[7], rest[8]]);
        let payload = &rest[9..9 + length];
        rest = &rest[9 + length..];
        match kind {
            HEADERS => {
                assert!(open.is_none(), "HEADERS inside a header block");
                let mut block = payload;
                let mut padding = 0;
                if flags & PADDED != 0 {
                    padding = block[0].into();
                    block = &block[1..];
                }
                if flags & PRIORITY != 0 {
                    block = &block[5..];
                }
                open = Some((stream, flags, block[..block.len() - padding].to_vec()));
            }
            CONTINUATION => {
                let (of, _, block) = open.as_mut().expect("CONTINUATION outside a header block");
                assert_eq!(*of, stream);
                block.extend(payload);
            }
            _ => {
                assert!(open.is_none(), "frame of kind {kind} inside a header block");
                arrived.push(Arrived::Frame {
                    kind,
                    flags,
                    stream,
                    payload: payload.to_vec(),
                });
            }
        }
        if matches!(kind, HEADERS | CONTINUATION) && flags & END_HEADERS != 0 {
            let (stream, flags, mut block) = open.take().expect("a block is open");
            let mut fields = Vec::new();
            decoder
                .decode(&mut block, &mut fields)
                .expect("an independent decoder reads the block");
            assert!(block.is_empty(), "the whole block is decoded");
            arrived.push(Arrived::Block {
                stream,
                end_stream: flags & END_STREAM != 0,
                priority: flags & PRIORITY != 0,
                fields: fields
                    .into_iter()
                    .map(|(name, value, _)| (name, value))
                    .collect(),
            });
        }
    }
    assert!(open.is_none(), "the last header block is complete");
    arrived
}
