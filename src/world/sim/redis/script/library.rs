//! The scripts that a node knows.

use std::collections::BTreeMap;
use std::sync::Arc;

/// A script's SHA-1 in lower-case hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Sha([u8; 40]);

impl Sha {
    pub fn of(body: &[u8]) -> Self {
        let digest = sha1_smol::Sha1::from(body).digest().to_string();
        Sha::parse(digest.as_bytes()).expect("a digest has 40 digits")
    }

    /// A digest as EVALSHA takes it, in upper or lower case.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let mut sha: [u8; 40] = text.try_into().ok()?;
        sha.make_ascii_lowercase();
        Some(Sha(sha))
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Display for Sha {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

impl std::fmt::Debug for Sha {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// The scripts that a node knows; gone with a restart and with SCRIPT FLUSH.
#[derive(Debug, Default)]
pub(in super::super) struct Library(BTreeMap<Sha, Arc<[u8]>>);

impl Library {
    pub fn knows(&self, sha: &Sha) -> bool {
        self.0.contains_key(sha)
    }

    pub fn body(&self, sha: &Sha) -> Option<&Arc<[u8]>> {
        self.0.get(sha)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    pub fn add(&mut self, sha: Sha, body: Arc<[u8]>) {
        self.0.insert(sha, body);
    }
}
