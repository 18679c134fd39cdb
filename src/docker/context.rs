//! Where docker's own client would look for its engine: `DOCKER_HOST`, the context that is in use, or the usual socket.

use super::NoEngine;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the engine is where nothing else is said.
const USUAL: &str = "unix:///var/run/docker.sock";

/// An engine's address, and who we are to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// `unix://PATH` or `tcp://HOST:PORT`.
    pub host: String,
    /// The folder of `ca.pem`, `cert.pem` and `key.pem`, where it is spoken to over TLS.
    pub certificates: Option<PathBuf>,
}

/// What is asked of the environment.
pub struct Surroundings<'a> {
    /// A variable's value.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The folder of the client's configuration where `DOCKER_CONFIG` names none.
    pub home: Option<PathBuf>,
}

impl Surroundings<'_> {
    /// A variable that is set and not empty.
    fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    fn configuration(&self) -> Option<PathBuf> {
        self.variable("DOCKER_CONFIG").map(PathBuf::from).or_else(|| Some(self.home.as_ref()?.join(".docker")))
    }

    /// The engine's address.
    ///
    /// # Errors
    /// A context is in use that is not there, or cannot be read.
    pub fn address(&self) -> Result<Address, NoEngine> {
        if let Some(host) = self.variable("DOCKER_HOST") {
            return Ok(Address { certificates: self.certificates(&host), host });
        }
        let folder = self.configuration();
        let context = self.variable("DOCKER_CONTEXT").or_else(|| current(folder.as_deref()?));
        match context.filter(|name| name != "default") {
            Some(name) => named(folder.as_deref(), &name),
            None => Ok(Address { host: USUAL.into(), certificates: None }),
        }
    }

    /// Where the certificates are for an engine over TCP, where TLS is asked for.
    fn certificates(&self, host: &str) -> Option<PathBuf> {
        let asked = self.variable("DOCKER_TLS_VERIFY").is_some() || self.variable("DOCKER_TLS").is_some();
        let tcp = host.starts_with("tcp://") || host.starts_with("http");
        (tcp && (asked || host.starts_with("https://")))
            .then(|| self.variable("DOCKER_CERT_PATH").map(PathBuf::from).or_else(|| self.configuration()))?
    }
}

#[derive(Deserialize)]
struct Configuration {
    #[serde(rename = "currentContext")]
    current_context: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Meta {
    name: String,
    #[serde(default)]
    endpoints: BTreeMap<String, Endpoint>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Endpoint {
    host: Option<String>,
}

/// The context that `docker context use` chose.
fn current(folder: &Path) -> Option<String> {
    let text = std::fs::read(folder.join("config.json")).ok()?;
    let configuration: Configuration = serde_json::from_slice(&text).ok()?;
    configuration.current_context.filter(|name| !name.is_empty())
}

/// The address in the context of that name. Its folder is called by a hash of the name, and says the name inside.
fn named(folder: Option<&Path>, name: &str) -> Result<Address, NoEngine> {
    let none = || {
        let advice = "`docker context ls` shows those there are; unset DOCKER_CONTEXT or `docker context use default`";
        NoEngine::Misnamed(format!("there is no docker context `{name}`: {advice}"))
    };
    let contexts = folder.ok_or_else(none)?.join("contexts");
    for entry in std::fs::read_dir(contexts.join("meta")).map_err(|_| none())?.flatten() {
        let Ok(text) = std::fs::read(entry.path().join("meta.json")) else { continue };
        let Ok(meta) = serde_json::from_slice::<Meta>(&text) else { continue };
        if meta.name != name {
            continue;
        }
        let host = meta.endpoints.get("docker").and_then(|docker| docker.host.clone());
        let host = host.ok_or_else(|| NoEngine::Misnamed(format!("the docker context `{name}` names no engine")))?;
        let certificates = contexts.join("tls").join(entry.file_name()).join("docker");
        return Ok(Address { host, certificates: certificates.is_dir().then_some(certificates) });
    }
    Err(none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(home: &Path, variables: &[(&str, &str)]) -> Result<Address, NoEngine> {
        let variable = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Surroundings { variable: &variable, home: Some(home.to_path_buf()) }.address()
    }

    fn plain(host: &str) -> Result<Address, NoEngine> {
        Ok(Address { host: host.into(), certificates: None })
    }

    /// A home with a context `lab`, over TLS.
    fn home(in_use: &str) -> tempfile::TempDir {
        let home = tempfile::tempdir().expect("a folder");
        let docker = home.path().join(".docker");
        let (meta, tls) = (docker.join("contexts/meta/6c6162"), docker.join("contexts/tls/6c6162/docker"));
        for folder in [&meta, &tls] {
            std::fs::create_dir_all(folder).expect("a folder");
        }
        std::fs::write(docker.join("config.json"), format!("{{\"auths\":{{}},\"currentContext\":\"{in_use}\"}}"))
            .expect("a file");
        let lab = "{\"Name\":\"lab\",\"Metadata\":{},\"Endpoints\":{\"docker\":{\"Host\":\"tcp://127.0.0.1:2376\",\"SkipTLSVerify\":false}}}";
        std::fs::write(meta.join("meta.json"), lab).expect("a file");
        home
    }

    #[test]
    fn without_a_word_it_is_the_usual_socket() {
        let nowhere = tempfile::tempdir().expect("a folder");
        assert_eq!(look(nowhere.path(), &[]), plain(USUAL));
        assert_eq!(look(nowhere.path(), &[("DOCKER_HOST", "")]), plain(USUAL));
        assert_eq!(look(home("").path(), &[]), plain(USUAL));
        assert_eq!(look(home("default").path(), &[]), plain(USUAL));
    }

    #[test]
    fn the_variable_goes_before_every_context() {
        let home = home("lab");
        let variables = [("DOCKER_HOST", "unix:///run/user/1000/docker.sock"), ("DOCKER_CONTEXT", "lab")];
        assert_eq!(look(home.path(), &variables), plain("unix:///run/user/1000/docker.sock"));
    }

    #[test]
    fn a_context_has_an_address_and_certificates() {
        let used = home("lab");
        let lab = Address {
            host: "tcp://127.0.0.1:2376".into(),
            certificates: Some(used.path().join(".docker/contexts/tls/6c6162/docker")),
        };
        assert_eq!(look(used.path(), &[]), Ok(lab));
        let unused = home("");
        assert_eq!(look(unused.path(), &[("DOCKER_CONTEXT", "lab")]).expect("it is there").host, "tcp://127.0.0.1:2376");
        assert_eq!(look(used.path(), &[("DOCKER_CONTEXT", "default")]), plain(USUAL));
    }

    #[test]
    fn a_context_that_is_not_there_is_said() {
        let home = home("gone");
        let Err(NoEngine::Misnamed(text)) = look(home.path(), &[]) else { panic!("there is none") };
        assert!(text.contains("`gone`") && text.contains("docker context ls"), "{text}");
        assert!(look(home.path(), &[("DOCKER_CONFIG", "/nowhere"), ("DOCKER_CONTEXT", "lab")]).is_err());
    }

    #[test]
    fn tls_is_spoken_where_it_is_asked_for() {
        let nowhere = Path::new("/home/me");
        let certificates = |variables: &[(&str, &str)]| look(nowhere, variables).expect("an address").certificates;
        let (tcp, socket) = (("DOCKER_HOST", "tcp://127.0.0.1:2376"), ("DOCKER_HOST", "unix:///a"));
        assert_eq!(certificates(&[tcp]), None);
        assert_eq!(certificates(&[tcp, ("DOCKER_TLS_VERIFY", "1")]), Some("/home/me/.docker".into()));
        assert_eq!(certificates(&[tcp, ("DOCKER_TLS_VERIFY", "1"), ("DOCKER_CERT_PATH", "/certs")]), Some("/certs".into()));
        assert_eq!(certificates(&[socket, ("DOCKER_TLS_VERIFY", "1")]), None);
    }
}
