//! What a fuzzer found worth keeping, run through the same checks. `fuzz/` holds the fuzzer; neither is packaged.

mod any_text;

use std::path::Path;

#[test]
fn any_text() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/configuration");
    let mut inputs = 0;
    for entry in corpus.read_dir().unwrap() {
        let path = entry.unwrap().path();
        println!("{}", path.display());
        any_text::deal_well_with(&std::fs::read(&path).unwrap());
        inputs += 1;
    }
    assert!(inputs > 0, "{} is empty", corpus.display());
}
