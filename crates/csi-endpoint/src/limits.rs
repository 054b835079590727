use std::time::Duration;

/// What one endpoint grants its clients together and each of them alone.
///
/// The defaults suit a storage plugin: a handful of clients on the node, small messages. A client that does not keep to
/// them, or sends what is no HTTP/2, loses its request or its connection; others do not notice.
///
/// ```
/// use csi_endpoint::Limits;
///
/// let limits = Limits { max_connections: 64, ..Limits::default() };
/// assert_eq!(limits.max_header_list_size, 16 * 1024);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections open at a time, 1024 by default. One more is accepted and closed at once, so that its client learns of it.
    pub max_connections: usize,
    /// Requests in flight on one connection (SETTINGS_MAX_CONCURRENT_STREAMS), 128 by default.
    pub max_concurrent_streams: u32,
    /// Size of a request's decoded header list in bytes (SETTINGS_MAX_HEADER_LIST_SIZE), 16 KiB by default. A longer list
    /// is answered with status 431. One over four times as long may end the connection: with GOAWAY, ENHANCE_YOUR_CALM,
    /// where requests pass through, at once where they are repaired.
    pub max_header_list_size: u32,
    /// How long a new client may take for the 24 bytes that open HTTP/2, 10 s by default. A client that stays mute longer
    /// is disconnected; one that has begun to speak may idle for as long as it likes.
    pub preface_timeout: Duration,
    /// User ids that may connect; everyone by default, as far as the socket's mode lets them.
    pub allow_uids: Option<Vec<u32>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_connections: 1024,
            max_concurrent_streams: 128,
            max_header_list_size: 16 * 1024,
            preface_timeout: Duration::from_secs(10),
            allow_uids: None,
        }
    }
}

impl Limits {
    pub(crate) fn allows(&self, uid: u32) -> bool {
        self.allow_uids
            .as_ref()
            .is_none_or(|uids| uids.contains(&uid))
    }
}
