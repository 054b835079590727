use std::fmt::{self, Write as _};

use humantime::format_duration;

use super::What;

impl What {
    /// What happened, in a few words; of a failure, the kubelet's.
    #[must_use]
    pub fn message(&self) -> String {
        let mut text = String::new();
        // Writing to a String does not fail.
        let _ = self.write_message(&mut text);
        text
    }

    fn write_message(&self, out: &mut String) -> fmt::Result {
        if let Some(failure) = self.failure() {
            out.push_str(&failure.message);
            return Ok(());
        }
        match self {
            Self::Started { version, directory } => {
                write!(out, "kubelet {version} watches {}", directory.display())
            }
            Self::Discovered => write!(out, "a socket"),
            Self::Ignored { reason } => write!(out, "{reason}"),
            Self::Removed => write!(out, "the socket is gone"),
            Self::Dial { authority, .. } => write!(out, ":authority is {authority}"),
            Self::GetInfo { outcome: Ok(info) } => {
                let versions = info.supported_versions.join(" ");
                let (kind, name, endpoint) = (&info.r#type, &info.name, &info.endpoint);
                write!(out, "{kind} {name} at {endpoint}, versions {versions}")
            }
            Self::Validated { version } => write!(out, "fit to be registered, version {version}"),
            Self::NodeGetInfo {
                endpoint,
                outcome: Ok(answer),
                ..
            } => {
                write!(out, "{endpoint} says node_id {}", answer.node_id)?;
                if answer.max_volumes != 0 {
                    write!(out, ", max_volumes_per_node {}", answer.max_volumes)?;
                }
                for (key, value) in &answer.topology {
                    write!(out, ", {key}={value}")?;
                }
                Ok(())
            }
            Self::Node { node_id, labels } => {
                write!(out, "annotated with node id {node_id}")?;
                for (key, value) in labels {
                    write!(out, ", labelled {key}={value}")?;
                }
                Ok(())
            }
            Self::CsiNode { entry } => {
                write!(out, "an entry with node id {}", entry.node_id)?;
                if !entry.topology_keys.is_empty() {
                    write!(out, ", topology keys {}", entry.topology_keys.join(" "))?;
                }
                match entry.allocatable {
                    Some(count) => write!(out, ", at most {count} volumes"),
                    None => Ok(()),
                }
            }
            Self::Notified {
                registered: true, ..
            } => write!(out, "told that it is registered"),
            Self::Notified { error, .. } => write!(out, "told: {error}"),
            Self::Registered => write!(out, "ready for volumes"),
            Self::Refused { message, .. } => write!(out, "{message}"),
            Self::Deregistered => write!(out, "forgotten, its entry in the CSINode removed"),
            Self::NextRetry { pause } => {
                write!(out, "in {} at the earliest", format_duration(*pause))
            }
            Self::NoRetry => write!(out, "not before another socket takes its place"),
            // A call that failed has been told above.
            Self::GetInfo { .. } | Self::NodeGetInfo { .. } => Ok(()),
        }
    }

    /// What is really the matter, where the message hides it.
    #[must_use]
    pub fn cause(&self) -> Option<&str> {
        match self {
            Self::Refused { cause, .. } => cause.as_deref(),
            other => other.failure()?.cause.as_deref(),
        }
    }
}
