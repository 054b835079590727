//! A connection that can be made.

use super::dial::Dial;
use crate::TcpAddress;

#[derive(Debug)]
pub(super) struct TcpProbe(Dial);

impl TcpProbe {
    pub(super) fn new(address: TcpAddress) -> Self {
        Self(Dial::new(address))
    }

    pub(super) async fn run(&mut self) -> Result<(), String> {
        self.0.connect().await.map(drop)
    }

    pub(super) fn doing(&self) -> String {
        self.0.doing()
    }
}
