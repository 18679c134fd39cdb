//! What can go wrong with an engine, in sentences that say what to do.

/// Why there is no engine to work with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoEngine {
    /// Nobody answers.
    #[error(
        "no Docker engine answers at {at} ({why}): install one (Debian, Ubuntu: `apt-get install docker.io`) and start it (`systemctl start docker`, \
         or `dockerd` as root), or name another with DOCKER_HOST or `docker context use`"
    )]
    Silent {
        /// Where it was looked for.
        at: String,
        /// What came of it.
        why: String,
    },
    /// It is there, and this user may not use it.
    #[error(
        "the Docker engine at {at} does not let this user in: `sudo usermod -aG docker $USER` and log in again, or run as root"
    )]
    Forbidden {
        /// Where it is.
        at: String,
    },
    /// It is older than what is asked of it.
    #[error(
        "the Docker engine at {at} speaks API {api}, and {least} (Docker 20.10) or newer is needed: upgrade it",
        least = super::LEAST_API
    )]
    TooOld {
        /// Where it is.
        at: String,
        /// What it speaks.
        api: String,
    },
    /// It is named in a way that cannot be followed.
    #[error("{0}")]
    Misnamed(String),
}

/// Why an engine did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the Docker engine did not {what}: {why}")]
pub struct EngineError {
    /// What it was asked: `create a network`.
    pub what: String,
    /// Its answer.
    pub why: String,
}

impl EngineError {
    /// For what it was asked.
    pub fn of<E: std::fmt::Display>(what: impl Into<String>) -> impl FnOnce(E) -> EngineError {
        let what = what.into();
        move |error| EngineError { what, why: error.to_string() }
    }
}
