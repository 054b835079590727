use std::fs::File;
use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use csi_identity_config::{ConfigErrors, Configuration};

use crate::output::write_json;
use crate::serve::{Flags, Settings};
use crate::verdict::Verdict;

/// Check a configuration file, or show what one can say.
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  csi-identity config example > csi-identity.yaml
  csi-identity config check csi-identity.yaml

Exit codes:
  0  done, or the file is good
  1  the file is not good
  2  the file cannot be read, or usage"
)]
pub(crate) struct Config {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Say whether a file is good, with line and column of all that is wrong with it.
    ///
    /// What serve needs and the file leaves out (endpoint, name, version) has to come from flags then.
    #[command(after_help = "\
Example:
  csi-identity config check /etc/csi-identity.yaml

Exit codes:
  0  the file is good; warnings, if there are any, go to standard error
  1  the file is not good
  2  the file cannot be read, or usage")]
    Check {
        /// Configuration file, YAML or JSON.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Show the JSON Schema of the file, for editors.
    #[command(after_help = "\
Example:
  csi-identity config schema > csi-identity.schema.json

Exit code: 0")]
    Schema,
    /// Show a file with every key and what it means.
    #[command(after_help = "\
Example:
  csi-identity config example > csi-identity.yaml

Exit code: 0")]
    Example,
}

impl Config {
    pub(crate) fn run(self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Self { command } = self;
        match command {
            Command::Check { file } => return check(&file, out),
            Command::Schema => write_json(out, &csi_identity_config::schema())?,
            Command::Example => write!(out, "{}", csi_identity_config::EXAMPLE)?,
        }
        Ok(Verdict::Pass)
    }
}

/// Reads a configuration file; the outer error is that it cannot be read, the inner that it is not good.
pub(crate) fn read(path: &Path) -> anyhow::Result<Result<Configuration, ConfigErrors>> {
    let name = path.display().to_string();
    // One byte more than the limit is enough to say that a file is too large, however large it is.
    let most = Configuration::MAX_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most).read_to_end(&mut bytes))
        .with_context(|| format!("cannot read the configuration file {name}"))?;
    Ok(Configuration::from_bytes(&bytes, &name))
}

fn check(file: &Path, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let configuration = match read(file)? {
        Ok(configuration) => configuration,
        Err(errors) => {
            writeln!(out, "{errors}")?;
            return Ok(Verdict::Fail);
        }
    };
    let name = file.display();
    // What the file leaves out may come from flags; only what is there is judged.
    if configuration.plugin_info.is_some() {
        let settings = Settings::of(configuration, Flags::default())?;
        for warning in settings.warnings() {
            tracing::warn!("{warning}");
        }
        match settings.plugin(false) {
            Ok(plugin) => {
                for advice in plugin.advice() {
                    tracing::warn!("{advice}");
                }
            }
            Err(error) => {
                writeln!(out, "{name}: {error}")?;
                return Ok(Verdict::Fail);
            }
        }
    }
    writeln!(out, "{name}: good")?;
    Ok(Verdict::Pass)
}
