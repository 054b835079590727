#![no_main]

#[path = "../../crates/csi-identity-config/tests/fuzz_corpus/any_text.rs"]
mod any_text;

libfuzzer_sys::fuzz_target!(|input: &[u8]| any_text::deal_well_with(input));
