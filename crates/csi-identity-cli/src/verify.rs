use std::io::{IsTerminal as _, Write};
use std::pin::Pin;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use csi_conformance::{
    ObserveOptions, Profile, Report, Selection, Where, judge, observe, rules_markdown, rules_text,
};
use csi_identity::endpoint::Endpoint;

use crate::duration::parse_positive;
use crate::signals::StopSignals;
use crate::verdict::Verdict;

mod form;
mod progress;

use form::{Form, Output};

/// Judge the Identity service of a plugin in any language, with a reason for every verdict.
///
/// A finding is a MUST where the specification, gRPC or protobuf does not allow what was seen; BREAKS where it is allowed and
/// a caller that clusters have does not do its work; ADVICE where something else would be better. Each says what was seen,
/// what happens because of it, and what to do in Go and in Rust.
///
/// It makes several hundred calls, which takes less than a second where the plugin is quick, and calls no RPC that could
/// change what is stored; the report says which were called, and how often.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "\
csi-identity verify [OPTIONS] --endpoint <ENDPOINT>
       csi-identity verify [OPTIONS] --command <COMMAND>
       csi-identity verify --rules",
    after_help = "\
Examples:
  A plugin that runs, whose Controller service is on the same socket:
  csi-identity verify -e unix:///run/csi/csi.sock --controller-endpoint unix:///run/csi/csi.sock
  In CI, the driver started and ended by verify:
  csi-identity verify --command './my-driver --node-id n1' --format text --format junit=report.xml
  One finding again, after the code was changed:
  csi-identity verify -e unix:///run/csi/csi.sock --only CSI-ID-012
  All rules:
  csi-identity verify --rules

Exit codes:
  0    the plugin passes
  1    there are findings that fail it: MUST and BREAKS, with --strict ADVICE too
  2    could not find out: usage, nobody listens on the socket, a report could not be written
  130  stopped by a signal"
)]
pub(crate) struct Verify {
    /// Socket of the plugin: unix:///abs, unix:/abs or /abs.
    #[arg(
        short,
        long,
        env = "CSI_ENDPOINT",
        value_name = "ENDPOINT",
        required_unless_present_any = ["command", "rules"]
    )]
    endpoint: Option<Endpoint>,
    /// Socket with the plugin's Controller service; the same as --endpoint if there is only one.
    ///
    /// A node plugin declares CONTROLLER_SERVICE too, though another process serves it. So whether what is declared is there
    /// can be judged only if it is said where to look. If it is another socket, that one is judged as well, and both are
    /// compared.
    #[arg(long, value_name = "ENDPOINT")]
    controller_endpoint: Option<Endpoint>,
    /// Start the plugin by this shell command, with CSI_ENDPOINT in its environment, and end it afterwards.
    ///
    /// Start, SIGTERM, what is left behind and starting again are judged too: the command is run up to four times. The socket
    /// is --endpoint, or one in a directory that is made for it; nobody else may listen there.
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// By whose measure the plugin is judged.
    ///
    /// spec: the specification alone. kubernetes, nomad: the same, and what breaks their callers. document: as kubernetes,
    /// and what guides to porting demand is a MUST (a name in a domain of yours, a semantic version). csi-sanity: its
    /// verdicts on the Identity service, slips included.
    #[arg(
        long,
        default_value_t,
        value_name = "PROFILE",
        value_parser = PossibleValuesParser::new(Profile::ALL.map(Profile::name)).try_map(|text| text.parse::<Profile>())
    )]
    profile: Profile,
    /// Leave out a rule, by its id; as often as needed, or several with commas.
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    skip: Vec<String>,
    /// Judge by this rule alone; as often as needed, or several with commas.
    ///
    /// The plugin is asked everything all the same.
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    only: Vec<String>,
    /// Let ADVICE fail the plugin too.
    #[arg(long)]
    strict: bool,
    /// How long all of it may take, at most; one call may take half of it, and 5 s at most.
    ///
    /// What does not fit is left out, and the report says so.
    #[arg(long, default_value = "30s", value_parser = parse_positive, value_name = "DURATION")]
    budget: Duration,
    /// Call what the capabilities of Controller, GroupController and Node promise too, with an empty request.
    ///
    /// UNIMPLEMENTED is a finding then. A right plugin refuses an empty CreateVolume or DeleteVolume and the like with
    /// INVALID_ARGUMENT; for one that might not, use a storage system that is for tests.
    #[arg(long)]
    empty_requests: bool,
    /// How to write the report: text, json, junit or markdown, and =FILE for a file; as often as needed.
    #[arg(
        short = 'o',
        long = "format",
        visible_alias = "output",
        default_value = "text",
        value_name = "FORMAT[=FILE]"
    )]
    formats: Vec<Output>,
    /// List the rules, as text or with -o markdown as a page, and ask nobody.
    #[arg(long, conflicts_with_all = ["command", "controller_endpoint"])]
    rules: bool,
}

/// The judging, which has still to be done.
type Running<'a> = Pin<Box<dyn Future<Output = anyhow::Result<Verdict>> + 'a>>;

impl Verify {
    /// Judges the plugin, apart from the program's other commands: what serves a plugin for years would otherwise have all of
    /// this in its own function, and in memory.
    #[inline(never)]
    pub(crate) fn run<'a>(self, out: &'a mut dyn Write) -> Running<'a> {
        Box::pin(self.judge(out))
    }

    async fn judge(self, mut out: &mut dyn Write) -> anyhow::Result<Verdict> {
        let Self {
            endpoint,
            controller_endpoint,
            command,
            profile,
            skip,
            only,
            strict,
            budget,
            empty_requests,
            formats,
            rules,
        } = self;
        if rules {
            return list_rules(&mut out, &formats);
        }
        let selection = Selection::new(profile, &only, &skip)?;
        let place = match (command, endpoint) {
            (Some(command), endpoint) => Where::Started { command, endpoint },
            (None, Some(endpoint)) => Where::At(endpoint),
            (None, None) => bail!("give --endpoint or --command"),
        };
        let options = ObserveOptions {
            place,
            controller: controller_endpoint,
            budget,
            empty_requests,
        };
        let mut progress = progress::Progress::new(std::io::stderr().is_terminal());
        let mut signals = StopSignals::listen()?;
        let observing = observe(&options, |step| progress.show(step));
        // A plugin that was started here is ended when this is given up.
        let seen = tokio::select! {
            seen = observing => seen,
            () = signals.next() => return Ok(Verdict::Aborted),
        };
        progress.clear();
        let seen = seen?;
        let findings = judge(&seen, &selection);
        let report = Report::new(&seen, &findings, &selection).strict(strict);
        for format in &formats {
            format.write(&mut out, |form, mut out| match form {
                Form::Text => write!(out, "{}", report.text()),
                Form::Json => crate::output::write_json(&mut out, &report.json()),
                Form::Junit => write!(out, "{}", report.junit()),
                Form::Markdown => write!(out, "{}", report.markdown()),
            })?;
        }
        Ok(if report.fails() {
            Verdict::Fail
        } else {
            Verdict::Pass
        })
    }
}

fn list_rules(out: &mut impl Write, formats: &[Output]) -> anyhow::Result<Verdict> {
    for format in formats {
        let text = match format.form() {
            Form::Text => rules_text(),
            Form::Markdown => rules_markdown(),
            Form::Json | Form::Junit => bail!("rules are listed as text or markdown"),
        };
        format
            .write(out, |_, out| write!(out, "{text}"))
            .context("cannot write the rules")?;
    }
    Ok(Verdict::Pass)
}
