//! A thousand requests on one connection, each with other metadata: what was sent arrives.

use csi_endpoint::{Authority, ServeOptions};
use csi_proto::pluginregistration::v1::{InfoRequest, PluginInfo};
use httlib_hpack::Encoder;
use prost::Message as _;
use tonic::Request;
use tonic::metadata::AsciiMetadataKey;

use crate::bounded::within;
use crate::raw::{BAD, GOOD, Heard, Raw, get_info};
use crate::served::Served;
use crate::wire;

const REQUESTS: usize = 1000;

/// Up to six fields of up to 400 bytes; names and values return, so that tables fill, are used and are emptied.
fn fields(nth: usize) -> Vec<(String, String)> {
    (0..nth % 7)
        .map(|field| {
            let name = format!("x-{}-{field}", nth % 5);
            let seed = nth * 31 + field * 17;
            let letter = char::from(b'a' + (seed % 26) as u8);
            (name, letter.to_string().repeat(seed % 401))
        })
        .collect()
}

/// How the server tells them.
fn told(fields: &[(String, String)]) -> Vec<String> {
    let mut told: Vec<_> = fields
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    told.sort();
    told
}

#[tokio::test]
async fn through_tonic_all_metadata_arrives() {
    let served = Served::start(ServeOptions::default());
    for authority in [Authority::RawPath, Authority::EncodedPath] {
        let mut client = served.client_as(authority).await;
        for nth in 0..REQUESTS {
            let fields = fields(nth);
            let mut request = Request::new(InfoRequest {});
            for (name, value) in &fields {
                let name: AsciiMetadataKey = name.parse().unwrap();
                request.metadata_mut().insert(name, value.parse().unwrap());
            }
            let answer = within("an answer", client.get_info(request)).await;
            let versions = answer.unwrap().into_inner().supported_versions;
            assert_eq!(versions, told(&fields), "request {nth}");
        }
    }
}

/// As above from a client with an HPACK table of its own, which ours does not use for what it imposes.
#[tokio::test]
async fn through_a_dynamic_table_all_metadata_arrives() {
    let served = Served::start(ServeOptions::default());
    for authority in [GOOD, BAD, "/", "run%2Fcsi.sock"] {
        let mut encoder = Encoder::with_dynamic_size(4096);
        let mut raw = Raw::opened(&served).await;
        // Room for all answers.
        raw.send(&wire::frame(0x8, 0, 0, &[0x70, 0, 0, 0])).await;
        let all: Vec<_> = (0..REQUESTS).collect();
        for some in all.chunks(100) {
            let calls: Vec<_> = some
                .iter()
                .flat_map(|&nth| get_info(&mut encoder, authority, stream(nth), &fields(nth)))
                .collect();
            assert!(!raw.call(&calls, some.len()).await, "{authority}");
        }
        let heard = raw.heard(false);
        for nth in 0..REQUESTS {
            let answer = message(&heard, stream(nth));
            assert_eq!(
                answer.supported_versions,
                told(&fields(nth)),
                "request {nth} to {authority}"
            );
        }
        assert_eq!(heard.answered().len(), REQUESTS, "{authority}");
    }
}

fn stream(nth: usize) -> u32 {
    2 * nth as u32 + 1
}

/// The message that came on a stream, without its five bytes of gRPC framing.
fn message(heard: &Heard, stream: u32) -> PluginInfo {
    let data = heard.of_kind(wire::DATA);
    let bytes: Vec<_> = data
        .filter(|frame| frame.stream == stream)
        .flat_map(|frame| frame.payload.iter().copied())
        .collect();
    PluginInfo::decode(&bytes[5..]).unwrap()
}
