//! One attempt to register a plugin (`operation_generator.go`, `csi_plugin.go`).

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use csi_identity::proto::pluginregistration::v1::PluginInfo;

use super::KubeletOptions;
use super::memory::{Begun, Memory, lock};
use crate::calls::{Registrar, authority_text};
use crate::clock::RunningClock;
use crate::world::Instance;
use crate::{Event, Failure, Fault, NodeObjects, What};

mod handler;

/// The type of plugin that is registered here.
const CSI_PLUGIN: &str = "CSIPlugin";

/// Types that a kubelet has handlers for, too, and this one does not.
const OTHER_TYPES: [&str; 2] = ["DevicePlugin", "DRAPlugin"];

/// An attempt that came to nothing, as the kubelet's log has it.
struct Refusal {
    message: String,
    cause: Option<String>,
    driver: Option<String>,
}

struct Attempt<'a, F> {
    options: &'a KubeletOptions,
    clock: RunningClock,
    memory: &'a Mutex<Memory<F>>,
    socket: &'a Path,
    instance: Instance,
}

/// Registers the plugin of a socket, or not, and tells all of it.
pub(super) async fn register<F: FnMut(&Event, &NodeObjects)>(
    options: &KubeletOptions,
    clock: RunningClock,
    memory: &Mutex<Memory<F>>,
    socket: PathBuf,
    instance: Instance,
) {
    let attempt = Attempt {
        options,
        clock,
        memory,
        socket: &socket,
        instance,
    };
    let ended = attempt.run().await;
    let mut memory = lock(memory);
    let Err(refusal) = ended else {
        memory.world.succeeded(&socket);
        return;
    };
    let Refusal {
        message,
        cause,
        driver,
    } = refusal;
    let pause = memory.world.failed(&socket, clock.now());
    if options.has(&Fault::DeafAfterFailure) {
        memory.world.abandon(&socket);
    }
    let retry = if memory.world.will_retry(&socket) {
        What::NextRetry { pause }
    } else {
        What::NoRetry
    };
    memory.tell(
        Some(&socket),
        driver.as_deref(),
        What::Refused { message, cause },
    );
    memory.tell(Some(&socket), driver.as_deref(), retry);
}

impl<F: FnMut(&Event, &NodeObjects)> Attempt<'_, F> {
    async fn run(&self) -> Result<(), Refusal> {
        let socket = self.socket.display();
        let mut registrar = self.dial().await?;
        for fault in &self.options.faults {
            if let Fault::SlowGetInfo(pause) = fault {
                tokio::time::sleep(*pause).await;
            }
        }
        let mut info = self.get_info(&mut registrar).await?;
        let driver = info.name.clone();
        if OTHER_TYPES.contains(&info.r#type.as_str()) {
            let reason = format!("a {}; only CSI plugins are registered here", info.r#type);
            self.tell(Some(&driver), What::Ignored { reason });
            self.memory().leave(self.socket, self.instance, &driver);
            return Ok(());
        }
        if info.r#type != CSI_PLUGIN {
            let message = format!(
                "RegisterPlugin error -- no handler registered for plugin type: {} at socket {socket}",
                info.r#type
            );
            let cause = format!("the type of a CSI plugin is {CSI_PLUGIN}");
            return Err(self.refuse(&mut registrar, &driver, message, cause).await);
        }
        if info.endpoint.is_empty() {
            info.endpoint = self.socket.to_string_lossy().into_owned();
        }
        let PluginInfo {
            endpoint,
            supported_versions: versions,
            ..
        } = &info;
        let validated = self.memory().drivers.validate(&driver, endpoint, versions);
        match validated {
            Ok(version) => {
                let version = version.to_string();
                self.tell(Some(&driver), What::Validated { version });
            }
            Err(refused) => {
                let message =
                    format!("RegisterPlugin error -- plugin validation failed with err: {refused}");
                return Err(self.refuse(&mut registrar, &driver, message, None).await);
            }
        }
        // Before RegisterPlugin, so that a socket that goes meanwhile is worth an operation.
        self.memory().world.add(self.socket, self.instance, &driver);
        if let Err(failure) = self.register_plugin(&info).await {
            if self.options.version.retries_refusals() {
                self.memory().world.forget(self.socket);
            }
            let message = format!(
                "RegisterPlugin error -- plugin registration failed with err: {}",
                failure.message
            );
            let told = self.notify(&mut registrar, &driver, false, &message).await;
            return Err(Refusal {
                message: logged(message, told),
                cause: failure.cause,
                driver: Some(driver),
            });
        }
        let told = self.notify(&mut registrar, &driver, true, "").await;
        let Err(failure) = told else {
            self.tell(Some(&driver), What::Registered);
            return Ok(());
        };
        let cause = if self.options.version.retries_refusals() {
            let mut memory = self.memory();
            memory.world.forget(self.socket);
            memory.deregister(self.socket, &driver);
            failure.cause
        } else {
            self.tell(Some(&driver), What::Registered);
            Some("the plugin stays registered, though its registrar may not know".to_owned())
        };
        let message = format!(
            "RegisterPlugin error -- failed to send registration status at socket {socket}, err: : {}",
            failure.message
        );
        Err(Refusal {
            message,
            cause,
            driver: Some(driver),
        })
    }

    async fn dial(&self) -> Result<Registrar, Refusal> {
        let begun = Begun::now();
        let authority = self.options.version.registration_authority();
        let text = authority_text(&authority, &self.socket.to_string_lossy());
        let dialled = Registrar::dial(self.socket, authority, self.clock).await;
        let (outcome, registrar) = split(dialled);
        let authority = text;
        self.tell_end(begun, None, What::Dial { authority, outcome });
        registrar.map_err(|failure| {
            let socket = self.socket.display();
            Refusal::before_a_name(
                format!(
                    "RegisterPlugin error -- dial failed at socket {socket}, err: failed to dial socket {socket}, err: {}",
                    failure.message
                ),
                failure,
            )
        })
    }

    async fn get_info(&self, registrar: &mut Registrar) -> Result<PluginInfo, Refusal> {
        let begun = Begun::now();
        let outcome = registrar.get_info().await;
        let driver = outcome.as_ref().ok().map(|info| info.name.clone());
        let what = What::GetInfo {
            outcome: outcome.clone(),
        };
        self.tell_end(begun, driver.as_deref(), what);
        outcome.map_err(|failure| {
            let socket = self.socket.display();
            Refusal::before_a_name(
                format!(
                    "RegisterPlugin error -- failed to get plugin info using RPC GetInfo at socket {socket}, err: {}",
                    failure.message
                ),
                failure,
            )
        })
    }

    /// Tells the registrar no, for a reason that comes before RegisterPlugin.
    async fn refuse(
        &self,
        registrar: &mut Registrar,
        driver: &str,
        message: String,
        cause: impl Into<Option<String>>,
    ) -> Refusal {
        let told = self.notify(registrar, driver, false, &message).await;
        // The log says this even if it was sent: whatever was refused comes back as an error of the sending.
        let message = format!(
            "RegisterPlugin error -- failed to send error at socket {}, err: {}",
            self.socket.display(),
            logged(message, told)
        );
        Refusal {
            message,
            cause: cause.into(),
            driver: Some(driver.to_owned()),
        }
    }

    async fn notify(
        &self,
        registrar: &mut Registrar,
        driver: &str,
        registered: bool,
        error: &str,
    ) -> Result<(), Failure> {
        if self.options.has(&Fault::NeverNotify) {
            return Ok(());
        }
        let begun = Begun::now();
        let outcome = if self.options.has(&Fault::DropConnection) {
            Err(Registrar::lost("the connection was dropped, as asked for"))
        } else {
            registrar.notify(registered, error).await
        };
        let what = What::Notified {
            registered,
            error: error.to_owned(),
            outcome: outcome.clone(),
        };
        self.tell_end(begun, Some(driver), what);
        outcome
    }

    fn memory(&self) -> MutexGuard<'_, Memory<F>> {
        lock(self.memory)
    }

    fn tell(&self, driver: Option<&str>, what: What) {
        self.memory().tell(Some(self.socket), driver, what);
    }

    fn tell_end(&self, begun: Begun, driver: Option<&str>, what: What) {
        self.memory().tell_end(begun, self.socket, driver, what);
    }
}

impl Refusal {
    fn before_a_name(message: String, failure: Failure) -> Self {
        Self {
            message,
            cause: failure.cause,
            driver: None,
        }
    }
}

/// What the log has of a text that was to be sent.
fn logged(message: String, told: Result<(), Failure>) -> String {
    match told {
        Ok(()) => message,
        Err(failure) => format!("{message}: {}", failure.message),
    }
}

fn split<T>(outcome: Result<T, Failure>) -> (Result<(), Failure>, Result<T, Failure>) {
    match outcome {
        Ok(value) => (Ok(()), Ok(value)),
        Err(failure) => (Err(failure.clone()), Err(failure)),
    }
}
