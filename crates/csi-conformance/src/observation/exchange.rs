//! One call and all that came back.

use std::time::Duration;

use csi_identity::ObservedCapability;

use super::{NoStatus, Status, frames};
use crate::Method;
use crate::wire::{self, NodeInfo, PluginInfo};

/// One call, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// What was called.
    pub method: Method,
    /// How it ended.
    pub end: End,
    /// After what time.
    pub took: Duration,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The stream ended as it should; the reply may still be a bad one.
    Answered(Reply),
    /// It ended otherwise, after what had come until then.
    Broken {
        /// What had come, if the headers had.
        reply: Option<Reply>,
        /// How it ended.
        how: Break,
    },
    /// It did not end while it was waited for.
    Silent {
        /// How long it was waited for.
        after: Duration,
    },
}

/// What ends a call that the plugin does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Break {
    /// RST_STREAM, with the name of its code.
    Reset(String),
    /// GOAWAY, with the name of its code.
    GoAway(String),
    /// The connection ended, or could not be made again.
    Lost(String),
    /// The reply went on beyond what anybody takes.
    TooMuch,
}

/// A reply, as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The status of HTTP, which is 200 for gRPC.
    pub http_status: u16,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body with the prefixes of its messages.
    pub body: Vec<u8>,
    /// What came after the body; nothing where the headers were all.
    pub trailers: Option<Vec<(String, String)>>,
}

impl Reply {
    /// A header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(header, _)| header == name);
        found.next().map(|(_, value)| value.as_str())
    }

    /// The status at the end, wherever it stands.
    ///
    /// # Errors
    ///
    /// There is none, or none that can be read.
    pub fn status(&self) -> Result<Status, NoStatus> {
        match &self.trailers {
            Some(trailers) => Status::read(trailers),
            None => Status::read(&self.headers),
        }
    }

    /// Whether it is gRPC at all: the status of HTTP, and the content type.
    #[must_use]
    pub fn is_grpc(&self) -> bool {
        let content_type = self.header("content-type").unwrap_or_default();
        self.http_status == 200 && content_type.starts_with("application/grpc")
    }

    /// The size of headers or trailers, whichever are larger, as HTTP/2 counts it (RFC 9113, 10.5.1).
    #[must_use]
    pub fn largest_header_list(&self) -> usize {
        let size = |fields: &[(String, String)]| -> usize {
            let one = |(name, value): &(String, String)| name.len() + value.len() + 32;
            fields.iter().map(one).sum()
        };
        let trailers = self.trailers.as_deref().map_or(0, size);
        size(&self.headers).max(trailers)
    }
}

impl Exchange {
    /// The reply, if the call ended with one.
    #[must_use]
    pub fn reply(&self) -> Option<&Reply> {
        match &self.end {
            End::Answered(reply) => Some(reply),
            End::Broken { .. } | End::Silent { .. } => None,
        }
    }

    /// The message of a good answer, as any client takes it.
    #[must_use]
    pub fn message(&self) -> Option<&[u8]> {
        let reply = self.reply().filter(|reply| reply.is_grpc())?;
        if reply.status().ok()?.code != Status::OK {
            return None;
        }
        match &frames(&reply.body) {
            (all, 0) => match all[..] {
                [one] if !one.compressed => Some(one.message),
                _ => None,
            },
            _ => None,
        }
    }

    /// The plugin's own error.
    #[must_use]
    pub fn error(&self) -> Option<Status> {
        let reply = self.reply()?;
        if reply.http_status == 404 {
            // What gRPC's clients make of it.
            return Some(Status {
                code: Status::UNIMPLEMENTED,
                message: "HTTP 404".to_owned(),
                details: String::new(),
            });
        }
        let status = reply.is_grpc().then(|| reply.status().ok())??;
        (status.code != Status::OK).then_some(status)
    }

    /// Whether the plugin says that it does not have this RPC.
    #[must_use]
    pub fn is_unimplemented(&self) -> bool {
        self.error()
            .is_some_and(|status| status.code == Status::UNIMPLEMENTED)
    }

    /// Whether there was a good answer or an error of the plugin's own.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        self.message().is_some() || self.error().is_some()
    }

    /// GetPluginInfo's answer.
    #[must_use]
    pub fn plugin_info(&self) -> Option<PluginInfo> {
        wire::plugin_info(self.message()?).ok()
    }

    /// GetPluginCapabilities' answer.
    #[must_use]
    pub fn capabilities(&self) -> Option<Vec<ObservedCapability>> {
        wire::capabilities(self.message()?).ok()
    }

    /// Probe's answer; the inner nothing is an unset `ready`.
    #[must_use]
    pub fn ready(&self) -> Option<Option<bool>> {
        wire::ready(self.message()?).ok()
    }

    /// The numbers of the capabilities of the Controller, Node or GroupController service.
    #[must_use]
    pub fn rpcs(&self) -> Option<Vec<i32>> {
        wire::rpcs(self.message()?).ok()
    }

    /// NodeGetInfo's answer.
    #[must_use]
    pub fn node_info(&self) -> Option<NodeInfo> {
        wire::node_info(self.message()?).ok()
    }
}

impl End {
    /// How the call ended, in a line.
    #[must_use]
    pub fn line(&self) -> String {
        match self {
            Self::Answered(reply) => reply.line(),
            Self::Broken { how, .. } => how.line(),
            Self::Silent { after } => format!("no answer within {after:?}"),
        }
    }
}

impl Reply {
    fn line(&self) -> String {
        if self.http_status != 200 {
            return format!("HTTP {}", self.http_status);
        }
        match self.status() {
            Ok(status) => status.line(),
            Err(none) => none.to_string(),
        }
    }
}

impl Break {
    fn line(&self) -> String {
        match self {
            Self::Reset(code) => format!("the stream was reset with {code}"),
            Self::GoAway(code) => format!("the connection was ended by GOAWAY with {code}"),
            Self::Lost(what) => format!("the connection was lost: {what}"),
            Self::TooMuch => "the answer went on and on".to_owned(),
        }
    }
}
