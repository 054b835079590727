use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail};
use csi_health::HttpEndpoint;
use csi_registration::{State, StateFile};
use humantime::format_duration;
use tokio::time::{Instant, sleep_until};

use crate::duration::parse_positive;
use crate::verdict::Verdict;

mod http;

/// How often the agent is asked. It is not the plugin that is asked, and nobody waits for less.
const INTERVAL: Duration = Duration::from_millis(250);

/// Wait until the kubelet has registered a plugin: for init containers and hooks that start what needs it.
///
/// It asks the agent of the node for /registrationz, or reads its state file. Registered is what the kubelet itself has told
/// the agent, since the agent was started.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  csi-identity wait-registered --http-endpoint 127.0.0.1:9808 --timeout 2m
  csi-identity wait-registered --state-file /csi/registration.json

Exit codes:
  0  registered
  1  not registered within --timeout, although the agent answered
  2  the agent never answered, or the state file never was one that an agent keeps")]
pub(crate) struct WaitRegistered {
    /// Address at which the agent serves HTTP: host:port, or :port for this machine.
    #[arg(
        long,
        value_name = "ADDRESS",
        required_unless_present = "state_file",
        conflicts_with = "state_file"
    )]
    http_endpoint: Option<HttpEndpoint>,
    /// The agent's state file.
    #[arg(long, value_name = "FILE")]
    state_file: Option<PathBuf>,
    /// How long to wait at most; without a limit by default.
    #[arg(long, value_parser = parse_positive, value_name = "DURATION")]
    timeout: Option<Duration>,
}

/// What was found when the agent was asked.
enum Found {
    Registered(String),
    NotYet(String),
    NoAnswer(anyhow::Error),
}

impl WaitRegistered {
    pub(crate) async fn run(self, out: &mut impl Write) -> anyhow::Result<Verdict> {
        let Self {
            http_endpoint,
            state_file,
            timeout,
        } = self;
        let file = state_file.map(StateFile::new);
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut answered = None;
        let mut told = String::new();
        loop {
            let found = match (&http_endpoint, &file) {
                (Some(endpoint), _) => http::ask(endpoint, deadline).await,
                (None, Some(file)) => read(file),
                (None, None) => bail!("give --http-endpoint or --state-file"),
            };
            let news = match &found {
                Found::Registered(text) => {
                    writeln!(out, "{text}")?;
                    return Ok(Verdict::Pass);
                }
                Found::NotYet(reason) => {
                    answered = Some(reason.clone());
                    reason.clone()
                }
                Found::NoAnswer(error) => format!("{error:#}"),
            };
            if news != told {
                tracing::info!("not registered yet: {news}");
                told = news;
            }
            let now = Instant::now();
            if deadline.is_some_and(|deadline| deadline <= now) {
                let within = format_duration(timeout.unwrap_or_default());
                return match (answered, found) {
                    (Some(reason), _) => {
                        writeln!(out, "not registered within {within}: {reason}")?;
                        Ok(Verdict::Fail)
                    }
                    (None, Found::NoAnswer(error)) => {
                        Err(error.context(format!("no answer within {within}")))
                    }
                    (None, _) => bail!("no answer within {within}"),
                };
            }
            // The last question is asked when the time is up.
            let next = now + INTERVAL;
            sleep_until(deadline.map_or(next, |deadline| deadline.min(next))).await;
        }
    }
}

fn read(file: &StateFile) -> Found {
    let path = file.path().display();
    let content = file
        .read_content()
        .map_err(anyhow::Error::from)
        .and_then(|content| content.with_context(|| format!("there is no file {path}")));
    let status = match content {
        // One that was killed leaves a file that says what was so.
        Ok(content) if !content.is_kept => {
            return Found::NoAnswer(anyhow::anyhow!(
                "{path} was left by an agent that does not run any more"
            ));
        }
        Ok(content) => content.status,
        Err(error) => return Found::NoAnswer(error),
    };
    match status.state {
        State::Registered => {
            let driver = status.driver.unwrap_or_default();
            Found::Registered(format!("{driver} is registered since {}", status.since))
        }
        state => Found::NotYet(format!("{state}: {}", status.reason)),
    }
}
