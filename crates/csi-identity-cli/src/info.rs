use std::io::{self, Write};

use csi_identity::proto::csi::v1::GetPluginInfoResponse;
use csi_identity::{PluginClient, PluginName, VendorVersion};
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::output::{printable, verdict, write_answer};
use crate::verdict::Verdict;

/// Ask a plugin who it is (GetPluginInfo).
///
/// A name or version that breaks a rule, or that some caller will not take, is shown as it is, with a warning on standard
/// error.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  csi-identity info -e unix:///run/csi/csi.sock -o json

Exit codes:
  0  the plugin said who it is
  1  it answered with an error
  2  could not find out")]
pub(crate) struct Info {
    #[command(flatten)]
    ask: Ask,
}

impl Info {
    pub(crate) async fn run(self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Self { ask } = self;
        let answer = ask.call(PluginClient::plugin_info).await?;
        let info = write_answer(out, ask.output, answer, write_text, to_json)?;
        if let Some(info) = &info {
            warn(info);
        }
        Ok(verdict(info.as_ref()))
    }
}

fn write_text(out: &mut impl Write, info: &GetPluginInfoResponse) -> io::Result<()> {
    writeln!(out, "name:           {}", printable(&info.name))?;
    writeln!(out, "vendor_version: {}", printable(&info.vendor_version))?;
    if !info.manifest.is_empty() {
        writeln!(out, "manifest:")?;
    }
    for (key, value) in &info.manifest {
        writeln!(out, "  {}: {}", printable(key), printable(value))?;
    }
    Ok(())
}

pub(crate) fn to_json(info: &GetPluginInfoResponse) -> Value {
    json!({ "name": info.name, "vendor_version": info.vendor_version, "manifest": info.manifest })
}

fn warn(info: &GetPluginInfoResponse) {
    match info.name.parse::<PluginName>() {
        Err(error) => tracing::warn!("{error}"),
        Ok(name) => name
            .advice()
            .iter()
            .for_each(|advice| tracing::warn!("{advice}")),
    }
    match info.vendor_version.parse::<VendorVersion>() {
        Err(error) => tracing::warn!("{error}"),
        Ok(version) => version
            .advice()
            .iter()
            .for_each(|advice| tracing::warn!("{advice}")),
    }
}
