#![no_main]

#[path = "../../crates/csi-endpoint/tests/repair/blocks.rs"]
mod blocks;
#[path = "../../crates/csi-endpoint/tests/fuzz_corpus/drawn_requests.rs"]
mod drawn_requests;
#[path = "../../crates/csi-endpoint/tests/repair/passage.rs"]
mod passage;
#[expect(dead_code, reason = "the tests need more of it")]
#[path = "../../crates/csi-endpoint/tests/http2/wire.rs"]
mod wire;

libfuzzer_sys::fuzz_target!(|input: &[u8]| drawn_requests::arrive(input));
