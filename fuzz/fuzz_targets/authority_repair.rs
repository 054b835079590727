#![no_main]

#[path = "../../crates/csi-endpoint/tests/repair/any_bytes.rs"]
mod any_bytes;
#[path = "../../crates/csi-endpoint/tests/repair/behind_h2.rs"]
mod behind_h2;
#[path = "../../crates/csi-endpoint/tests/repair/passage.rs"]
mod passage;

libfuzzer_sys::fuzz_target!(|input: &[u8]| any_bytes::deal_well_with(input));
