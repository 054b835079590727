use std::sync::{Arc, RwLock};

use csi_identity::Reason;
use http::HeaderValue;

use crate::unpoisoned::{read, write};

/// The plugin's name as it is known by now; one for all clones.
#[derive(Clone, Debug, Default)]
pub(crate) struct DriverName(Arc<RwLock<Option<Known>>>);

/// A name in the two forms it is needed in, so that an answer costs no formatting.
#[derive(Clone, Debug)]
struct Known {
    name: Arc<str>,
    header: HeaderValue,
}

impl DriverName {
    /// Keeps a name, as the plugin gave it: it may break every rule. An empty one is none.
    pub(crate) fn set(&self, name: &str) {
        if name.is_empty()
            || read(&self.0)
                .as_ref()
                .is_some_and(|known| &*known.name == name)
        {
            return;
        }
        let line = Reason::from(name);
        // A line without control characters is a header value, so this fails for none.
        if let Ok(header) = HeaderValue::from_bytes(line.as_str().as_bytes()) {
            let name = name.into();
            *write(&self.0) = Some(Known { name, header });
        }
    }

    pub(crate) fn name(&self) -> Option<Arc<str>> {
        read(&self.0).as_ref().map(|known| Arc::clone(&known.name))
    }

    pub(crate) fn header(&self) -> Option<HeaderValue> {
        read(&self.0).as_ref().map(|known| known.header.clone())
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::DriverName;

    #[test]
    fn any_name_but_an_empty_one_becomes_a_header() {
        for (name, header) in [
            ("disk.acme.io", Some("disk.acme.io")),
            ("a\r\nset-cookie: b", Some("a set-cookie: b")),
            ("磁盘", Some("磁盘")),
            ("", None),
        ] {
            let driver = DriverName::default();
            driver.set(name);
            let value = driver.header();
            let value = value.as_ref().map(HeaderValue::as_bytes);
            assert_eq!(value, header.map(str::as_bytes), "{name:?}");
        }
    }
}
