use std::fmt;
use std::str::FromStr;

use csi_endpoint::Authority;

/// The version of the kubelet that is emulated: 1.20 to 1.36, without a patch number.
///
/// All that differs between versions is asked of it here, and nowhere else. Sources are the kubelet's `pluginmanager` and
/// `volume/csi` packages of each version; timeouts, the loop of one second and the back-off are the same in all of them.
///
/// ```
/// use csi_kubelet::KubeletVersion;
///
/// let version: KubeletVersion = "1.28".parse()?;
/// assert!(!version.retries_refusals());
/// assert_eq!(KubeletVersion::LATEST.to_string(), "1.36");
/// # Ok::<(), csi_kubelet::KubeletVersionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KubeletVersion(u8);

/// Why a text is no [`KubeletVersion`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no version of a kubelet that is known here; write one from 1.20 to 1.36")]
pub struct KubeletVersionError {
    text: String,
}

impl KubeletVersion {
    /// The oldest one.
    pub const OLDEST: Self = Self(20);

    /// The newest one.
    pub const LATEST: Self = Self(36);

    /// All of them, the oldest first.
    pub fn all() -> impl Iterator<Item = Self> {
        (Self::OLDEST.0..=Self::LATEST.0).map(Self)
    }

    /// What is sent as `:authority` on a registration socket: the path, percent-encoded since 1.29.
    ///
    /// `operation_generator.go` gives grpc-go a bare path; grpc-go encodes it since 1.57, which came with kubelet 1.29.
    #[must_use]
    pub fn registration_authority(self) -> Authority {
        if self.0 >= 29 {
            Authority::EncodedPath
        } else {
            Authority::RawPath
        }
    }

    /// What is sent as `:authority` on a CSI socket: the path to 1.25, `localhost` since (`csi_client.go`, PR 112597).
    #[must_use]
    pub fn csi_authority(self) -> Authority {
        if self.0 >= 26 {
            Authority::Localhost
        } else {
            Authority::RawPath
        }
    }

    /// Whether a symbolic link to a socket is taken when the kubelet starts; since 1.25 (`plugin_watcher.go`, PR 111439).
    ///
    /// One that is made while it runs is taken by every version.
    #[must_use]
    pub fn takes_links_at_start(self) -> bool {
        self.0 >= 25
    }

    /// Whether a plugin that was refused in RegisterPlugin, or could not be told that it is registered, is tried again on
    /// the same socket; since 1.36 (PR 133335).
    ///
    /// What fails before, dialling, GetInfo and ValidatePlugin, is tried again by every version.
    #[must_use]
    pub fn retries_refusals(self) -> bool {
        self.0 >= 36
    }

    /// Whether sockets at one path are told apart by a UUID, since 1.32 (PR 114136), and not by a time stamp.
    #[must_use]
    pub fn numbers_sockets(self) -> bool {
        self.0 >= 32
    }

    /// Whether the number of volumes in an existing CSINode entry may change: MutableCSINodeAllocatableCount, which is on
    /// by default since 1.35.
    #[must_use]
    pub fn updates_allocatable(self) -> bool {
        self.0 >= 35
    }
}

impl Default for KubeletVersion {
    /// The newest one.
    fn default() -> Self {
        Self::LATEST
    }
}

impl FromStr for KubeletVersion {
    type Err = KubeletVersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::all()
            .find(|version| version.to_string() == text)
            .ok_or_else(|| KubeletVersionError {
                text: text.to_owned(),
            })
    }
}

impl fmt::Display for KubeletVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("1.{}", self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(has: impl Fn(KubeletVersion) -> bool) -> String {
        let first = KubeletVersion::all().find(|version| has(*version)).unwrap();
        assert!(KubeletVersion::all().all(|version| has(version) == (version >= first)));
        first.to_string()
    }

    #[test]
    fn each_change_comes_with_its_version_and_stays() {
        let encoded =
            |version: KubeletVersion| version.registration_authority() == Authority::EncodedPath;
        let localhost = |version: KubeletVersion| version.csi_authority() == Authority::Localhost;
        assert_eq!(since(encoded), "1.29");
        assert_eq!(since(localhost), "1.26");
        assert_eq!(since(KubeletVersion::takes_links_at_start), "1.25");
        assert_eq!(since(KubeletVersion::retries_refusals), "1.36");
        assert_eq!(since(KubeletVersion::numbers_sockets), "1.32");
        assert_eq!(since(KubeletVersion::updates_allocatable), "1.35");
    }

    #[test]
    fn what_is_no_known_version_is_refused() {
        for text in ["", "1", "1.19", "1.37", "v1.30", "1.30.1", "1.030", "2.30"] {
            assert_eq!(
                text.parse::<KubeletVersion>().unwrap_err().to_string(),
                format!(
                    "{text:?} is no version of a kubelet that is known here; write one from 1.20 to 1.36"
                )
            );
        }
    }
}
