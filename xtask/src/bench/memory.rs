use anyhow::{Context, Result};

use super::{
    Plan,
    subject::{Running, Subject, number},
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
    let after_first_call = resident(&server)?;
    for _ in 0..plan.calls_before_memory {
        caller.call()?;
    }
    let after_many_calls = resident(&server)?;
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
    let with_open_connections = resident(&server)?;
    Ok(Memory {
        after_first_call,
        after_many_calls,
        with_open_connections,
    })
}

fn resident(server: &Running) -> Result<Resident> {
    server.settle()?;
    let status = server.status()?;
    let bytes = |key| Ok::<_, anyhow::Error>(1024 * number(&status, key)?);
    Ok(Resident {
        all: bytes("VmRSS")?,
        own: bytes("RssAnon")?,
    })
}
