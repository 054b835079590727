use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use csi_endpoint::{Endpoint, EndpointError};

/// The path of a plugin's socket as the kubelet sees it, which in a container is rarely the path seen here.
///
/// It is read from whatever form an [`Endpoint`] has, and shown as a bare path: a kubelet opens `PluginInfo.endpoint` as
/// it stands, so that one with a scheme is a file that does not exist (`csi_client.go`, seen at 1.36).
///
/// ```
/// use csi_registration::HostPath;
///
/// let path: HostPath = "unix:///var/lib/kubelet/plugins/disk.acme.io/csi.sock".parse()?;
/// assert_eq!(path.to_string(), "/var/lib/kubelet/plugins/disk.acme.io/csi.sock");
/// assert_eq!(path.kubelet_root(), Some("/var/lib/kubelet".as_ref()));
/// # Ok::<(), csi_registration::HostPathError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPath(Endpoint);

/// Why a text is no [`HostPath`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostPathError {
    /// It is no address of a socket, or longer than the kubelet can open.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// It is where the kubelet looks for registration sockets.
    #[error(
        "{path} is inside plugins_registry, where a kubelet takes every socket for a registration socket; put the \
         plugin's own socket under plugins/<name of the plugin>"
    )]
    InRegistry {
        /// The path.
        path: String,
    },
}

impl HostPath {
    /// The path as text, as the kubelet is told it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.path_text()
    }

    /// The kubelet's root directory, which is what stands before `/plugins/`, if that is in the path.
    #[must_use]
    pub fn kubelet_root(&self) -> Option<&Path> {
        let (root, _) = self.as_str().rsplit_once("/plugins/")?;
        Some(Path::new(if root.is_empty() { "/" } else { root }))
    }
}

impl FromStr for HostPath {
    type Err = HostPathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let endpoint: Endpoint = text.parse()?;
        let path = endpoint.path_text();
        if path.split('/').any(|element| element == "plugins_registry") {
            return Err(HostPathError::InRegistry {
                path: path.to_owned(),
            });
        }
        Ok(Self(endpoint))
    }
}

impl fmt::Display for HostPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The path at which a kubelet sees a registration socket.
pub(crate) fn registration_socket(kubelet_root: &Path, file_name: &str) -> PathBuf {
    kubelet_root.join("plugins_registry").join(file_name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::HostPath;

    #[test]
    fn whatever_form_is_typed_the_kubelet_is_told_a_bare_path() {
        for text in [
            "/var/lib/kubelet/plugins/a.io/csi.sock",
            "unix:/var/lib/kubelet/plugins/a.io/csi.sock",
            "unix:///var/lib/kubelet/plugins/a.io/csi.sock",
            "unix:///var/lib/kubelet/plugins//a.io/csi.sock",
        ] {
            let path: HostPath = text.parse().unwrap();
            assert_eq!(path.as_str(), "/var/lib/kubelet/plugins/a.io/csi.sock");
        }
    }

    #[test]
    fn what_no_kubelet_can_open_is_refused() {
        let long = format!("/{}/plugins/a.io/csi.sock", "k".repeat(100));
        for (text, message) in [
            (
                "unix://var/lib/kubelet/plugins/a.io/csi.sock",
                "did you mean unix:///var/lib/kubelet/plugins/a.io/csi.sock",
            ),
            (
                "/var/lib/kubelet/plugins_registry/a.io/csi.sock",
                "/var/lib/kubelet/plugins_registry/a.io/csi.sock is inside plugins_registry, where a kubelet takes \
                 every socket for a registration socket; put the plugin's own socket under plugins/<name of the plugin>",
            ),
            (&long, "107"),
            ("", "empty"),
        ] {
            let error = text.parse::<HostPath>().unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn the_root_of_the_kubelet_is_what_stands_before_plugins() {
        for (text, root) in [
            (
                "/var/lib/kubelet/plugins/a.io/csi.sock",
                Some("/var/lib/kubelet"),
            ),
            ("/plugins/a.io/csi.sock", Some("/")),
            (
                "/srv/plugins/kubelet/plugins/a.io/csi.sock",
                Some("/srv/plugins/kubelet"),
            ),
            ("/run/csi/csi.sock", None),
        ] {
            let path: HostPath = text.parse().unwrap();
            assert_eq!(path.kubelet_root(), root.map(AsRef::as_ref), "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_taken_is_a_bare_path_that_a_kubelet_can_open(
            text in prop_oneof![any::<String>(), "(unix:(//)?)?(/[a-z.]{0,8}|/plugins|/plugins_registry){0,6}"]
        ) {
            if let Ok(path) = text.parse::<HostPath>() {
                let bare = path.as_str();
                prop_assert!(bare.starts_with('/') && !bare.starts_with("//") && bare.len() <= 107);
                prop_assert!(!bare.contains("/plugins_registry/") && !bare.ends_with('/'));
                prop_assert!(!bare.chars().any(char::is_control));
                prop_assert_eq!(bare.parse::<HostPath>(), Ok(path.clone()));
                if let Some(root) = path.kubelet_root() {
                    let rest = std::path::Path::new(bare).strip_prefix(root).unwrap();
                    prop_assert!(rest.starts_with("plugins"));
                }
            }
        }
    }
}
