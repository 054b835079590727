use crate::error::Problem;
use crate::limits;

/// How large a node is, with every alias in it written out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    values: usize,
    text: usize,
    /// How many lists and mappings are nested in it, itself included.
    depth: usize,
}

impl Extent {
    pub(super) fn scalar(bytes: usize) -> Self {
        Self {
            values: 1,
            text: bytes,
            depth: 0,
        }
    }

    /// A list or mapping that has nothing in it yet.
    pub(super) fn collection() -> Self {
        Self {
            values: 1,
            text: 0,
            depth: 1,
        }
    }

    /// Grows by a node inside, which stands this many lists and mappings deep.
    pub(super) fn add(&mut self, inner: Self, nested_in: usize) -> Result<(), Problem> {
        self.values = self.values.saturating_add(inner.values);
        self.text = self.text.saturating_add(inner.text);
        self.depth = self.depth.max(inner.depth + 1);
        if self.values > limits::VALUES {
            Err(Problem::TooManyValues)
        } else if self.text > limits::TEXT {
            Err(Problem::TooMuchText)
        } else if nested_in + inner.depth > limits::DEPTH {
            Err(Problem::TooDeep)
        } else {
            Ok(())
        }
    }
}
