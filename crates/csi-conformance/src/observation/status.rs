//! The gRPC status at the end of a call.

use tonic::Code;

/// What a plugin said at the end of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The number of the code.
    pub code: u32,
    /// Its message, percent-decoded.
    pub message: String,
    /// What `grpc-status-details-bin` holds, in base64; empty where there is none.
    pub details: String,
}

/// Why there is no status to be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoStatus {
    /// There is no `grpc-status`.
    #[error("there is no grpc-status in headers or trailers")]
    Missing,
    /// It is no number.
    #[error("grpc-status is {text:?}, which is no number")]
    NotANumber {
        /// What it is.
        text: String,
    },
}

impl Status {
    /// No error.
    pub const OK: u32 = 0;
    /// What a plugin says of itself when it is not healthy.
    pub const FAILED_PRECONDITION: u32 = 9;
    /// A request that lacks something.
    pub const INVALID_ARGUMENT: u32 = 3;
    /// The time was up.
    pub const DEADLINE_EXCEEDED: u32 = 4;
    /// There is no such RPC.
    pub const UNIMPLEMENTED: u32 = 12;

    /// Reads it from the trailers of a reply, or its headers where there are no trailers.
    pub(super) fn read(fields: &[(String, String)]) -> Result<Self, NoStatus> {
        let field = |name: &str| {
            let mut found = fields.iter().filter(|(field, _)| field == name);
            found.next_back().map(|(_, value)| value.as_str())
        };
        let text = field("grpc-status").ok_or(NoStatus::Missing)?;
        let not_a_number = |_error| NoStatus::NotANumber {
            text: text.to_owned(),
        };
        Ok(Self {
            code: text.parse().map_err(not_a_number)?,
            message: percent_decoded(field("grpc-message").unwrap_or_default()),
            details: field("grpc-status-details-bin")
                .unwrap_or_default()
                .to_owned(),
        })
    }

    /// Code and message in a line.
    #[must_use]
    pub fn line(&self) -> String {
        if self.message.is_empty() {
            return code_name(self.code);
        }
        format!("{}: {}", code_name(self.code), self.message)
    }
}

/// The name of a gRPC code, for example `FAILED_PRECONDITION`; `CODE(17)` for one that gRPC does not have.
#[must_use]
pub fn code_name(code: u32) -> String {
    // Tonic takes what it does not know for UNKNOWN.
    let known = i32::try_from(code).map(|number| (number, Code::from_i32(number)));
    match known {
        Ok((number, code)) if i32::from(code) == number => csi_identity::code_name(code).to_owned(),
        _ => format!("CODE({code})"),
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        let hex = |byte: u8| char::from(byte).to_digit(16);
        let mut ahead = bytes.clone();
        let digits = (byte == b'%')
            .then(|| Some((ahead.next().and_then(hex)?, ahead.next().and_then(hex)?)))
            .flatten();
        match digits {
            Some((high, low)) => {
                // Two digits of 4 bits.
                decoded.push((high * 16 + low) as u8);
                bytes = ahead;
            }
            None => decoded.push(byte),
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{NoStatus, Status, code_name};

    fn read(fields: &[(&str, &str)]) -> Result<Status, NoStatus> {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        Status::read(&fields.iter().map(owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_status_is_read_from_header_fields() {
        let status = read(&[("grpc-message", "a%20b%C3%a4%zz%"), ("grpc-status", "9")]).unwrap();
        assert_eq!(status.line(), "FAILED_PRECONDITION: a bä%zz%");
        assert_eq!(read(&[]), Err(NoStatus::Missing));
        let error = read(&[("grpc-status", "x")]).unwrap_err().to_string();
        assert_eq!(error, "grpc-status is \"x\", which is no number");
        assert_eq!(code_name(17), "CODE(17)");
    }
}
