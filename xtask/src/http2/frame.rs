use std::io::{Read, Write};

use anyhow::{Context, Result, bail, ensure};

/// What a client sends before its first frame.
pub(crate) const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Frame types (RFC 9113, section 6).
pub(crate) mod kind {
    pub(crate) const DATA: u8 = 0;
    pub(crate) const HEADERS: u8 = 1;
    pub(crate) const RST_STREAM: u8 = 3;
    pub(crate) const SETTINGS: u8 = 4;
    pub(crate) const PING: u8 = 6;
    pub(crate) const GOAWAY: u8 = 7;
    pub(crate) const WINDOW_UPDATE: u8 = 8;
    pub(crate) const CONTINUATION: u8 = 9;
}

/// Frame flags (RFC 9113, section 6).
pub(crate) mod flag {
    pub(crate) const ACK: u8 = 0x1;
    pub(crate) const END_STREAM: u8 = 0x1;
    pub(crate) const END_HEADERS: u8 = 0x4;
    pub(crate) const PADDED: u8 = 0x8;
    pub(crate) const PRIORITY: u8 = 0x20;
}

const HEADER_LEN: usize = 9;

/// Nobody here allows its peer more than the protocol's least, 16 KiB.
const MAX_PAYLOAD_LEN: usize = 16 * 1024;

#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
    pub(crate) payload: &'a [u8],
}

impl Frame<'_> {
    pub(crate) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The part of a header block in this HEADERS or CONTINUATION frame, without padding and priority.
    pub(crate) fn block(&self) -> Result<&[u8]> {
        if self.kind != kind::HEADERS {
            return Ok(self.payload);
        }
        let mut block = self.payload;
        if self.has(flag::PADDED) {
            let (&padding, rest) = block.split_first().context("padding length is missing")?;
            let end = rest
                .len()
                .checked_sub(padding.into())
                .context("padding is longer than the frame")?;
            block = rest.get(..end).unwrap_or_default();
        }
        if self.has(flag::PRIORITY) {
            block = block.get(5..).context("priority is cut short")?;
        }
        Ok(block)
    }
}

/// Takes frames out of a byte stream with as few reads as there are chunks.
#[derive(Debug)]
pub(crate) struct FrameReader {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl FrameReader {
    pub(crate) fn new() -> Self {
        Self {
            buffer: vec![0; 2 * (HEADER_LEN + MAX_PAYLOAD_LEN)],
            start: 0,
            end: 0,
        }
    }

    /// The next frame, which stays readable until the next call.
    pub(crate) fn next(&mut self, mut source: impl Read) -> Result<Frame<'_>> {
        let [length @ .., kind, flags, s0, s1, s2, s3] = loop {
            if let Some(header) = self.unread().first_chunk::<HEADER_LEN>() {
                break *header;
            }
            self.fill(&mut source)?;
        };
        let length = length
            .iter()
            .fold(0, |length, &byte| length << 8 | usize::from(byte));
        ensure!(
            length <= MAX_PAYLOAD_LEN,
            "frame of {length} bytes, the limit is {MAX_PAYLOAD_LEN}"
        );
        while self.unread().len() < HEADER_LEN + length {
            self.fill(&mut source)?;
        }
        let payload = self.start + HEADER_LEN;
        self.start = payload + length;
        Ok(Frame {
            kind,
            flags,
            stream: u32::from_be_bytes([s0, s1, s2, s3]) & 0x7fff_ffff,
            payload: &self.buffer[payload..self.start],
        })
    }

    fn unread(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    fn fill(&mut self, source: &mut impl Read) -> Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        match source
            .read(&mut self.buffer[self.end..])
            .context("cannot read")?
        {
            0 => bail!("the peer closed the connection"),
            more => self.end += more,
        }
        Ok(())
    }
}

/// Appends a frame to `out`.
pub(crate) fn write_frame(out: &mut impl Write, frame: &Frame<'_>) -> Result<()> {
    let Frame {
        kind,
        flags,
        stream,
        payload,
    } = frame;
    let length = u32::try_from(payload.len())?.to_be_bytes();
    out.write_all(&length[1..])?;
    out.write_all(&[*kind, *flags])?;
    out.write_all(&stream.to_be_bytes())?;
    out.write_all(payload)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out one byte a read, as a slow peer does.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let length = buffer.len().min(1);
            self.0.read(&mut buffer[..length])
        }
    }

    #[test]
    fn frames_are_read_however_they_are_cut() {
        let mut bytes = Vec::new();
        for (kind, flags, stream, payload) in [
            (kind::SETTINGS, 0, 0, &b""[..]),
            (kind::DATA, flag::END_STREAM, 2_000_000_001, b"answer"),
        ] {
            let frame = Frame {
                kind,
                flags,
                stream,
                payload,
            };
            write_frame(&mut bytes, &frame).unwrap();
        }
        let mut source = Slow(&bytes);
        let mut reader = FrameReader::new();
        assert_eq!(reader.next(&mut source).unwrap().kind, kind::SETTINGS);
        let frame = reader.next(&mut source).unwrap();
        assert_eq!((frame.kind, frame.stream), (kind::DATA, 2_000_000_001));
        assert_eq!(frame.payload, b"answer");
        assert_eq!(
            reader.next(&mut source).unwrap_err().to_string(),
            "the peer closed the connection"
        );
    }

    #[test]
    fn a_frame_over_the_limit_is_an_error() {
        let bytes = [0, 0x40, 1, kind::DATA, 0, 0, 0, 0, 1];
        assert_eq!(
            FrameReader::new().next(&bytes[..]).unwrap_err().to_string(),
            "frame of 16385 bytes, the limit is 16384"
        );
    }

    #[test]
    fn a_header_block_is_found_between_priority_and_padding() {
        let headers = |flags, payload| Frame {
            kind: kind::HEADERS,
            flags,
            stream: 1,
            payload,
        };
        let block = |frame: Frame<'_>| {
            frame
                .block()
                .map(<[u8]>::to_vec)
                .map_err(|error| error.to_string())
        };
        let both = flag::PADDED | flag::PRIORITY;
        for (frame, expected) in [
            (headers(0, &[0x83][..]), Ok(vec![0x83])),
            (headers(flag::PADDED, &[2, 0x83, 0, 0]), Ok(vec![0x83])),
            (
                headers(flag::PRIORITY, &[0, 0, 0, 0, 9, 0x83]),
                Ok(vec![0x83]),
            ),
            (headers(both, &[1, 0, 0, 0, 0, 9, 0x83, 0]), Ok(vec![0x83])),
            (headers(flag::PADDED, &[]), Err("padding length is missing")),
            (
                headers(flag::PADDED, &[3, 0, 0]),
                Err("padding is longer than the frame"),
            ),
            (
                headers(flag::PRIORITY, &[0, 0, 0, 0]),
                Err("priority is cut short"),
            ),
        ] {
            assert_eq!(block(frame), expected.map_err(str::to_owned));
        }
    }
}
