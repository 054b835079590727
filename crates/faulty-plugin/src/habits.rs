//! How a plugin behaves towards all calls and connections.

use std::time::Duration;

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
    /// Goes on for so long with each call that was cancelled, and answers no other meanwhile.
    pub(crate) goes_on_when_cancelled: Duration,
    /// Answers nobody any more once a call was cancelled.
    pub(crate) stuck_after_cancellation: bool,
    /// Ends when a client goes in the middle of a call.
    pub(crate) dies_of_lost_clients: bool,
    /// Refuses requests with metadata that it does not know.
    pub(crate) refuses_metadata: bool,
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
    /// It is closed.
    Closed,
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
    /// All calls for the end of the one before, whose request has not come yet.
    AllForRequests,
    /// None: a Probe while another is under way is an error.
    TurnsProbesAway,
}
