//! Has the linker put the functions that `serve` and `agent` run in one place.
//!
//! The kernel brings a program into memory 64 KiB at a time, around what is run. Where functions that are run lie between
//! others, all of them are resident; side by side they are a third. `layout.ld` names them, and is no more than a wish:
//! a name in it that is not there costs nothing, and a function that is missing lies where it would have lain anyway.
//! They are names in the newer form (v0), as `.cargo/config.toml` asks for: in the older one all instances of a generic
//! function look alike.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=layout.ld");
    println!("cargo::rerun-if-env-changed=CSI_IDENTITY_LAYOUT");
    if is_wanted()
        && let Ok(directory) = env::var("CARGO_MANIFEST_DIR")
    {
        println!("cargo::rustc-link-arg-bins=-T{directory}/layout.ld");
    }
}

/// Not every linker reads scripts, GNU ld and lld do; so it is left alone where somebody chose one, or says
/// `CSI_IDENTITY_LAYOUT=off`.
fn is_wanted() -> bool {
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|found| found == value);
    let chosen = env::var_os("RUSTC_LINKER").is_some()
        || env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| {
            ["linker=", "fuse-ld=", "link-arg=-T"]
                .iter()
                .any(|flag| flags.contains(flag))
        });
    is("PROFILE", "release")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && !is("CSI_IDENTITY_LAYOUT", "off")
        && !chosen
}
