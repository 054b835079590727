//! The repair in front of h2 itself: what its server makes of requests that it refuses otherwise.

use std::time::Duration;

use crate::wire::{self, Framing, GRPC_FIELDS};
use bytes::Bytes;
use csi_endpoint::AuthorityRepair;
use httlib_hpack::Encoder;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

/// Answers each request with 200 and its authority until the client goes.
async fn serve(io: DuplexStream) -> Result<Vec<String>, h2::Error> {
    let mut builder = h2::server::Builder::new();
    let mut connection = builder
        .max_header_list_size(16 * 1024)
        .handshake::<_, Bytes>(AuthorityRepair::new(io, 16 * 1024))
        .await?;
    let mut authorities = Vec::new();
    while let Some(request) = connection.accept().await {
        let (request, mut respond) = request?;
        authorities.push(
            request
                .uri()
                .authority()
                .map_or_else(String::new, ToString::to_string),
        );
        respond.send_response(http::Response::new(()), true)?;
    }
    Ok(authorities)
}

/// What the server saw when a client wrote `sent`, and what the client got.
///
/// The client leaves when the server has answered a PING sent last, or has ended the connection.
async fn exchange(sent: Vec<u8>) -> (Result<Vec<String>, h2::Error>, Vec<u8>) {
    let (mut client, server) = tokio::io::duplex(1 << 20);
    let server = tokio::spawn(serve(server));
    client.write_all(&sent).await.unwrap();
    client
        .write_all(&wire::frame(wire::PING, 0, 0, b"the last"))
        .await
        .unwrap();
    let mut received = Vec::new();
    let answers = async {
        while client.read_buf(&mut received).await.unwrap() > 0 {
            if frames(&received, wire::PING)
                .iter()
                .any(|payload| payload == b"the last")
            {
                break;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(10), answers)
        .await
        .unwrap();
    drop(client);
    (server.await.unwrap(), received)
}

fn requests(authorities: &[&str]) -> Vec<u8> {
    let mut encoder = Encoder::with_dynamic_size(4096);
    let mut sent = wire::opening();
    for (authority, stream) in authorities.iter().zip((1..).step_by(2)) {
        let mut block = Vec::new();
        let flags = Encoder::BEST_FORMAT | Encoder::WITH_INDEXING;
        for (name, value) in [(":method", "POST"), (":authority", *authority)]
            .iter()
            .chain(&GRPC_FIELDS[1..])
        {
            wire::field(&mut encoder, name, value, flags, &mut block);
        }
        sent.extend(wire::block_frames(
            &block,
            stream,
            true,
            &Framing::default(),
        ));
    }
    sent
}

/// The payloads of all whole frames of one kind.
fn frames(bytes: &[u8], kind: u8) -> Vec<Vec<u8>> {
    let (frames, _) = wire::frames(bytes);
    frames
        .into_iter()
        .filter(|frame| frame.kind == kind)
        .map(|frame| frame.payload)
        .collect()
}

#[tokio::test]
async fn every_authority_of_a_real_client_is_served() {
    for authority in [
        "localhost",
        "/run/csi/csi.sock",
        "%2Frun%2Fcsi%2Fcsi.sock",
        "run%2Fcsi.sock",
        "",
    ] {
        let (seen, received) = exchange(requests(&[authority, authority, authority])).await;
        assert_eq!(seen.unwrap(), ["localhost"; 3], "{authority:?}");
        assert_eq!(frames(&received, wire::RST_STREAM), Vec::<Vec<u8>>::new());
    }
}

#[tokio::test]
async fn a_bad_authority_after_a_good_one_is_refused_by_h2() {
    let (seen, received) =
        exchange(requests(&["localhost", "/run/csi/csi.sock", "localhost"])).await;
    assert_eq!(seen.unwrap(), ["localhost"; 2]);
    let protocol_error = 1_u32.to_be_bytes().to_vec();
    assert_eq!(frames(&received, wire::RST_STREAM), [protocol_error]);
}

#[tokio::test]
async fn a_request_with_two_authorities_is_refused_by_h2_and_the_next_is_served() {
    let mut encoder = Encoder::with_dynamic_size(4096);
    let mut sent = wire::opening();
    for (authorities, stream) in [(&["/a", "/a"][..], 1), (&["/a"], 3)] {
        let mut block = Vec::new();
        let flags = Encoder::BEST_FORMAT | Encoder::WITH_INDEXING;
        for authority in authorities {
            wire::field(&mut encoder, ":authority", authority, flags, &mut block);
        }
        for (name, value) in GRPC_FIELDS {
            wire::field(&mut encoder, name, value, flags, &mut block);
        }
        sent.extend(wire::block_frames(
            &block,
            stream,
            true,
            &Framing::default(),
        ));
    }
    let (seen, received) = exchange(sent).await;
    assert_eq!(seen.unwrap(), ["localhost"]);
    let protocol_error = 1_u32.to_be_bytes().to_vec();
    assert_eq!(frames(&received, wire::RST_STREAM), [protocol_error]);
}

#[tokio::test]
async fn a_header_list_over_the_limit_is_answered_as_without_repair() {
    let list = |authority| {
        let mut sent = wire::opening();
        let mut encoder = Encoder::with_dynamic_size(4096);
        let mut block = Vec::new();
        for (name, value) in [(":authority", authority)].iter().chain(&GRPC_FIELDS) {
            wire::field(&mut encoder, name, value, 0, &mut block);
        }
        wire::field(
            &mut encoder,
            "x-large",
            &"v".repeat(1024),
            Encoder::WITH_INDEXING,
            &mut block,
        );
        block.extend([0x80 | 62; 20]);
        sent.extend(wire::block_frames(&block, 1, true, &Framing::default()));
        sent
    };
    let (seen, without) = exchange(list("localhost")).await;
    assert_eq!(seen.unwrap(), [""; 0]);
    let (seen, with) = exchange(list("/run/csi/csi.sock")).await;
    assert_eq!(seen.unwrap(), [""; 0]);
    assert_eq!(
        frames(&with, wire::HEADERS),
        frames(&without, wire::HEADERS)
    );
    assert_eq!(
        frames(&with, wire::HEADERS).len(),
        1,
        "an answer, and it says 431"
    );
}

#[tokio::test]
async fn a_malformed_block_on_a_repaired_connection_ends_it_with_goaway() {
    let mut sent = requests(&["/run/csi/csi.sock"]);
    sent.extend(wire::frame(wire::HEADERS, wire::END_HEADERS, 3, &[0x80]));
    let (_, received) = exchange(sent).await;
    // h2 answers with PROTOCOL_ERROR where the RFC names COMPRESSION_ERROR.
    let protocol_error = 1_u32.to_be_bytes();
    let goaway = frames(&received, wire::GOAWAY).pop().unwrap();
    assert_eq!(goaway[4..8], protocol_error);
}
