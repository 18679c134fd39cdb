//! The engine, found as docker's own client finds it.

use super::context::{Address, Surroundings};
use super::{EngineError, NoEngine};
use bollard::{API_DEFAULT_VERSION, Docker};
use std::future::Future;
use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::time::Duration;
use tokio::time::timeout;

/// The oldest API that will do: that of Docker 20.10.
pub const LEAST_API: &str = "1.41";

/// How long an engine may take to say what it is.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it may take for anything else, in seconds: a busy one takes its time to start a container.
const SLOWEST: u64 = 60;

/// A Docker engine that answers.
#[derive(Debug, Clone)]
pub struct Engine {
    docker: Docker,
    address: Address,
    /// Its version, such as 20.10.24.
    pub version: String,
    /// The API that it and we speak.
    pub api: String,
}

impl Engine {
    /// Finds the engine that docker's own client would use, and sees that it answers.
    ///
    /// # Errors
    /// It does not, it is too old, or it does not let us.
    pub async fn find() -> Result<Engine, NoEngine> {
        let variable = |name: &str| std::env::var(name).ok();
        let surroundings = Surroundings { variable: &variable, home: std::env::home_dir() };
        Engine::at(surroundings.address()?).await
    }

    async fn at(address: Address) -> Result<Engine, NoEngine> {
        let at = address.host.clone();
        let silent = |why: String| NoEngine::Silent { at: at.clone(), why };
        let docker = connect(&address)?;
        let docker = match timeout(PATIENCE, docker.negotiate_version()).await {
            Ok(Ok(docker)) => docker,
            Ok(Err(error)) => return Err(silent(told(&error))),
            Err(_) => return Err(silent(format!("it did not say what it is within {} s", PATIENCE.as_secs()))),
        };
        let api = docker.client_version().to_string();
        if numbers(&api) < numbers(LEAST_API) {
            return Err(NoEngine::TooOld { at, api });
        }
        let version = docker.version().await.map_err(|error| silent(told(&error)))?;
        Ok(Engine { docker, address, version: version.version.unwrap_or_default(), api })
    }

    /// What it is spoken to through.
    pub fn docker(&self) -> &Docker {
        &self.docker
    }

    /// Where it is.
    pub fn host(&self) -> &str {
        &self.address.host
    }

    /// Has it do something, on a thread of its own, while this one waits: for whoever is being dropped.
    ///
    /// # Errors
    /// There is no thread, or no engine any more.
    pub fn at_last<T: Send, F: Future<Output = T>>(&self, what: impl FnOnce(Docker) -> F + Send) -> Result<T, EngineError> {
        let lost = |error: &dyn std::error::Error| EngineError::of("do what it should at the end")(told(error));
        std::thread::scope(|scope| {
            let asked = scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| lost(&error))?;
                runtime.block_on(async {
                    let docker = connect(&self.address).map_err(|error| lost(&error))?;
                    let docker = docker.negotiate_version().await.map_err(|error| lost(&error))?;
                    Ok(what(docker).await)
                })
            });
            asked.join().unwrap_or_else(|_| Err(EngineError::of("do what it should at the end")("a bug of ours")))
        })
    }
}

fn connect(address: &Address) -> Result<Docker, NoEngine> {
    let Address { host, certificates } = address;
    let silent = |why: String| NoEngine::Silent { at: host.clone(), why };
    let connected = if let Some(path) = host.strip_prefix("unix://") {
        match UnixStream::connect(path) {
            Ok(_) => Docker::connect_with_unix(host, SLOWEST, API_DEFAULT_VERSION),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => return Err(NoEngine::Forbidden { at: host.clone() }),
            Err(error) => return Err(silent(error.to_string())),
        }
    } else if !["tcp://", "http://", "https://"].iter().any(|scheme| host.starts_with(scheme)) {
        let advice = "it must be on this machine, at a socket (unix:///…) or a port (tcp://127.0.0.1:…)";
        return Err(NoEngine::Misnamed(format!("the Docker engine at {host} is out of reach for the docker world: {advice}")));
    } else if let Some(folder) = certificates {
        let [key, certificate, authority] = ["key.pem", "cert.pem", "ca.pem"].map(|file| folder.join(file));
        Docker::connect_with_ssl(host, &key, &certificate, &authority, SLOWEST, API_DEFAULT_VERSION)
    } else {
        Docker::connect_with_http(host, SLOWEST, API_DEFAULT_VERSION)
    };
    connected.map_err(|error| silent(told(&error)))
}

/// What is said of an error, and of those that are behind it.
fn told(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut behind = error.source();
    while let Some(error) = behind {
        let more = error.to_string();
        if !told.contains(&more) {
            told = format!("{told}: {more}");
        }
        behind = error.source();
    }
    told
}

/// A version in its order.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map_while(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    fn at(host: String) -> Result<Engine, NoEngine> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(Engine::at(Address { host, certificates: None }))
    }

    #[test]
    fn one_that_is_not_there_is_a_sentence() {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("docker.sock");
        let host = format!("unix://{}", socket.display());
        let error = at(host.clone()).expect_err("nobody is there").to_string();
        assert!(error.contains(&host) && error.contains("apt-get install docker.io"), "{error}");
        // A socket that nobody listens at any more.
        drop(std::os::unix::net::UnixListener::bind(&socket).expect("a socket"));
        assert!(matches!(at(host), Err(NoEngine::Silent { .. })));
        assert!(matches!(at("ssh://me@there".into()), Err(NoEngine::Misnamed(_))));
    }

    #[test]
    fn one_that_is_too_old_is_a_sentence() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let host = format!("tcp://{}", listener.local_addr().expect("an address"));
        let served = std::thread::spawn(move || {
            let (mut caller, _) = listener.accept().expect("a caller");
            let _ = caller.read(&mut [0; 4096]).expect("a request");
            let body = "{\"Version\":\"18.06.3-ce\",\"ApiVersion\":\"1.38\"}";
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
            caller.write_all(format!("{head}{body}").as_bytes()).expect("an answer");
        });
        let error = at(host.clone()).expect_err("it is too old");
        served.join().expect("it answered");
        assert_eq!(error, NoEngine::TooOld { at: host, api: "1.38".into() });
        assert!(error.to_string().contains("1.41"), "{error}");
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(numbers("1.5") < numbers(LEAST_API) && numbers("1.141") > numbers(LEAST_API));
    }
}
