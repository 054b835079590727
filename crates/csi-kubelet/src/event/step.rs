use std::path::Path;

use csi_identity::code_name;
use humantime::format_duration;
use serde_json::Value;

use super::{Event, What};
use crate::{Participant, Step};

impl Event {
    /// The event as a step of the picture: a call, or a note at the kubelet. A hidden file, which may be a draft of what follows, is none.
    #[must_use]
    pub fn to_step(&self) -> Option<Step> {
        let name = self.socket.as_deref().and_then(Path::file_name);
        let name = name.unwrap_or_default().to_string_lossy();
        let driver = self.driver.as_deref().unwrap_or_default();
        let note = |text: String| Step::note(self.time, Participant::Kubelet, text);
        let call = |to, method: &str| Step::call(self.time, Participant::Kubelet, to, method);
        let mut step = match &self.what {
            What::Started { .. } => note(self.what.message()),
            What::Discovered => note(format!("discovered {name}")),
            What::Ignored { .. } if name.starts_with('.') => return None,
            What::Ignored { reason } => note(format!("leaves {name} alone: {reason}")),
            What::Removed => note(format!("{name} is gone")),
            What::Dial { .. } => call(Participant::Registrar, "dial"),
            What::GetInfo { .. } => call(Participant::Registrar, "GetInfo"),
            What::Validated { version } => note(format!(
                "{driver} is fit to be registered, version {version}"
            )),
            What::NodeGetInfo { .. } => call(Participant::Plugin, "NodeGetInfo"),
            What::Node { .. } => call(Participant::ApiServer, "patch Node"),
            What::CsiNode { .. } => call(Participant::ApiServer, "update CSINode"),
            What::Notified { .. } => call(Participant::Registrar, "NotifyRegistrationStatus"),
            What::Registered => note(format!("{driver} is registered")),
            What::Refused { .. } => note(format!("{} is refused", self.whose(&name))),
            What::Deregistered => call(Participant::ApiServer, "remove from Node and CSINode"),
            What::NextRetry { pause } => note(format!(
                "tries {name} again in {} at the earliest",
                format_duration(*pause)
            )),
            What::NoRetry => note(format!("leaves {name} alone until it is another socket")),
        };
        step.took = self.took;
        step.code = self.what.code().map(|code| code_name(code).to_owned());
        step.good = match &self.what {
            What::Refused { .. } => Some(false),
            What::Registered => Some(true),
            what => what.code().map(|_| what.failure().is_none()),
        };
        // A note says it all.
        let fields = if step.from == step.to {
            Vec::new()
        } else {
            self.what.fields()
        };
        let (asked, answered) = fields
            .into_iter()
            .partition(|(key, _)| self.what.is_asked(key));
        step.request = texts(asked);
        step.answer = texts(answered);
        if matches!(self.what, What::Deregistered) {
            step.request = vec![("driver".to_owned(), driver.to_owned())];
        }
        step.message = match &self.what {
            What::Refused { message, .. } => message.clone(),
            what => what
                .failure()
                .map_or_else(String::new, |failure| failure.message.clone()),
        };
        if let Some(cause) = self.what.cause() {
            step.message = format!("{}; {cause}", step.message);
        }
        Some(step)
    }

    fn whose<'a>(&'a self, name: &'a str) -> &'a str {
        match self.driver.as_deref() {
            Some(driver) if !driver.is_empty() => driver,
            _ => name,
        }
    }
}

impl What {
    /// Whether a field is what was sent, not what came back.
    fn is_asked(&self, key: &str) -> bool {
        match self {
            Self::NodeGetInfo { .. } => matches!(key, "endpoint" | "authority"),
            Self::GetInfo { .. } => false,
            _ => true,
        }
    }
}

/// Names and values as texts; what is empty says nothing.
fn texts(fields: Vec<(&'static str, Value)>) -> Vec<(String, String)> {
    let text = |(key, value): (&'static str, Value)| {
        let text = match value {
            Value::Null => String::new(),
            Value::String(text) => text,
            Value::Array(items) => {
                let items = items.iter().map(|item| item.as_str().unwrap_or_default());
                items.collect::<Vec<_>>().join(" ")
            }
            Value::Object(map) => {
                let pairs = map
                    .iter()
                    .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
                pairs.collect::<Vec<_>>().join(" ")
            }
            other => other.to_string(),
        };
        (!text.is_empty()).then(|| (key.to_owned(), text))
    };
    fields.into_iter().filter_map(text).collect()
}
