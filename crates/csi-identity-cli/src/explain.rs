use std::io::Write;
use std::time::Duration;

use anyhow::anyhow;
use clap::ValueEnum;
use csi_identity::endpoint::Endpoint;
use humantime::format_duration;

use crate::ask::Ask;
use crate::duration;
use crate::output::Format;
use crate::verdict::Verdict;

mod judge;
mod observation;
mod observe;
mod report;
mod rules;
mod when;

use rules::Reaction;

/// Ask a plugin once, and say what each of its callers will make of the answers.
///
/// The callers are those of Kubernetes and Nomad, and csc: which calls each makes, how long it waits, and whether it then goes
/// on, waits, exits or fails. Nothing is changed: Identity's three calls are made, ControllerGetCapabilities,
/// NodeGetCapabilities and NodeGetInfo.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  csi-identity explain -e unix:///run/csi/csi.sock -o markdown

Exit codes:
  0  every caller that applies to this plugin goes on
  1  one of them waits, exits, refuses its work or restarts the plugin
  2  could not find out")]
pub(crate) struct Explain {
    /// Socket of the plugin: unix:///abs, unix:/abs or /abs.
    #[arg(short, long, env = "CSI_ENDPOINT", value_name = "ENDPOINT")]
    endpoint: Endpoint,
    /// How long the connection may take, and then each answer.
    #[arg(long, default_value = "5s", value_parser = duration::parse_positive, value_name = "DURATION")]
    timeout: Duration,
    /// How to write what was found out.
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Form,
}

/// How it is written.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Form {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// For tickets and pages.
    Markdown,
}

impl Explain {
    pub(crate) async fn run(self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Self {
            endpoint,
            timeout,
            output,
        } = self;
        let ask = Ask {
            endpoint,
            timeout,
            output: Format::Text,
        };
        let seen = observe::observe(&ask).await?;
        let verdicts = judge::judge(&seen);
        match output {
            Form::Text => report::write_text(out, &seen, &verdicts)?,
            Form::Json => crate::output::write_json(out, &report::to_json(&seen, &verdicts))?,
            Form::Markdown => report::write_markdown(out, &seen, &verdicts)?,
        }
        let is_any = |wanted: fn(Reaction) -> bool| {
            let mut reactions = verdicts.iter().map(|verdict| verdict.reaction);
            reactions.any(wanted)
        };
        if is_any(Reaction::is_trouble) {
            return Ok(Verdict::Fail);
        }
        if is_any(|reaction| reaction == Reaction::NotKnown) {
            let timeout = format_duration(ask.timeout);
            return Err(anyhow!(
                "some callers wait longer than the {timeout} granted here; give a longer --timeout"
            ));
        }
        Ok(Verdict::Pass)
    }
}

#[cfg(test)]
mod tests;
