//! What comes from the client, frame by frame: bytes in, bytes out, no I/O.

use super::frame::{self, Head};
use super::hpack::{AuthorityFound, Recoder, Rule};

/// Header frames that one block may be spread over. A block under the size limit needs far fewer.
const MAX_BLOCK_FRAMES: usize = 256;

/// Raw bytes that a header block may have, as a multiple of the limit on the decoded list: text in Huffman code can
/// be at most 3.75 times as long as what it stands for.
const RAW_PER_LIST: usize = 4;

/// A header block that is held back has grown beyond every use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Flood {
    #[error("header block has over {limit} bytes")]
    Bytes { limit: usize },
    #[error("header block has over {MAX_BLOCK_FRAMES} frames")]
    Frames,
}

/// Why the rest of a connection is passed on as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The first request's authority stays as it is, or there is none.
    NeedsNoChange,
    /// The server behind will refuse it; the text says why.
    Malformed(String),
}

/// The client's half of one connection.
#[derive(Debug)]
pub(super) struct Machine {
    stage: Stage,
    /// Whether the connection's first request had to be changed.
    rewriting: bool,
    recoder: Recoder,
    max_block: usize,
    block: Block,
    pub(super) out: Vec<u8>,
    pub(super) verdict: Option<Verdict>,
}

#[derive(Debug)]
enum Stage {
    Preface {
        seen: usize,
    },
    Head {
        bytes: [u8; Head::LENGTH],
        have: usize,
    },
    Payload {
        remaining: usize,
    },
    HeaderPayload {
        head: Head,
        payload: Vec<u8>,
    },
}

const NEXT_HEAD: Stage = Stage::Head {
    bytes: [0; Head::LENGTH],
    have: 0,
};

/// A header block that is not complete yet.
#[derive(Debug, Default)]
struct Block {
    first: Option<Head>,
    priority: Vec<u8>,
    fragments: Vec<u8>,
    frames: usize,
    /// The frames as they came, for the case that nothing has to be changed.
    raw: Vec<u8>,
    recoded: Vec<u8>,
}

impl Machine {
    pub(super) fn new(rule: Rule, max_header_list_size: usize) -> Self {
        Self {
            stage: Stage::Preface { seen: 0 },
            rewriting: false,
            recoder: Recoder::new(rule, max_header_list_size),
            max_block: max_header_list_size
                .max(frame::MAX_PAYLOAD)
                .saturating_mul(RAW_PER_LIST),
            block: Block::default(),
            out: Vec::new(),
            verdict: None,
        }
    }

    /// Whether the client has sent all of the HTTP/2 preface.
    pub(super) fn preface_seen(&self) -> bool {
        self.verdict.is_some() || !matches!(self.stage, Stage::Preface { .. })
    }

    pub(super) fn rewriting(&self) -> bool {
        self.rewriting
    }

    /// Takes some bytes off the front of `input` and says how many; what they become is added to `out`.
    ///
    /// Takes at least one byte of a non-empty input, and all of it once there is a verdict.
    pub(super) fn step(&mut self, input: &[u8]) -> Result<usize, Flood> {
        if self.verdict.is_some() {
            self.out.extend_from_slice(input);
            return Ok(input.len());
        }
        match &mut self.stage {
            Stage::Preface { seen } => {
                let expected = &frame::PREFACE[*seen..];
                let taken = input.len().min(expected.len());
                let matches = input[..taken] == expected[..taken];
                *seen += taken;
                self.out.extend_from_slice(&input[..taken]);
                if !matches {
                    let start = String::from_utf8_lossy(&input[..input.len().min(32)]);
                    self.verdict = Some(Verdict::Malformed(format!(
                        "no HTTP/2 preface but {start:?}"
                    )));
                } else if *seen == frame::PREFACE.len() {
                    self.stage = NEXT_HEAD;
                }
                Ok(taken)
            }
            Stage::Head { bytes, have } => {
                let taken = input.len().min(Head::LENGTH - *have);
                bytes[*have..*have + taken].copy_from_slice(&input[..taken]);
                *have += taken;
                if *have == Head::LENGTH {
                    let bytes = *bytes;
                    self.begin(bytes)?;
                }
                Ok(taken)
            }
            Stage::Payload { remaining } => {
                let taken = input.len().min(*remaining);
                self.out.extend_from_slice(&input[..taken]);
                *remaining -= taken;
                if *remaining == 0 {
                    self.stage = NEXT_HEAD;
                }
                Ok(taken)
            }
            Stage::HeaderPayload { head, payload } => {
                let taken = input.len().min(head.length - payload.len());
                payload.extend_from_slice(&input[..taken]);
                if payload.len() == head.length {
                    let (head, payload) = (*head, std::mem::take(payload));
                    self.stage = NEXT_HEAD;
                    self.header_frame(head, &payload);
                }
                Ok(taken)
            }
        }
    }

    /// The client has closed its side: what is held back goes on to the server, which sees a cut frame as such.
    pub(super) fn end(&mut self) {
        self.out.append(&mut self.block.raw);
        match &self.stage {
            Stage::Head { bytes, have } => self.out.extend_from_slice(&bytes[..*have]),
            Stage::HeaderPayload { payload, .. } => self.out.extend_from_slice(payload),
            Stage::Preface { .. } | Stage::Payload { .. } => {}
        }
        self.stage = NEXT_HEAD;
    }

    fn begin(&mut self, bytes: [u8; Head::LENGTH]) -> Result<(), Flood> {
        let head = Head::parse(bytes);
        let fits = match self.block.first {
            Some(first) => head.continues(first),
            None => head.kind != frame::CONTINUATION,
        };
        if !fits {
            self.refuse("a frame that does not belong into the header block", &bytes);
        } else if head.kind != frame::HEADERS && head.kind != frame::CONTINUATION {
            self.out.extend_from_slice(&bytes);
            self.stage = if head.length == 0 {
                NEXT_HEAD
            } else {
                Stage::Payload {
                    remaining: head.length,
                }
            };
        } else if head.length > frame::MAX_PAYLOAD {
            self.refuse("a header frame over the size limit", &bytes);
        } else {
            self.block.frames += 1;
            self.block.raw.extend_from_slice(&bytes);
            if self.block.frames > MAX_BLOCK_FRAMES {
                return Err(Flood::Frames);
            }
            if self.block.raw.len() + head.length > self.max_block {
                return Err(Flood::Bytes {
                    limit: self.max_block,
                });
            }
            if head.length == 0 {
                self.stage = NEXT_HEAD;
                self.header_frame(head, &[]);
            } else {
                self.stage = Stage::HeaderPayload {
                    head,
                    payload: Vec::with_capacity(head.length),
                };
            }
        }
        Ok(())
    }

    fn header_frame(&mut self, head: Head, payload: &[u8]) {
        self.block.raw.extend_from_slice(payload);
        if self.block.first.is_none() {
            let Some((priority, fragment)) = head.open_headers(payload) else {
                return self.refuse("a HEADERS frame shorter than its padding or priority", &[]);
            };
            self.block.first = Some(head);
            self.block.priority.extend_from_slice(priority);
            self.block.fragments.extend_from_slice(fragment);
        } else {
            self.block.fragments.extend_from_slice(payload);
        }
        if head.ends_headers()
            && let Some(first) = self.block.first.take()
        {
            self.end_block(first);
        }
    }

    fn end_block(&mut self, first: Head) {
        let block = &mut self.block;
        match self.recoder.recode(&block.fragments, &mut block.recoded) {
            Err(error) => return self.refuse(&error.to_string(), &[]),
            Ok(AuthorityFound::Kept) if !self.rewriting => {
                self.out.append(&mut block.raw);
                self.verdict = Some(Verdict::NeedsNoChange);
            }
            Ok(_) => {
                self.rewriting = true;
                first.write_block(&block.priority, &block.recoded, &mut self.out);
            }
        }
        block.clear();
    }

    /// Leaves it to the server behind to refuse what is held back and all that follows.
    fn refuse(&mut self, why: &str, bytes: &[u8]) {
        self.out.append(&mut self.block.raw);
        self.out.extend_from_slice(bytes);
        self.verdict = Some(Verdict::Malformed(why.to_owned()));
    }
}

impl Block {
    /// Ready for the next block; the buffers are kept, unless one block has made them unusually large.
    fn clear(&mut self) {
        self.first = None;
        self.frames = 0;
        for buffer in [
            &mut self.priority,
            &mut self.fragments,
            &mut self.raw,
            &mut self.recoded,
        ] {
            buffer.clear();
            buffer.shrink_to(frame::MAX_PAYLOAD / 4);
        }
    }
}
