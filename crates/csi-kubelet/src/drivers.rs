use std::collections::BTreeMap;

use crate::DriverVersion;
use crate::go_text::quote;

/// The drivers a kubelet has in memory, by name: where their plugins are, and in which version.
///
/// ```
/// use csi_kubelet::Drivers;
///
/// let versions = ["1.0.0".to_owned()];
/// let mut drivers = Drivers::default();
/// drivers.add("disk.acme.io", "/run/a.sock", &versions)?;
/// let refused = drivers.validate("disk.acme.io", "/run/b.sock", &versions).unwrap_err();
/// assert!(refused.to_string().ends_with("already registered with a higher supported version: \"1.0.0\""));
/// # Ok::<(), csi_kubelet::PluginRefused>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Drivers(BTreeMap<String, (String, DriverVersion)>);

/// Why a plugin is refused for its version or its name, in the kubelet's words (`csi_plugin.go`, the same from 1.20 to 1.36).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PluginRefused {
    /// ValidatePlugin refuses it.
    #[error(
        "validation failed for CSI Driver {driver} at endpoint {endpoint}: kubernetes.io/csi: ValidatePlugin for CSI driver \
         {} failed. {reason}",
        quote(driver)
    )]
    Invalid {
        /// The name of the driver.
        driver: String,
        /// Where the plugin is said to be.
        endpoint: String,
        /// What is wrong.
        reason: String,
    },
    /// RegisterPlugin, which looks once more, refuses it.
    #[error(
        "kubernetes.io/csi: RegisterPlugin for CSI driver {} failed. {reason}",
        quote(driver)
    )]
    NotRegistered {
        /// The name of the driver.
        driver: String,
        /// What is wrong.
        reason: String,
    },
}

impl Drivers {
    /// Whether a plugin would be taken. Its name is not looked at, not even whether there is one.
    ///
    /// # Errors
    ///
    /// If no version is offered that kubelets speak, or there is a driver of that name whose version is not lower. The
    /// message calls that one higher, though an equal one is enough.
    pub fn validate(
        &self,
        driver: &str,
        endpoint: &str,
        versions: &[String],
    ) -> Result<DriverVersion, PluginRefused> {
        self.version_of(driver, versions)
            .map_err(|reason| PluginRefused::Invalid {
                driver: driver.to_owned(),
                endpoint: endpoint.to_owned(),
                reason,
            })
    }

    /// Takes a plugin in, in place of one with a lower version.
    ///
    /// # Errors
    ///
    /// As [`Drivers::validate`], since another one may have come in between.
    pub fn add(
        &mut self,
        driver: &str,
        endpoint: &str,
        versions: &[String],
    ) -> Result<(), PluginRefused> {
        let version =
            self.version_of(driver, versions)
                .map_err(|reason| PluginRefused::NotRegistered {
                    driver: driver.to_owned(),
                    reason,
                })?;
        self.0
            .insert(driver.to_owned(), (endpoint.to_owned(), version));
        Ok(())
    }

    fn version_of(&self, driver: &str, versions: &[String]) -> Result<DriverVersion, String> {
        let version = DriverVersion::highest(versions)?;
        match self.0.get(driver) {
            Some((_, known)) if *known >= version => Err(format!(
                "Another driver with the same name is already registered with a higher supported version: \"{known}\""
            )),
            _ => Ok(version),
        }
    }

    /// Forgets a driver, whichever socket it came from: that the old one goes after a higher version has taken over forgets
    /// the new one too; stated nowhere, and seen with the kubelet's own code.
    pub fn remove(&mut self, driver: &str) -> bool {
        self.0.remove(driver).is_some()
    }

    /// Where the plugin of a driver is.
    #[must_use]
    pub fn endpoint(&self, driver: &str) -> Option<&str> {
        self.0.get(driver).map(|(endpoint, _)| endpoint.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Drivers;

    fn add(drivers: &mut Drivers, endpoint: &str, version: &str) -> Result<(), String> {
        drivers
            .add("a.io", endpoint, &[version.to_owned()])
            .map_err(|error| error.to_string())
    }

    #[test]
    fn only_a_higher_version_takes_over_a_name() {
        let mut drivers = Drivers::default();
        add(&mut drivers, "/1.sock", "1.0.0").unwrap();
        for version in ["1.0.0", "1.0", "1.0.0.0"] {
            assert_eq!(
                add(&mut drivers, "/2.sock", version),
                Err(
                    "kubernetes.io/csi: RegisterPlugin for CSI driver \"a.io\" failed. Another driver with the same name is \
                     already registered with a higher supported version: \"1.0.0\""
                        .to_owned()
                )
            );
        }
        assert_eq!(drivers.endpoint("a.io"), Some("/1.sock"));
        add(&mut drivers, "/2.sock", "1.1.0").unwrap();
        assert_eq!(drivers.endpoint("a.io"), Some("/2.sock"));
        assert!(drivers.remove("a.io") && !drivers.remove("a.io"));
        add(&mut drivers, "/1.sock", "1.0.0").unwrap();
    }

    #[test]
    fn the_version_is_judged_before_the_name() {
        let refused = Drivers::default().validate("", "/1.sock", &[]).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "validation failed for CSI Driver  at endpoint /1.sock: kubernetes.io/csi: ValidatePlugin for CSI driver \"\" \
             failed. Plugin returned an empty list for supported versions"
        );
        let versions = ["1.0.0".to_owned()];
        assert!(
            Drivers::default()
                .validate("", "/1.sock", &versions)
                .is_ok()
        );
    }
}
