//! The requests that are sent here, and their answers, as bytes.

use anyhow::{Result, ensure};

use super::frame::{Frame, flag, kind, write_frame};

/// What every server that is called from here has to answer.
pub(crate) const DRIVER_NAME: &str = "disk.example.org";
/// See [`DRIVER_NAME`].
pub(crate) const DRIVER_VERSION: &str = "1.2.3";

/// A method of `csi.v1.Identity`, or one that kubelets call to register a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method<'a> {
    GetPluginInfo,
    Probe,
    /// Of a registrar, which has to answer with this path.
    GetInfo {
        endpoint: &'a str,
    },
    /// To a registrar: its plugin is registered.
    NotifyRegistered,
}

impl Method<'_> {
    fn path(self) -> &'static str {
        match self {
            Self::GetPluginInfo => "/csi.v1.Identity/GetPluginInfo",
            Self::Probe => "/csi.v1.Identity/Probe",
            Self::GetInfo { .. } => "/pluginregistration.Registration/GetInfo",
            Self::NotifyRegistered => "/pluginregistration.Registration/NotifyRegistrationStatus",
        }
    }

    /// What is sent, as a gRPC message.
    fn question(self) -> Vec<u8> {
        match self {
            Self::GetPluginInfo | Self::Probe | Self::GetInfo { .. } => message(&[]),
            // `RegistrationStatus { plugin_registered = 1 }`
            Self::NotifyRegistered => message(&[0x08, 1]),
        }
    }

    /// The answer that is right, as a gRPC message.
    pub(crate) fn expected_answer(self) -> Vec<u8> {
        match self {
            // `GetPluginInfoResponse { name = 1, vendor_version = 2 }`
            Self::GetPluginInfo => {
                let mut answer = vec![0x0a];
                push_text(&mut answer, DRIVER_NAME);
                answer.push(0x12);
                push_text(&mut answer, DRIVER_VERSION);
                message(&answer)
            }
            // `ProbeResponse { ready = 1 }`, a message of its own with `value = 1`, which is true.
            Self::Probe => message(&[0x0a, 2, 0x08, 1]),
            // `PluginInfo { type = 1, name = 2, endpoint = 3, supported_versions = 4 }`
            Self::GetInfo { endpoint } => {
                let mut answer = Vec::new();
                for (key, text) in [
                    (0x0a, "CSIPlugin"),
                    (0x12, DRIVER_NAME),
                    (0x1a, endpoint),
                    (0x22, "1.0.0"),
                ] {
                    answer.push(key);
                    push_text(&mut answer, text);
                }
                message(&answer)
            }
            Self::NotifyRegistered => message(&[]),
        }
    }
}

/// Not compressed, and the length in four bytes.
fn message(answer: &[u8]) -> Vec<u8> {
    let mut message = vec![0, 0, 0, 0];
    push_length(&mut message, answer.len());
    message.extend_from_slice(answer);
    message
}

/// A request; its stream is set later.
pub(crate) struct Request {
    bytes: Vec<u8>,
    /// Where the frame with the message begins.
    second_frame: usize,
}

/// Bytes before the payload of a frame.
const FRAME_HEADER: usize = 9;

impl Request {
    /// The first one of a connection, with every header field in full.
    ///
    /// # Errors
    ///
    /// Where the authority is longer than any socket path can make it.
    pub(crate) fn first(method: Method<'_>, authority: &str) -> Result<Self> {
        let length = authority.len();
        ensure!(
            length < 127,
            "an authority of {length} bytes, the limit is 126"
        );
        let mut block = METHOD_AND_SCHEME.to_vec();
        // "Literal with incremental indexing"; the name by its index in the static table, or 0 and in full.
        for (index, name, value) in [
            (4, None, method.path()),
            (1, None, authority),
            (31, None, "application/grpc"),
            (0, Some("te"), "trailers"),
            (58, None, "xtask"),
        ] {
            block.push(0x40 | index);
            for text in name.into_iter().chain([value]) {
                push_text(&mut block, text);
            }
        }
        Self::new(&block, &method.question())
    }

    /// Any later one: the table has what the first request said, the newest field at index 62.
    pub(crate) fn later(method: Method<'_>) -> Result<Self> {
        let block = METHOD_AND_SCHEME.into_iter();
        let table = (62..=66).rev().map(|index| 0x80 | index);
        Self::new(&block.chain(table).collect::<Vec<_>>(), &method.question())
    }

    fn new(block: &[u8], message: &[u8]) -> Result<Self> {
        let mut bytes = Vec::new();
        for (kind, flags, payload) in [
            (kind::HEADERS, flag::END_HEADERS, block),
            (kind::DATA, flag::END_STREAM, message),
        ] {
            let frame = Frame {
                kind,
                flags,
                stream: 0,
                payload,
            };
            write_frame(&mut bytes, &frame)?;
        }
        Ok(Self {
            second_frame: FRAME_HEADER + block.len(),
            bytes,
        })
    }

    /// The request as it is sent on `stream`.
    pub(crate) fn on_stream(&mut self, stream: u32) -> &[u8] {
        for frame in [0, self.second_frame] {
            self.bytes[frame + 5..frame + 9].copy_from_slice(&stream.to_be_bytes());
        }
        &self.bytes
    }
}

/// `:method: POST` and `:scheme: http`, which the static table has as they are.
const METHOD_AND_SCHEME: [u8; 2] = [0x83, 0x86];

/// Length and text. HPACK and protobuf write both alike up to 126 bytes, and nothing here is longer.
fn push_text(out: &mut Vec<u8>, text: &str) {
    push_length(out, text.len());
    out.extend(text.as_bytes());
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "constants, and an authority whose length was looked at"
)]
fn push_length(out: &mut Vec<u8>, length: usize) {
    debug_assert!(length < 127);
    out.push(length as u8);
}

#[cfg(test)]
mod tests {
    use httlib_hpack::Decoder;

    use super::*;
    use crate::http2::FrameReader;

    #[test]
    fn later_requests_say_what_the_first_one_said() {
        let mut decoder = Decoder::default();
        let mut fields = |request: &mut Request, stream| {
            let mut bytes = request.on_stream(stream);
            let mut reader = FrameReader::new();
            let headers = reader.next(&mut bytes).unwrap();
            assert_eq!((headers.kind, headers.stream), (kind::HEADERS, stream));
            let mut fields = Vec::new();
            decoder
                .decode(&mut headers.payload.to_vec(), &mut fields)
                .unwrap();
            let data = reader.next(&mut bytes).unwrap();
            assert_eq!((data.kind, data.stream), (kind::DATA, stream));
            let text = |bytes| String::from_utf8(bytes).unwrap();
            let texts = fields
                .into_iter()
                .map(|(name, value, _)| format!("{}: {}", text(name), text(value)));
            texts.collect::<Vec<_>>()
        };
        let expected = [
            ":method: POST",
            ":scheme: http",
            ":path: /csi.v1.Identity/GetPluginInfo",
            ":authority: /run/csi.sock",
            "content-type: application/grpc",
            "te: trailers",
            "user-agent: xtask",
        ];
        let first = &mut Request::first(Method::GetPluginInfo, "/run/csi.sock").unwrap();
        assert_eq!(fields(first, 1), expected);
        let later = &mut Request::later(Method::GetPluginInfo).unwrap();
        assert_eq!(fields(later, 3), expected);
        assert_eq!(fields(later, 0x0100_0005), expected);
    }

    #[test]
    fn a_request_carries_its_message() {
        for (method, message) in [
            (Method::Probe, &[0, 0, 0, 0, 0][..]),
            (Method::NotifyRegistered, &[0, 0, 0, 0, 2, 8, 1]),
        ] {
            for mut request in
                [Request::first(method, "a"), Request::later(method)].map(Result::unwrap)
            {
                let mut bytes = request.on_stream(1);
                let mut reader = FrameReader::new();
                assert_eq!(reader.next(&mut bytes).unwrap().kind, kind::HEADERS);
                let data = reader.next(&mut bytes).unwrap();
                assert_eq!(
                    (data.kind, data.payload),
                    (kind::DATA, message),
                    "{method:?}"
                );
            }
        }
    }

    #[test]
    fn a_registrar_is_expected_to_name_the_plugin_and_its_endpoint() {
        let expected =
            b"\0\0\0\0\x28\x0a\x09CSIPlugin\x12\x10disk.example.org\x1a\x02/a\x22\x051.0.0";
        let method = Method::GetInfo { endpoint: "/a" };
        assert_eq!(method.expected_answer(), expected);
    }

    #[test]
    fn an_authority_over_the_limit_is_an_error() {
        let first = |length| Request::first(Method::Probe, &"a".repeat(length));
        assert!(first(126).is_ok());
        assert_eq!(
            first(127).err().unwrap().to_string(),
            "an authority of 127 bytes, the limit is 126"
        );
    }
}
