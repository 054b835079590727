//! What a fuzzer found worth keeping, run through the same checks. `fuzz/` holds the fuzzer; neither is packaged.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking, its helpers too"
)]
#![expect(clippy::print_stdout, reason = "the input is shown if the test fails")]

use std::path::Path;

#[path = "../repair/any_bytes.rs"]
mod any_bytes;
#[path = "../repair/behind_h2.rs"]
mod behind_h2;
#[path = "../repair/blocks.rs"]
mod blocks;
mod drawn_requests;
#[path = "../repair/passage.rs"]
mod passage;
#[expect(dead_code, reason = "the other tests of the repair need more of it")]
#[path = "../http2/wire.rs"]
mod wire;

#[test]
fn any_bytes() {
    for_each_input("authority_repair", any_bytes::deal_well_with);
}

#[test]
fn requests() {
    for_each_input("authority_repair_requests", drawn_requests::arrive);
}

fn for_each_input(target: &str, check: impl Fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let mut inputs = 0;
    for entry in corpus.read_dir().unwrap() {
        let path = entry.unwrap().path();
        println!("{}", path.display());
        check(&std::fs::read(&path).unwrap());
        inputs += 1;
    }
    assert!(inputs > 0, "{} is empty", corpus.display());
}
