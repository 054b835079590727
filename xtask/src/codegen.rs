//! Makes the generated part of `csi-proto` out of the texts in `proto`.
//!
//! The compiler is `protox`, so `protoc` is not needed.

mod debug;
mod tree;

use std::{fs, io::Write, path::PathBuf};

use anyhow::{Context, Result};
use protox::prost_reflect::MessageDescriptor;

use self::tree::Tree;
use crate::workspace;

/// The texts to compile, relative to `proto`.
const FILES: [&str; 2] = ["csi/v1/csi.proto", "pluginregistration/v1/api.proto"];

/// Maps whose order people and tests see.
const ORDERED_MAPS: [&str; 2] = [
    ".csi.v1.GetPluginInfoResponse.manifest",
    ".csi.v1.Topology.segments",
];

/// Writes the generated files and removes those that are no longer made.
pub(crate) fn write(out: &mut impl Write) -> Result<()> {
    let directory = directory();
    let changed = generate()?.write(&directory)?;
    writeln!(out, "files changed in {}: {changed}", directory.display())?;
    Ok(())
}

/// Names the generated files that are not what `proto` says, and tells whether there are none.
pub(crate) fn check(out: &mut impl Write) -> Result<bool> {
    let differences = generate()?.differences(&directory())?;
    for difference in &differences {
        writeln!(out, "{difference}")?;
    }
    if !differences.is_empty() {
        writeln!(out, "run `cargo xtask codegen` and commit the result")?;
    }
    Ok(differences.is_empty())
}

fn directory() -> PathBuf {
    workspace::path("crates/csi-proto/src/generated")
}

/// What a call answers that a plugin does not write, as the generator has it and as callers shall read it.
const STUB_MESSAGE: &str = "\"Not yet implemented\"";
const OUR_STUB_MESSAGE: &str = "\"the plugin does not implement this call\"";

fn generate() -> Result<Tree> {
    let mut compiler = protox::Compiler::new([workspace::path("proto")])?;
    compiler.include_imports(true).open_files(FILES)?;
    let mut tree = Tree::default();
    tree.insert("descriptors.bin", compiler.encode_file_descriptor_set());

    let pool = compiler.descriptor_pool();
    let secretive: Vec<MessageDescriptor> = debug::secretive(&pool)?;
    tree.insert("csi.v1.debug.rs", debug::render(&pool, &secretive)?.into());

    // Comments become documentation, but need not be in the descriptors that programs carry.
    compiler.include_source_info(true);
    let scratch = tempfile::tempdir().context("cannot make a temporary directory")?;
    let mut builder = tonic_prost_build::configure()
        .out_dir(scratch.path())
        .emit_rerun_if_changed(false)
        .build_transport(false)
        // Most calls of the specification are optional: a plugin writes those that it has.
        .generate_default_stubs(true)
        .skip_debug(
            secretive
                .iter()
                .map(|message| format!(".{}", message.full_name())),
        );
    for path in ORDERED_MAPS {
        builder = builder.btree_map(path);
    }
    builder
        .compile_fds(compiler.file_descriptor_set())
        .context("cannot generate code")?;
    for entry in fs::read_dir(scratch.path())? {
        let path = entry?.path();
        let name = path
            .file_name()
            .context("a generated file has no name")?
            .to_string_lossy();
        let code = fs::read_to_string(&path)?.replace(STUB_MESSAGE, OUR_STUB_MESSAGE);
        tree.insert(&name, code.into());
    }
    Ok(tree)
}
