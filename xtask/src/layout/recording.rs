use std::{
    fs,
    os::unix::{fs::PermissionsExt, net::UnixStream},
    path::PathBuf,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::{
    bench::{
        agent::{
            http::Client,
            node::{self, Node, Programs},
        },
        process::Process,
    },
    http2::{Caller, DRIVER_NAME, DRIVER_VERSION, Method, await_answer},
    workspace,
};

/// Sets of functions are read from the profiles of callgrind, a tool of valgrind.
const VALGRIND: &str = "valgrind --quiet --tool=callgrind --demangle=no --compress-strings=no";

/// How long an agent may take to find its plugin, and how often it is asked.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(20);

/// How often a call is made: later calls take other ways than the first one.
const CALLS: usize = 20;

/// A plugin's identity on the command line.
const FLAGS: [&str; 8] = [
    "--name",
    DRIVER_NAME,
    "--vendor-version",
    DRIVER_VERSION,
    "--capability",
    "CONTROLLER_SERVICE",
    "--node-id",
    "node-1",
];

/// The same with checks, which pass.
const CONFIGURATION: &str = "\
plugin_info: {name: disk.example.org, vendor_version: \"1.2.3\"}
plugin_capabilities:
  capabilities:
    - service: {type: CONTROLLER_SERVICE}
node: {node_id: node-1}
checks:
  - {name: folder, path: /tmp, interval: 1s}
  - {name: program, exec: [\"true\"], interval: 1s}
";

/// What an agent is asked over HTTP.
const PATHS: [&str; 6] = [
    "/healthz",
    "/livez",
    "/readyz?verbose",
    "/registrationz",
    "/metrics",
    "/nothing",
];

/// What every caller but Python and a kubelet sends, and what the others make of a socket's path.
const AUTHORITIES: [&str; 2] = ["localhost", "%2Ftmp%2Fcsi.sock"];

/// Runs the program under callgrind.
#[derive(Debug)]
pub(super) struct Recorder {
    program: PathBuf,
    folder: TempDir,
}

impl Recorder {
    /// Builds the program with names in it, as the linker would lay it out, since callgrind knows no names in other sections.
    ///
    /// The names are kept by an option for the compiler's last step alone: a profile without `strip` would change the hashes of all
    /// crates, and with them the order of functions and what is inlined where, so that other functions would run.
    pub(super) fn build() -> Result<Self> {
        let program = workspace::build("csi-identity-cli", "csi-identity", |cargo| {
            cargo.env("CSI_IDENTITY_LAYOUT", "off");
            cargo.args(["--", "-Cstrip=none"]);
        })?;
        Ok(Self {
            program,
            folder: tempfile::tempdir().context("cannot make a temporary directory")?,
        })
    }

    /// What runs in each way of running the program.
    pub(super) fn ways(&self) -> Result<Vec<String>> {
        fs::write(self.path("csi.yaml"), CONFIGURATION).context("cannot write a configuration")?;
        let configuration = self.path("csi.yaml").display().to_string();
        let [agent, its_plugin] = self.agent()?;
        Ok(vec![
            self.serve(&FLAGS)? + &its_plugin,
            self.serve(&["--config", &configuration])?,
            agent,
        ])
    }

    /// A plugin that is asked what people and sidecars ask, as they ask it, and then stopped.
    fn serve(&self, arguments: &[&str]) -> Result<String> {
        let socket = self.path("csi.sock");
        let mut command = Command::new(self.recorded("serve", "\"$@\"")?);
        command.args(["serve", "--endpoint"]).arg(&socket);
        let mut process = Process::spawn(command.args(arguments), self.path("log"))?;
        await_answer(&socket, Method::GetPluginInfo, "localhost", || {
            process.require_running()
        })?;
        for authority in AUTHORITIES {
            for method in [Method::GetPluginInfo, Method::Probe] {
                let stream = UnixStream::connect(&socket).context("cannot connect")?;
                let mut caller = Caller::open(stream, method, authority)?;
                for _ in 0..CALLS {
                    caller.call()?;
                }
            }
        }
        for command in ["info", "capabilities", "probe"] {
            let mut ask = Command::new(&self.program);
            let asked = ask.args([command, "--endpoint"]).arg(&socket).output();
            let asked = asked.with_context(|| format!("cannot run {command}"))?;
            ensure!(asked.status.success(), "{command}: {asked:?}");
        }
        process.terminate()?;
        self.profile("serve")
    }

    /// An agent beside a plugin that is registered, restarted, and registered again, and that plugin.
    fn agent(&self) -> Result<[String; 2]> {
        let flags = FLAGS.join(" ");
        let programs = Programs {
            plugin: self.recorded("plugin", &format!("serve {flags} --endpoint \"$1\""))?,
            ours: self.recorded("agent", "\"$@\"")?,
            stock_health: None,
            sidecars: None,
        };
        let node = Node::new(&programs)?;
        let mut plugin = node.plugin()?;
        let mut agent = node.agent()?;
        let address = node::address(&mut agent)?;
        for _ in 0..2 {
            await_registration(&node, &mut agent)?;
            for path in PATHS {
                let mut client = Client::connect(address)?;
                for _ in 0..CALLS {
                    client.get_from(path)?;
                }
            }
            plugin.terminate()?;
            plugin = node.plugin()?;
        }
        agent.terminate()?;
        plugin.terminate()?;
        Ok([self.profile("agent")?, self.profile("plugin")?])
    }

    /// A script that runs the program and records what it runs under that name.
    fn recorded(&self, name: &str, arguments: &str) -> Result<PathBuf> {
        let script = self.path(name);
        let text = format!(
            "#!/bin/sh\nexec {VALGRIND} --callgrind-out-file='{}.profile' '{}' {arguments}\n",
            script.display(),
            self.program.display(),
        );
        fs::write(&script, text).context("cannot write a script")?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o700))?;
        Ok(script)
    }

    fn profile(&self, name: &str) -> Result<String> {
        fs::read_to_string(self.path(&format!("{name}.profile")))
            .with_context(|| format!("callgrind wrote no profile of {name}"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Registers the plugin as soon as the agent has found it.
fn await_registration(node: &Node<'_>, agent: &mut Process) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    while let Err(error) = node.register(agent) {
        ensure!(Instant::now() < deadline, "cannot register: {error:#}");
        thread::sleep(PAUSE);
    }
    Ok(())
}

/// The symbols of the program's functions that ran, as often as a profile has them.
pub(super) fn functions(profile: &str) -> impl Iterator<Item = &str> {
    let mut ours = false;
    profile.lines().filter_map(move |line| {
        if let Some(object) = line.strip_prefix("ob=") {
            ours = object.ends_with("/csi-identity");
        }
        let symbol = line.strip_prefix("fn=").filter(|_| ours)?;
        // After a quote follows how deep a function is in itself; what has no name has an address.
        let symbol = symbol.split('\'').next().unwrap_or(symbol);
        (symbol.starts_with('_') || symbol == "main").then_some(symbol)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_functions_of_the_program_with_a_name_count() {
        let profile = "version: 1\n\
            ob=/usr/lib/libc.so.6\nfn=malloc\n16 2\n\
            ob=/target/release/csi-identity\nfl=???\nfn=_ZN1a1b17h0123456789abcdefE\n0 3\n\
            cob=/usr/lib/libc.so.6\ncfn=free\ncalls=1 0\n0 5\n\
            fn=0x0000000000001100\n0 1\nfn=_ZN1c1d'2\n0 1\nfn=main\n0 1\n";
        assert_eq!(
            functions(profile).collect::<Vec<_>>(),
            ["_ZN1a1b17h0123456789abcdefE", "_ZN1c1d", "main"]
        );
    }
}
