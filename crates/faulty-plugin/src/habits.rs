//! How a plugin behaves towards all calls and connections.

/// What is the same for each call. The default is good.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Habits {
    pub(crate) greeting: Greeting,
    /// Leaves the authority of requests to `h2`, as a stock server in Rust does, which refuses paths.
    pub(crate) stock_authority: bool,
    /// Refuses requests that have any bytes in a message that has no fields.
    pub(crate) refuses_unknown_fields: bool,
    /// Refuses the content type with the name of the codec in it.
    pub(crate) refuses_proto_content_type: bool,
    /// Goes on when the deadline of a call has passed, and answers as if nothing were.
    pub(crate) ignores_deadlines: bool,
    /// Goes on with calls that were cancelled.
    pub(crate) ignores_cancellation: bool,
    pub(crate) waits: Waits,
    /// Puts the secrets of a request into the message of an error.
    pub(crate) echoes_secrets: bool,
}

/// How a connection begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Greeting {
    #[default]
    Http2,
    /// It is accepted, and nothing is said.
    Mute,
    /// It is answered as if it were HTTP/1.
    Http1,
}

/// What a call waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Waits {
    #[default]
    Nothing,
    /// Probes for the end of other Probes.
    ProbesForProbes,
    /// All calls for the end of the one before.
    AllForAll,
}
