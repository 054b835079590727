use std::sync::Arc;

use tokio::sync::Notify;
use tonic::{Response, Status};

/// What a call brings.
#[derive(Clone, Debug)]
pub(crate) enum Reply<T> {
    Ok(T),
    Error(Status),
    /// Not before somebody says so.
    Held(Arc<Notify>, T),
    Never,
}

impl<T> Reply<T> {
    pub(crate) async fn give(self) -> Result<Response<T>, Status> {
        match self {
            Self::Ok(answer) => Ok(Response::new(answer)),
            Self::Error(status) => Err(status),
            Self::Held(gate, answer) => {
                gate.notified().await;
                Ok(Response::new(answer))
            }
            Self::Never => std::future::pending().await,
        }
    }
}
