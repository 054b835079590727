use anyhow::{Context, Result};

use super::{
    Plan,
    process::{Process, number},
    subject::Subject,
};
use crate::http2::Method;

/// What a server holds in memory, at three moments.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) after_first_call: Resident,
    pub(crate) after_many_calls: Resident,
    pub(crate) with_open_connections: Resident,
}

/// Bytes of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resident {
    /// All that is resident (`VmRSS`), parts of the binary and of shared libraries among it.
    pub(crate) all: u64,
    /// Its own alone (`RssAnon`).
    pub(crate) own: u64,
}

/// Measures a server of its own.
pub(crate) fn measure(subject: &Subject, plan: Plan) -> Result<Memory> {
    let mut server = subject.start()?;
    let mut caller = server.await_answer()?;
    let after_first_call = Resident::of(server.process())?;
    for _ in 0..plan.calls_before_memory {
        caller.call()?;
    }
    let after_many_calls = Resident::of(server.process())?;
    let mut open = vec![caller];
    while open.len() < plan.open_connections {
        let number = open.len();
        let another = || {
            let mut caller = server.connect(Method::GetPluginInfo, "localhost")?;
            caller.call()?;
            Ok::<_, anyhow::Error>(caller)
        };
        open.push(another().with_context(|| format!("with {number} connections open"))?);
    }
    let with_open_connections = Resident::of(server.process())?;
    Ok(Memory {
        after_first_call,
        after_many_calls,
        with_open_connections,
    })
}

impl Resident {
    /// What a process holds once it is at rest.
    pub(crate) fn of(process: &Process) -> Result<Self> {
        process.settle()?;
        let status = process.status()?;
        let bytes = |key| Ok::<_, anyhow::Error>(1024 * number(&status, key)?);
        Ok(Self {
            all: bytes("VmRSS")?,
            own: bytes("RssAnon")?,
        })
    }
}
