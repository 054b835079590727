use std::collections::BTreeMap;

use serde_json::json;

use crate::KubeletVersion;
use crate::go_text::{self, quote};
use crate::label;
use crate::manifest::NODE_ID_ANNOTATION;

/// The Node and the CSINode that come of the plugins on a node, as far as plugins have a say in them.
///
/// They are changed as the kubelet changes them (`nodeinfomanager.go`), the Node first, and only if the API server would
/// take it (`pkg/apis/storage/validation`, `pkg/apis/core/validation`, the admission plugin NodeRestriction). They outlive
/// restarts of the kubelet.
///
/// ```
/// use csi_kubelet::{KubeletVersion, NodeInfoAnswer, NodeObjects};
///
/// let mut objects = NodeObjects::new("node-1", Default::default());
/// let answer = NodeInfoAnswer { node_id: "i-1".to_owned(), ..NodeInfoAnswer::default() };
/// objects.install("disk.acme.io", &answer, KubeletVersion::LATEST)?;
/// assert_eq!(objects.drivers["disk.acme.io"].node_id, "i-1");
/// # Ok::<(), csi_kubelet::InstallError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeObjects {
    /// The name of the Node, and of the CSINode.
    pub name: String,
    /// The labels of the Node.
    pub labels: BTreeMap<String, String>,
    /// What the annotation `csi.volume.kubernetes.io/nodeid` says: the node's id for each driver.
    pub node_ids: BTreeMap<String, String>,
    /// The entries of the CSINode, by driver.
    pub drivers: BTreeMap<String, CsiNodeDriver>,
}

/// An entry of a CSINode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsiNodeDriver {
    /// The node's id for the driver.
    pub node_id: String,
    /// The keys of its topology, sorted.
    pub topology_keys: Vec<String>,
    /// How many volumes the node takes, if that is limited.
    pub allocatable: Option<i32>,
}

/// What a plugin answered to NodeGetInfo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeInfoAnswer {
    /// The node's id.
    pub node_id: String,
    /// At most so many volumes; 0 and less is no limit.
    pub max_volumes: i64,
    /// The segments of its topology.
    pub topology: BTreeMap<String, String>,
}

/// Why a driver cannot be put on a node, in the kubelet's words. Behind the name of a field the words are ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// There is no node id.
    #[error("error adding CSI driver node info: driverNodeID must not be empty")]
    NoNodeId,
    /// The Node cannot be changed so.
    #[error(
        "error updating Node object with CSI driver node info: error updating node: timed out waiting for the condition; \
         caused by: {0}"
    )]
    Node(String),
    /// The CSINode cannot be changed so.
    #[error(
        "error updating CSINode object with CSI driver node info: error updating CSINode: timed out waiting for the condition; \
         caused by: {0}"
    )]
    CsiNode(String),
}

/// The longest node id that the API server takes, in bytes.
const MAX_NODE_ID: usize = 256;

impl NodeObjects {
    /// A node with labels and no drivers.
    #[must_use]
    pub fn new(name: &str, labels: BTreeMap<String, String>) -> Self {
        Self {
            name: name.to_owned(),
            labels,
            node_ids: BTreeMap::new(),
            drivers: BTreeMap::new(),
        }
    }

    /// Puts a driver on the node. After an error the caller calls [`NodeObjects::uninstall`], as the kubelet does: the entry of
    /// an earlier registration goes with it, and labels that were set meanwhile stay.
    ///
    /// # Errors
    ///
    /// If the kubelet or the API server refuses what the plugin said.
    pub fn install(
        &mut self,
        driver: &str,
        answer: &NodeInfoAnswer,
        version: KubeletVersion,
    ) -> Result<(), InstallError> {
        self.install_on_node(driver, answer)?;
        self.install_on_csi_node(driver, answer, version)?;
        Ok(())
    }

    /// The first half: the Node. Returns the labels that are new.
    pub(crate) fn install_on_node(
        &mut self,
        driver: &str,
        answer: &NodeInfoAnswer,
    ) -> Result<BTreeMap<String, String>, InstallError> {
        if answer.node_id.is_empty() {
            return Err(InstallError::NoNodeId);
        }
        self.check_collisions(&answer.topology)
            .map_err(InstallError::Node)?;
        let mut labels = answer.topology.clone();
        labels.retain(|key, _| !self.labels.contains_key(key));
        self.check_labels(&labels).map_err(|reason| {
            let patch = quote(&self.patch(driver, &answer.node_id, &labels));
            let name = quote(&self.name);
            InstallError::Node(format!(
                "failed to patch status {patch} for node {name}: {reason}"
            ))
        })?;
        self.labels.extend(labels.clone());
        self.node_ids
            .insert(driver.to_owned(), answer.node_id.clone());
        Ok(labels)
    }

    /// The second half: the CSINode. Returns the entry that is there then.
    pub(crate) fn install_on_csi_node(
        &mut self,
        driver: &str,
        answer: &NodeInfoAnswer,
        version: KubeletVersion,
    ) -> Result<&CsiNodeDriver, InstallError> {
        let entry = self
            .checked_entry(driver, answer, version)
            .map_err(InstallError::CsiNode)?;
        let there = self.drivers.entry(driver.to_owned()).or_default();
        *there = entry;
        Ok(there)
    }

    /// Takes a driver off the CSINode and out of the annotation. Its labels stay. Says whether there was anything.
    pub fn uninstall(&mut self, driver: &str) -> bool {
        let on_csi_node = self.drivers.remove(driver).is_some();
        self.node_ids.remove(driver).is_some() || on_csi_node
    }

    /// What a kubelet looks at before it writes to the Node.
    fn check_collisions(&self, topology: &BTreeMap<String, String>) -> Result<(), String> {
        for (key, value) in topology {
            if let Some(known) = self.labels.get(key).filter(|known| *known != value) {
                let (key, value, known) = (quote(key), quote(value), quote(known));
                return Err(format!(
                    "detected topology value collision: driver reported {key}:{value} but existing label is {key}:{known}"
                ));
            }
        }
        Ok(())
    }

    /// What an API server looks at then: first NodeRestriction, then the rules for labels.
    fn check_labels(&self, labels: &BTreeMap<String, String>) -> Result<(), String> {
        let name = quote(&self.name);
        let mut closed = labels.keys().map(String::as_str).collect::<Vec<_>>();
        closed.retain(|key| label::is_closed_to_kubelets(key));
        if !closed.is_empty() {
            let closed = closed.join(", ");
            return Err(format!(
                "nodes {name} is forbidden: is not allowed to modify labels: {closed}"
            ));
        }
        labels.iter().try_for_each(|(key, value)| {
            label::check_label(key, value)
                .map_err(|error| format!("Node {name} is invalid: metadata.labels: {error}"))
        })
    }

    /// What a kubelet sends to have the Node changed.
    fn patch(&self, driver: &str, node_id: &str, labels: &BTreeMap<String, String>) -> String {
        let mut metadata = serde_json::Map::new();
        if self
            .node_ids
            .get(driver)
            .is_none_or(|known| known != node_id)
        {
            let mut node_ids = self.node_ids.clone();
            node_ids.insert(driver.to_owned(), node_id.to_owned());
            let annotation = go_text::json(&json!(node_ids));
            metadata.insert(
                "annotations".to_owned(),
                json!({NODE_ID_ANNOTATION: annotation}),
            );
        }
        if !labels.is_empty() {
            metadata.insert("labels".to_owned(), json!(labels));
        }
        go_text::json(&json!({"metadata": metadata}))
    }

    /// What the entry of a driver becomes, if the API server takes it.
    fn checked_entry(
        &self,
        driver: &str,
        answer: &NodeInfoAnswer,
        version: KubeletVersion,
    ) -> Result<CsiNodeDriver, String> {
        let limit =
            (answer.max_volumes > 0).then(|| i32::try_from(answer.max_volumes).unwrap_or(i32::MAX));
        let entry = CsiNodeDriver {
            node_id: answer.node_id.clone(),
            // Of a map, so sorted and unique.
            topology_keys: answer.topology.keys().cloned().collect(),
            allocatable: limit,
        };
        let invalid = |field: &str, reason: String| {
            let name = quote(&self.name);
            format!(
                "CSINode.storage.k8s.io {name} is invalid: spec.drivers[{driver}]{field}: {reason}"
            )
        };
        driver
            .parse::<csi_identity::PluginName>()
            .map_err(|error| invalid(".name", error.to_string()))?;
        let len = entry.node_id.len();
        if len > MAX_NODE_ID {
            let reason = format!("{len} bytes long, the limit is {MAX_NODE_ID}");
            return Err(invalid(".nodeID", reason));
        }
        let may_change = version.updates_allocatable();
        let same = |known: &CsiNodeDriver| {
            known.node_id == entry.node_id
                && known.topology_keys == entry.topology_keys
                && (may_change || known.allocatable == entry.allocatable)
        };
        match self.drivers.get(driver) {
            Some(known) if !same(known) => Err(invalid("", "field is immutable".to_owned())),
            _ => Ok(entry),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(node_id: &str, max_volumes: i64, topology: &[(&str, &str)]) -> NodeInfoAnswer {
        let pair = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        NodeInfoAnswer {
            node_id: node_id.to_owned(),
            max_volumes,
            topology: topology.iter().map(pair).collect(),
        }
    }

    fn install(
        objects: &mut NodeObjects,
        driver: &str,
        answer: &NodeInfoAnswer,
    ) -> Result<(), String> {
        let done = objects.install(driver, answer, KubeletVersion::LATEST);
        done.map_err(|error| error.to_string())
    }

    fn node() -> NodeObjects {
        let labels = [("a.io/zone".to_owned(), "z1".to_owned())];
        NodeObjects::new("n", labels.into())
    }

    const NODE: &str = "error updating Node object with CSI driver node info: error updating node: timed out waiting for \
                        the condition; caused by: ";
    /// How the patch that is refused begins and ends.
    const PATCH: [&str; 2] = [
        "failed to patch status \"{\\\"metadata\\\":{\\\"annotations\\\":{\\\"csi.volume.kubernetes.io/nodeid\\\":\
         \\\"{\\\\\\\"a.io\\\\\\\":\\\\\\\"i\\\\\\\"}\\\"},\\\"labels\\\":{",
        "}}}\" for node \"n\": ",
    ];
    const CSI_NODE: &str = "error updating CSINode object with CSI driver node info: error updating CSINode: timed out \
                            waiting for the condition; caused by: CSINode.storage.k8s.io \"n\" is invalid: ";

    #[test]
    fn a_driver_leaves_labels_an_annotation_and_an_entry_and_only_the_labels_stay() {
        let mut objects = node();
        let given = answer("i-1", i64::MAX, &[("b.io/rack", "r2"), ("a.io/zone", "z1")]);
        install(&mut objects, "disk.acme.io", &given).unwrap();
        let entry = CsiNodeDriver {
            node_id: "i-1".to_owned(),
            topology_keys: vec!["a.io/zone".to_owned(), "b.io/rack".to_owned()],
            allocatable: Some(i32::MAX),
        };
        assert_eq!(objects.drivers["disk.acme.io"], entry);
        assert_eq!(objects.node_ids["disk.acme.io"], "i-1");
        assert_eq!(objects.labels["b.io/rack"], "r2");

        assert!(objects.uninstall("disk.acme.io") && !objects.uninstall("disk.acme.io"));
        assert!(objects.drivers.is_empty() && objects.node_ids.is_empty());
        assert_eq!(objects.labels.len(), 2);
    }

    #[test]
    fn no_limit_is_no_allocatable() {
        for max_volumes in [0, -1] {
            let mut objects = node();
            install(&mut objects, "a.io", &answer("i", max_volumes, &[])).unwrap();
            assert_eq!(objects.drivers["a.io"].allocatable, None);
        }
    }

    #[test]
    fn what_the_kubelet_or_the_api_server_refuses_is_said_in_their_words() {
        let long = "i".repeat(257);
        let [begin, end] = PATCH;
        for (driver, given, message) in [
            (
                "a.io",
                answer("", 0, &[]),
                "error adding CSI driver node info: driverNodeID must not be empty".to_owned(),
            ),
            (
                "a.io",
                answer("i", 0, &[("a.io/zone", "z2")]),
                format!(
                    "{NODE}detected topology value collision: driver reported \"a.io/zone\":\"z2\" but existing label is \
                     \"a.io/zone\":\"z1\""
                ),
            ),
            (
                "a.io",
                answer(
                    "i",
                    0,
                    &[
                        ("kubernetes.io/x", "y"),
                        ("a.io/zone", "z1"),
                        ("b.io/rack", "-"),
                        ("k8s.io/x", ""),
                    ],
                ),
                format!(
                    "{NODE}{begin}\\\"b.io/rack\\\":\\\"-\\\",\\\"k8s.io/x\\\":\\\"\\\",\\\"kubernetes.io/x\\\":\\\"y\\\"{end}nodes \"n\" \
                     is forbidden: is not allowed to modify labels: k8s.io/x, kubernetes.io/x"
                ),
            ),
            (
                "a.io",
                answer("i", 0, &[("b.io/rack", "-")]),
                format!(
                    "{NODE}{begin}\\\"b.io/rack\\\":\\\"-\\\"{end}Node \"n\" is invalid: metadata.labels: \"-\" is no label value; it has at most 63 letters, digits, \
                     '-', '_' and '.', with a letter or digit at both ends, or nothing"
                ),
            ),
            (
                "a.io",
                answer(&long, 0, &[]),
                format!("{CSI_NODE}spec.drivers[a.io].nodeID: 257 bytes long, the limit is 256"),
            ),
            (
                "a..io",
                answer("i", 0, &[]),
                format!(
                    "{CSI_NODE}spec.drivers[a..io].name: plugin name has an empty label at byte 2; remove the extra '.'"
                ),
            ),
        ] {
            assert_eq!(install(&mut node(), driver, &given), Err(message));
        }
        install(&mut node(), "a.io", &answer(&long[1..], 0, &[])).unwrap();
    }

    #[test]
    fn an_entry_does_not_change_but_for_its_number_since_1_35() {
        let immutable = format!("{CSI_NODE}spec.drivers[a.io]: field is immutable");
        for (version, expected) in [("1.34", Err(immutable.clone())), ("1.35", Ok(()))] {
            let version = version.parse().unwrap();
            let mut objects = node();
            objects
                .install("a.io", &answer("i", 1, &[]), version)
                .unwrap();
            objects
                .install("a.io", &answer("i", 1, &[]), version)
                .unwrap();
            let changed = objects.install("a.io", &answer("i", 2, &[]), version);
            assert_eq!(changed.map_err(|error| error.to_string()), expected);
        }
        let mut objects = node();
        install(&mut objects, "a.io", &answer("i", 0, &[])).unwrap();
        for changed in [answer("j", 0, &[]), answer("i", 0, &[("a.io/zone", "z1")])] {
            assert_eq!(
                install(&mut objects, "a.io", &changed),
                Err(immutable.clone())
            );
        }
        // What a kubelet does after the failure makes the next attempt work.
        objects.uninstall("a.io");
        install(&mut objects, "a.io", &answer("j", 0, &[])).unwrap();
    }
}
