//! How a plugin behaves as a process: towards its arguments, its socket and signals.

use std::time::Duration;

/// What is wrong about the start, the socket and the end. The default is good.
#[derive(Clone, Debug, Default)]
pub(crate) struct Process {
    pub(crate) start: Start,
    pub(crate) socket: Socket,
    pub(crate) end: End,
}

/// How it starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Start {
    #[default]
    AtOnce,
    After(Duration),
    /// Not at all, and without an error.
    ExitsSilently,
    /// Not at all, without a reason.
    FailsSilently,
    /// It takes the endpoint for a path, scheme and all.
    RefusesScheme,
}

/// What the socket is like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Socket {
    #[default]
    Good,
    /// It has these permission bits.
    Mode(u32),
    /// It has another name than was asked for.
    Named(&'static str),
    /// Another file lies beside it.
    WithFile(&'static str),
    /// Another socket lies beside it, on which nobody speaks gRPC.
    WithSecond(&'static str),
    /// The path is a symbolic link to it.
    BehindLink(&'static str),
    /// Its directory gets these permission bits.
    InDirectory(u32),
    /// Whatever lies in its place is removed, a socket in use too.
    Steals,
    /// An old socket in its place is an error.
    RefusesStale,
}

/// How it takes a signal to stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum End {
    #[default]
    Good,
    /// It goes on.
    IgnoresSignals,
    /// It ends, and leaves its socket.
    LeavesSocket,
    /// It ends with an error.
    Fails,
}
