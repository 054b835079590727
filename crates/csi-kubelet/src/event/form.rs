use std::fmt;
use std::time::Duration;

use csi_identity::code_name;
use serde_json::{Map, Value, json};

use super::{Event, What};

impl Event {
    /// The event as an object: `time` (RFC 3339), `event`, and, as far as they apply, `socket`, `driver`, `code`, `message`, `cause`,
    /// `duration_ms` and what the call asked and answered, named as on the wire.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let time = humantime::format_rfc3339_millis(self.time).to_string();
        let mut object = Map::new();
        let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
        put("time", json!(time));
        put("event", json!(self.what.name()));
        if let Some(socket) = &self.socket {
            put("socket", json!(socket.to_string_lossy()));
        }
        if let Some(driver) = &self.driver {
            put("driver", json!(driver));
        }
        if let Some(code) = self.what.code() {
            put("code", json!(code_name(code)));
        }
        put("message", json!(self.what.message()));
        if let Some(cause) = self.what.cause() {
            put("cause", json!(cause));
        }
        if let Some(took) = self.took {
            put("duration_ms", json!(milliseconds(took)));
        }
        for (key, value) in self.what.fields() {
            object.insert(key.to_owned(), value);
        }
        Value::Object(object)
    }
}

impl What {
    /// What the call asked and answered, or what was written, by the names of the wire.
    #[must_use]
    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        match self {
            Self::Started { version, directory } => vec![
                ("version", json!(version.to_string())),
                ("directory", json!(directory.to_string_lossy())),
            ],
            Self::Dial { authority, .. } => vec![("authority", json!(authority))],
            Self::GetInfo { outcome: Ok(info) } => vec![
                ("type", json!(info.r#type)),
                ("name", json!(info.name)),
                ("endpoint", json!(info.endpoint)),
                ("supported_versions", json!(info.supported_versions)),
            ],
            Self::Validated { version } => vec![("version", json!(version))],
            Self::NodeGetInfo {
                endpoint,
                authority,
                outcome,
            } => {
                let mut fields = vec![
                    ("endpoint", json!(endpoint)),
                    ("authority", json!(authority)),
                ];
                if let Ok(answer) = outcome {
                    fields.extend([
                        ("node_id", json!(answer.node_id)),
                        ("max_volumes_per_node", json!(answer.max_volumes)),
                        ("accessible_topology", json!(answer.topology)),
                    ]);
                }
                fields
            }
            Self::Node { node_id, labels } => {
                vec![("node_id", json!(node_id)), ("labels", json!(labels))]
            }
            Self::CsiNode { entry } => vec![
                ("node_id", json!(entry.node_id)),
                ("topology_keys", json!(entry.topology_keys)),
                ("allocatable", json!(entry.allocatable)),
            ],
            Self::Notified {
                registered, error, ..
            } => vec![
                ("plugin_registered", json!(registered)),
                ("error", json!(error)),
            ],
            Self::NextRetry { pause } => vec![("pause_ms", json!(milliseconds(*pause)))],
            _ => Vec::new(),
        }
    }
}

/// A line: the time of day in UTC, the event, the socket's name, the driver, code and message, and how long it took.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = humantime::format_rfc3339_millis(self.time).to_string();
        let day = time.find('T').map_or(0, |at| at + 1);
        let name = self.what.name();
        write!(f, "{} ", &time[day..])?;
        if let Some(driver) = self.driver.as_ref().filter(|driver| !driver.is_empty()) {
            write!(f, "{name:<12} {driver}")?;
        } else if let Some(file) = self.socket.as_ref().and_then(|path| path.file_name()) {
            write!(f, "{name:<12} {}", file.display())?;
        } else {
            f.write_str(name)?;
        }
        if let Some(code) = self.what.code() {
            write!(f, " {}", code_name(code))?;
        }
        write!(f, ": {}", self.what.message())?;
        if let Some(took) = self.took {
            write!(f, " ({} ms)", milliseconds(took))?;
        }
        match self.what.cause() {
            Some(cause) => write!(f, " - {cause}"),
            None => Ok(()),
        }
    }
}

fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
