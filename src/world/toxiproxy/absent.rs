//! In a build without the feature `toxiproxy` nobody can drive it, and no run gets so far.

use super::{Cured, Stream};
use nemesis::Dose;
use std::net::SocketAddr;
use std::time::Duration;

/// There is none.
pub enum Api {}

impl Api {
    pub fn of(_: SocketAddr) -> Result<Api, String> {
        Err("this build cannot drive Toxiproxy".into())
    }

    pub async fn version(&self) -> Result<String, String> {
        match *self {}
    }

    pub async fn open(&self, _: &str, _: SocketAddr, _: SocketAddr) -> Result<SocketAddr, String> {
        match *self {}
    }

    pub async fn poison(&self, _: &str, _: &[Stream], _: Dose) -> Result<String, String> {
        match *self {}
    }

    pub async fn cure(&self, _: &str, _: &[Stream], _: Dose, _: Duration) -> Result<Cured, String> {
        match *self {}
    }
}
