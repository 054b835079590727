//! Requests with an authority, written in one way or another, and what of them arrives.

use httlib_hpack::Encoder;

use crate::chunks::through_repair;
use crate::wire::{self, Arrived, Fields, Framing, GRPC_FIELDS};

pub(crate) const PLAIN: u8 = 0;
pub(crate) const INDEXED: u8 = Encoder::WITH_INDEXING;

pub(crate) const RAW_PATH: &str = "/var/lib/kubelet/plugins_registry/disk.example.org-reg.sock";

/// A request with the given authority, all of it in one representation.
pub(crate) fn request(encoder: &mut Encoder<'_>, authority: &str, flags: u8) -> Vec<u8> {
    let mut block = Vec::new();
    wire::field(encoder, ":authority", authority, flags, &mut block);
    for (name, value) in GRPC_FIELDS {
        wire::field(encoder, name, value, flags, &mut block);
    }
    block
}

pub(crate) fn request_fields(authority: &str) -> Fields {
    let mut fields: Fields = vec![(b":authority".to_vec(), authority.into())];
    fields.extend(GRPC_FIELDS.map(|(name, value)| (name.into(), value.into())));
    fields
}

/// The header blocks that arrive when `blocks` are sent, each in one HEADERS frame of its own stream.
pub(crate) fn blocks_behind(blocks: &[Vec<u8>]) -> Vec<Fields> {
    let mut sent = wire::opening();
    for (block, stream) in blocks.iter().zip((1..).step_by(2)) {
        sent.extend(wire::block_frames(block, stream, true, &Framing::default()));
    }
    fields_of(&through_repair(&sent, &[4096]).unwrap())
}

pub(crate) fn fields_of(bytes: &[u8]) -> Vec<Fields> {
    wire::arrived(bytes)
        .into_iter()
        .filter_map(|arrived| match arrived {
            Arrived::Block { fields, .. } => Some(fields),
            Arrived::Frame { .. } => None,
        })
        .collect()
}
