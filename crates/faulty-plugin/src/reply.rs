//! One answer, in the parts in which it goes over the wire.

use std::time::Duration;

use h2::Reason;
use tonic::Code;

/// What a call is answered with.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// How long the call takes.
    pub(crate) delay: Duration,
    pub(crate) http_status: u16,
    pub(crate) content_type: &'static str,
    /// Further headers.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) frames: Vec<Frame>,
    /// A body that is no gRPC, in place of the frames.
    pub(crate) raw: Option<Vec<u8>>,
    /// What ends the answer. Without a frame it goes in one block with the headers; where it is empty, nothing goes.
    pub(crate) trailers: Vec<(&'static str, Vec<u8>)>,
    pub(crate) ending: Ending,
}

/// A message with the five bytes that gRPC puts before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) message: Vec<u8>,
    /// What the first byte says: 1 for a compressed message.
    pub(crate) flag: u8,
    /// How many bytes the length promises beyond those that come.
    pub(crate) missing: u32,
}

/// What becomes of the call, and of its connection.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending {
    /// The answer is sent, the connection stays.
    Whole,
    /// The answer is sent, and the connection closed in good order.
    ThenClose,
    /// Headers and messages are sent, then the stream is reset in place of trailers.
    Reset(Reason),
    /// No answer: GOAWAY.
    GoAway(Reason),
    /// No answer: the connection is closed without a word.
    Cut,
    /// No answer: the plugin ends.
    Stop,
}

impl Reply {
    pub(crate) fn ok(message: &impl prost::Message) -> Self {
        let mut reply = Self::status(Code::Ok, "");
        reply.frames.push(Frame::of(message.encode_to_vec()));
        reply
    }

    pub(crate) fn status(code: Code, message: &str) -> Self {
        let mut trailers = vec![("grpc-status", (code as i32).to_string().into_bytes())];
        if !message.is_empty() {
            trailers.push(("grpc-message", percent_encoded(message)));
        }
        Self {
            delay: Duration::ZERO,
            http_status: 200,
            content_type: "application/grpc",
            headers: Vec::new(),
            frames: Vec::new(),
            raw: None,
            trailers,
            ending: Ending::Whole,
        }
    }

    /// The message it has, as far as it can be read.
    pub(crate) fn message<M: prost::Message + Default>(&self) -> M {
        let bytes = self.frames.first().map(|frame| &*frame.message);
        M::decode(bytes.unwrap_or_default()).unwrap_or_default()
    }

    /// Puts these bytes in place of the messages it has.
    pub(crate) fn set_message(&mut self, bytes: Vec<u8>) {
        self.frames = vec![Frame::of(bytes)];
    }
}

impl Frame {
    pub(crate) fn of(message: Vec<u8>) -> Self {
        Self {
            message,
            ..Self::default()
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        // Over 4 GiB would not be what is promised; nothing here comes near.
        let len = u32::try_from(self.message.len()).unwrap_or(u32::MAX);
        let len = len.saturating_add(self.missing);
        [&[self.flag], &len.to_be_bytes()[..], &self.message].concat()
    }
}

/// A status message as it goes over the wire.
fn percent_encoded(message: &str) -> Vec<u8> {
    let mut encoded = Vec::new();
    for byte in message.bytes() {
        match byte {
            b'%' | 0..b' ' | 0x7f.. => encoded.extend(format!("%{byte:02X}").bytes()),
            _ => encoded.push(byte),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::percent_encoded;

    #[test]
    fn only_what_is_printable_stays_as_it_is() {
        for (message, encoded) in [("a b", "a b"), ("50%\n", "50%25%0A"), ("é", "%C3%A9")] {
            assert_eq!(percent_encoded(message), encoded.as_bytes());
        }
    }
}
