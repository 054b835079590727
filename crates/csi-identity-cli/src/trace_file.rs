use std::path::PathBuf;
use std::str::FromStr;

use csi_kubelet::{Trace, TraceForm, TraceFormError};

use crate::whole_file;

/// A file for a picture; its ending says in which form.
#[derive(Clone, Debug)]
pub(crate) struct TraceFile {
    path: PathBuf,
    form: TraceForm,
}

impl TraceFile {
    /// Writes the picture.
    pub(crate) fn write(&self, trace: &Trace) -> anyhow::Result<()> {
        whole_file::write(&self.path, &trace.render(self.form))
    }
}

impl TryFrom<PathBuf> for TraceFile {
    type Error = TraceFormError;

    fn try_from(path: PathBuf) -> Result<Self, Self::Error> {
        let form = path.as_path().try_into()?;
        Ok(Self { path, form })
    }
}

impl FromStr for TraceFile {
    type Err = TraceFormError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        PathBuf::from(text).try_into()
    }
}
