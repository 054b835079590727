//! The Node and the CSINode as YAML, as far as `kubectl get -o yaml` shows what plugins are about.

use std::fmt::{self, Write};

use crate::NodeObjects;

/// The annotation in which the kubelet keeps the node's id for each driver, as JSON.
pub(crate) const NODE_ID_ANNOTATION: &str = "csi.volume.kubernetes.io/nodeid";

impl NodeObjects {
    /// Both objects as two YAML documents, keys sorted as kubectl sorts them.
    ///
    /// ```
    /// use csi_kubelet::NodeObjects;
    ///
    /// let yaml = NodeObjects::new("node-1", Default::default()).to_yaml();
    /// assert!(yaml.ends_with("kind: CSINode\nmetadata:\n  name: node-1\nspec:\n  drivers: null\n"));
    /// ```
    #[must_use]
    pub fn to_yaml(&self) -> String {
        let mut out = String::new();
        // Writing to a String does not fail.
        let _ = self
            .write_node(&mut out)
            .and_then(|()| self.write_csi_node(&mut out));
        out
    }

    fn write_node(&self, out: &mut String) -> fmt::Result {
        out.push_str("apiVersion: v1\nkind: Node\nmetadata:\n");
        if !self.node_ids.is_empty() {
            let json = serde_json::to_string(&self.node_ids).unwrap_or_default();
            let json = scalar(&json);
            writeln!(out, "  annotations:\n    {NODE_ID_ANNOTATION}: {json}")?;
        }
        if !self.labels.is_empty() {
            out.push_str("  labels:\n");
        }
        for (key, value) in &self.labels {
            writeln!(out, "    {}: {}", scalar(key), scalar(value))?;
        }
        writeln!(out, "  name: {}\n---", scalar(&self.name))
    }

    fn write_csi_node(&self, out: &mut String) -> fmt::Result {
        let name = scalar(&self.name);
        out.push_str("apiVersion: storage.k8s.io/v1\nkind: CSINode\n");
        writeln!(out, "metadata:\n  name: {name}\nspec:")?;
        if self.drivers.is_empty() {
            out.push_str("  drivers: null\n");
            return Ok(());
        }
        out.push_str("  drivers:\n");
        for (driver, entry) in &self.drivers {
            let mut dash = "- ";
            if let Some(count) = entry.allocatable {
                writeln!(out, "  - allocatable:\n      count: {count}")?;
                dash = "  ";
            }
            writeln!(out, "  {dash}name: {}", scalar(driver))?;
            writeln!(out, "    nodeID: {}", scalar(&entry.node_id))?;
            if entry.topology_keys.is_empty() {
                out.push_str("    topologyKeys: null\n");
                continue;
            }
            out.push_str("    topologyKeys:\n");
            for key in &entry.topology_keys {
                writeln!(out, "    - {}", scalar(key))?;
            }
        }
        Ok(())
    }
}

/// A text as a YAML scalar: plain where no reader can take it for anything else, in quotes otherwise.
fn scalar(text: &str) -> String {
    const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c))
        && !WORDS.contains(&text.to_ascii_lowercase().as_str());
    if plain {
        return text.to_owned();
    }
    // Between single quotes nothing is escaped, so no line breaks, and nothing that YAML calls unprintable.
    if text.chars().all(|c| (' '..='~').contains(&c)) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            ' '..='~' => quoted.push(c),
            _ => {
                let _ = write!(quoted, "\\U{:08X}", u32::from(c));
            }
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::scalar;
    use crate::{KubeletVersion, NodeInfoAnswer, NodeObjects};

    #[test]
    fn both_objects_are_shown_as_kubectl_shows_them() {
        let labels = [("kubernetes.io/os".to_owned(), "linux".to_owned())];
        let mut objects = NodeObjects::new("node-1", labels.into());
        let mut answer = NodeInfoAnswer {
            node_id: "1".to_owned(),
            max_volumes: 16,
            topology: [("acme.io/zone".to_owned(), "true".to_owned())].into(),
        };
        objects
            .install("disk.acme.io", &answer, KubeletVersion::LATEST)
            .unwrap();
        (answer.max_volumes, answer.topology) = (0, Default::default());
        objects
            .install("nfs.acme.io", &answer, KubeletVersion::LATEST)
            .unwrap();
        let expected = r#"apiVersion: v1
kind: Node
metadata:
  annotations:
    csi.volume.kubernetes.io/nodeid: '{"disk.acme.io":"1","nfs.acme.io":"1"}'
  labels:
    acme.io/zone: 'true'
    kubernetes.io/os: linux
  name: node-1
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata:
  name: node-1
spec:
  drivers:
  - allocatable:
      count: 16
    name: disk.acme.io
    nodeID: '1'
    topologyKeys:
    - acme.io/zone
  - name: nfs.acme.io
    nodeID: '1'
    topologyKeys: null
"#;
        assert_eq!(objects.to_yaml(), expected);
    }

    #[test]
    fn a_text_stays_a_text() {
        for (text, yaml) in [
            ("a.io/b_c-d", "a.io/b_c-d"),
            ("", "''"),
            ("Null", "'Null'"),
            ("NO", "'NO'"),
            ("1e3", "'1e3'"),
            ("~", "'~'"),
            ("a: b", "'a: b'"),
            ("it's", "'it''s'"),
            (
                "a\n\"\\\u{85}\u{e4}",
                "\"a\\U0000000A\\\"\\\\\\U00000085\\U000000E4\"",
            ),
        ] {
            assert_eq!(scalar(text), yaml);
        }
    }
}
