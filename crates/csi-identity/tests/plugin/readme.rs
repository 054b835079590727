//! The library's example is one text, run as a documentation test where the crate has it.

#[test]
fn the_project_s_readme_shows_the_example_of_the_crate_s() {
    let example = include_str!("../../README.md")
        .lines()
        .skip_while(|line| *line != "```rust,no_run")
        .skip(1)
        .take_while(|line| *line != "```")
        .filter(|line| !line.starts_with("# "))
        .collect::<Vec<_>>()
        .join("\n");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    assert!(
        readme.contains(&format!("```rust\n{example}\n```")),
        "{example}"
    );
}
