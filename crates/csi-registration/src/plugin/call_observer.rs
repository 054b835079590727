use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tonic::Code;

/// Hears of each call to the plugin: its full method, its code and how long it took.
#[derive(Clone)]
pub struct CallObserver(Arc<dyn Fn(&'static str, Code, Duration) + Send + Sync>);

impl CallObserver {
    /// Makes an observer of a function, which must not block.
    pub fn new(observe: impl Fn(&'static str, Code, Duration) + Send + Sync + 'static) -> Self {
        Self(Arc::new(observe))
    }

    pub(crate) fn call(&self, method: &'static str, code: Code, took: Duration) {
        (self.0)(method, code, took);
    }
}

impl fmt::Debug for CallObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallObserver")
    }
}
