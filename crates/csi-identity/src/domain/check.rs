//! Checks of what a plugin depends on: what to check, how often, and what a failure means for readiness.
//!
//! Nothing here runs a check.

mod name;
mod policy;
mod target;

use std::fmt;

pub use name::{CheckName, CheckNameError};
pub use policy::{CheckPolicy, CheckPolicyError, OnFailure, OnFailureError};
pub use target::{
    AbsolutePath, AbsolutePathError, CheckTarget, ExecCommand, ExecCommandError, ExpectedText,
    ExpectedTextError, FsType, FsTypeError, GrpcProbe, HttpStatus, HttpStatusError, HttpUrl,
    HttpUrlError, TcpAddress, TcpAddressError,
};

/// One thing that has to be well for the plugin to be ready.
///
/// Having one is proof that its policy can be kept.
///
/// ```
/// use std::time::Duration;
///
/// use csi_identity::{Check, CheckPolicy, CheckTarget};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let target = CheckTarget::Tcp { address: "array.acme.io:3260".parse()? };
/// let policy = CheckPolicy { timeout: Duration::from_secs(2), ..CheckPolicy::default() };
/// let check = Check::new("array".parse()?, target, policy)?;
/// assert_eq!(check.to_string(), "array (tcp array.acme.io:3260)");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Check {
    name: CheckName,
    target: CheckTarget,
    policy: CheckPolicy,
}

impl Check {
    /// A check of `target`, as often and as patiently as `policy` says.
    ///
    /// # Errors
    ///
    /// As [`CheckPolicy::validate`].
    pub fn new(
        name: CheckName,
        target: CheckTarget,
        policy: CheckPolicy,
    ) -> Result<Self, CheckPolicyError> {
        policy.validate()?;
        Ok(Self {
            name,
            target,
            policy,
        })
    }

    /// What the check is called in reasons and logs.
    #[must_use]
    pub fn name(&self) -> &CheckName {
        &self.name
    }

    /// What is checked.
    #[must_use]
    pub fn target(&self) -> &CheckTarget {
        &self.target
    }

    /// How often it is checked, and what a failure means.
    #[must_use]
    pub fn policy(&self) -> &CheckPolicy {
        &self.policy
    }
}

/// The name, and the target in brackets.
impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.target)
    }
}
