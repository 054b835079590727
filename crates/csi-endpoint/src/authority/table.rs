//! The tables of HPACK (RFC 7541, section 2.3).

use std::collections::VecDeque;

use super::hpack::HpackError;

/// Octets that a field counts for beside its name and value (RFC 7541, section 4.1; RFC 9113, section 6.5.2).
pub(super) const FIELD_OVERHEAD: usize = 32;

/// Table size that applies while no SETTINGS said otherwise. No server of this crate says otherwise.
pub(super) const TABLE_SIZE: usize = 4096;

/// The index where it is of the static table, else 0.
pub(super) fn static_index(index: usize) -> usize {
    if index <= STATIC_TABLE.len() {
        index
    } else {
        0
    }
}

/// The peer's dynamic table as it must look after each block (RFC 7541, section 2.3).
#[derive(Debug)]
pub(super) struct Table {
    entries: VecDeque<Entry>,
    size: usize,
    max_size: usize,
}

#[derive(Debug)]
struct Entry {
    name: Box<[u8]>,
    value: Box<[u8]>,
}

impl Entry {
    fn size(&self) -> usize {
        self.name.len() + self.value.len() + FIELD_OVERHEAD
    }
}

impl Table {
    pub(super) fn new() -> Self {
        Self {
            entries: VecDeque::new(),
            size: 0,
            max_size: TABLE_SIZE,
        }
    }

    pub(super) fn field(&self, index: usize) -> Result<(&[u8], &[u8]), HpackError> {
        let missing = HpackError::NoSuchEntry(index);
        let position = index.checked_sub(1).ok_or(missing)?;
        if let Some(&(name, value)) = STATIC_TABLE.get(position) {
            return Ok((name.as_bytes(), value.as_bytes()));
        }
        let entry = self
            .entries
            .get(position - STATIC_TABLE.len())
            .ok_or(missing)?;
        Ok((&entry.name, &entry.value))
    }

    pub(super) fn insert(&mut self, name: &[u8], value: &[u8]) {
        let entry = Entry {
            name: name.into(),
            value: value.into(),
        };
        let size = entry.size();
        // An entry larger than the table empties it and is not stored (RFC 7541, section 4.4).
        self.evict_to(self.max_size.saturating_sub(size));
        if size <= self.max_size {
            self.entries.push_front(entry);
            self.size += size;
        }
    }

    pub(super) fn resize(&mut self, max_size: usize) -> Result<(), HpackError> {
        if max_size > TABLE_SIZE {
            return Err(HpackError::TableTooLarge(max_size));
        }
        self.max_size = max_size;
        self.evict_to(max_size);
        Ok(())
    }

    fn evict_to(&mut self, size: usize) {
        while self.size > size
            && let Some(entry) = self.entries.pop_back()
        {
            self.size -= entry.size();
        }
    }
}

/// Names and values; the entry at position 0 has index 1 (RFC 7541, appendix A).
const STATIC_TABLE: [(&str, &str); 61] = [
    (":authority", ""),
    (":method", "GET"),
    (":method", "POST"),
    (":path", "/"),
    (":path", "/index.html"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "200"),
    (":status", "204"),
    (":status", "206"),
    (":status", "304"),
    (":status", "400"),
    (":status", "404"),
    (":status", "500"),
    ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"),
    ("accept-language", ""),
    ("accept-ranges", ""),
    ("accept", ""),
    ("access-control-allow-origin", ""),
    ("age", ""),
    ("allow", ""),
    ("authorization", ""),
    ("cache-control", ""),
    ("content-disposition", ""),
    ("content-encoding", ""),
    ("content-language", ""),
    ("content-length", ""),
    ("content-location", ""),
    ("content-range", ""),
    ("content-type", ""),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("expect", ""),
    ("expires", ""),
    ("from", ""),
    ("host", ""),
    ("if-match", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("if-range", ""),
    ("if-unmodified-since", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("max-forwards", ""),
    ("proxy-authenticate", ""),
    ("proxy-authorization", ""),
    ("range", ""),
    ("referer", ""),
    ("refresh", ""),
    ("retry-after", ""),
    ("server", ""),
    ("set-cookie", ""),
    ("strict-transport-security", ""),
    ("transfer-encoding", ""),
    ("user-agent", ""),
    ("vary", ""),
    ("via", ""),
    ("www-authenticate", ""),
];
