use std::str::FromStr;

/// A label of a Node as it is given on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NodeLabel {
    key: String,
    value: String,
}

impl NodeLabel {
    pub(super) fn into_pair(self) -> (String, String) {
        (self.key, self.value)
    }
}

impl FromStr for NodeLabel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((key, value)) => {
                csi_kubelet::check_label(key, value)?;
                Ok(Self {
                    key: key.to_owned(),
                    value: value.to_owned(),
                })
            }
            None => Err(format!(
                "{text:?} has no '='; write it as in topology.acme.io/zone=z1"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NodeLabel;

    #[test]
    fn a_label_is_one_that_an_api_server_takes() {
        let label: NodeLabel = "topology.acme.io/zone=z1".parse().unwrap();
        let pair = ("topology.acme.io/zone".to_owned(), "z1".to_owned());
        assert_eq!(label.into_pair(), pair);
        let empty: NodeLabel = "a=".parse().unwrap();
        assert_eq!(empty.into_pair(), ("a".to_owned(), String::new()));
        for (text, error) in [
            (
                "zone",
                "\"zone\" has no '='; write it as in topology.acme.io/zone=z1",
            ),
            (
                "a=-",
                "\"-\" is no label value; it has at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends, or \
                 nothing",
            ),
        ] {
            assert_eq!(text.parse::<NodeLabel>(), Err(error.to_owned()));
        }
        assert!("=z1".parse::<NodeLabel>().is_err());
    }
}
