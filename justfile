# What CI runs, and what a commit must pass: `just check`.

export CARGO_TERM_COLOR := "always"

# Everything below, in the order in which it fails fastest.
check: fmt clippy domain doc test codegen deny package

fmt:
    cargo fmt --all --check

clippy:
    cargo clippy --workspace --all-targets --locked -- --deny warnings

# The domain alone: no tokio, no tonic.
domain:
    cargo clippy --package csi-identity --no-default-features --all-targets --locked -- --deny warnings
    cargo test --package csi-identity --no-default-features --locked

doc:
    RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps --locked

# The README's test command.
test:
    cargo test --workspace

# Generated code is what `proto/` says.
codegen:
    cargo xtask codegen --check

deny:
    cargo deny --locked check licenses bans sources

# In a target directory of its own each time: cargo unpacks the workspace's crates below its home, under a name made from
# that directory, and never unpacks them a second time, so a run in the same place would build yesterday's crates.
# What is only for tests is never published.
package:
    target=$(mktemp -d) && trap 'rm -rf "$target"' EXIT && \
        cargo package --workspace --exclude faulty-plugin --locked --allow-dirty --target-dir "$target"

# Other people's clients against our server, in the languages that are installed; verify on good plugins and beside csi-sanity.
interop:
    interop/run

# Latency, memory and size beside a stock tonic server, and the agent beside sidecars in Go; `just bench --write` writes docs/benchmarks.md.
bench *OPTIONS:
    cargo xtask bench {{OPTIONS}}

# The agent through 100,000 health requests, 1,000 plugin restarts and as many deleted sockets, of which `test` runs a
# twentieth; `just soak --release` is what is shipped. And the faults that take longest to be found.
soak *OPTIONS:
    cargo test --package csi-identity-cli --test soak --locked {{OPTIONS}} -- --ignored --nocapture
    cargo test --package faulty-plugin --test found --locked {{OPTIONS}} -- --ignored

# The picture of a registration in the README, from a run of the demo.
picture:
    folder=$(mktemp -d /tmp/node.XXXX) && trap 'rm -rf "$folder"' EXIT && \
        cargo run --release --locked -- demo --keep "$folder" && cp "$folder/registration.svg" docs/registration.svg

# Looks for inputs that break what reads other people's bytes; new ones worth keeping go to target/fuzz-corpus.
fuzz TARGET SECONDS="3600":
    mkdir -p target/fuzz-corpus/{{TARGET}}
    cargo +nightly fuzz run {{TARGET}} target/fuzz-corpus/{{TARGET}} fuzz/corpus/{{TARGET}} -- \
        -max_total_time={{SECONDS}} -rss_limit_mb=2048
