//! Toxiproxy's interface, by its Rust client and, for what that lacks, by hand.
//!
//! The client blocks, and panics where it is called from async code: it lives on a thread of its own.

use super::words::{Words, words};
use super::{Cured, Stream, http};
use nemesis::Dose;
use serde_json::json;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;
use toxiproxy_rust::client::Client;
use toxiproxy_rust::proxy::{Proxy, ProxyPack};

/// It answers at once.
const PATIENCE: Duration = Duration::from_secs(5);

/// A Toxiproxy that can be told things.
pub struct Api {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

type Job = Box<dyn FnOnce(&Hand) + Send>;

/// What the thread has.
struct Hand {
    client: Client,
    server: SocketAddr,
}

impl Api {
    /// The server at this address.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub fn of(server: SocketAddr) -> Result<Api, String> {
        let (jobs, asked) = channel::<Job>();
        let work = move || {
            let hand = Hand { client: Client::new(server), server };
            asked.into_iter().for_each(|job| job(&hand));
        };
        let thread = std::thread::Builder::new().name("toxiproxy".into()).spawn(work);
        let thread = thread.map_err(|error| format!("there is no thread for its client: {error}"))?;
        Ok(Api { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Its version, by its own word.
    ///
    /// # Errors
    /// In words.
    pub async fn version(&self) -> Result<String, String> {
        let said = self.ask(|hand| hand.client.version()).await?;
        let read: serde_json::Value = serde_json::from_str(&said).map_err(|_| format!("it says of its version: {said}"))?;
        read["version"].as_str().map(str::to_owned).ok_or_else(|| format!("it says of its version: {said}"))
    }

    /// Opens a proxy of this name, that listens here and leads there; where it then listens.
    ///
    /// # Errors
    /// In words.
    pub async fn open(&self, name: &str, listen: SocketAddr, to: SocketAddr) -> Result<SocketAddr, String> {
        let pack = ProxyPack::new(name.to_owned(), listen.to_string(), to.to_string());
        self.ask(move |hand| {
            let opened = hand.client.populate(vec![pack])?;
            let listens = opened.first().map(|proxy| proxy.proxy_pack.listen.clone()).unwrap_or_default();
            listens.parse().map_err(|_| format!("its proxy listens at `{listens}`"))
        })
        .await
    }

    /// Adds a toxic to a proxy, each way that is named, and reads back that it is there; what was read, in words.
    ///
    /// # Errors
    /// It is not there, or another of its kind was.
    pub async fn poison(&self, proxy: &str, streams: &[Stream], dose: Dose) -> Result<String, String> {
        let (proxy, streams) = (proxy.to_owned(), streams.to_vec());
        self.ask(move |hand| hand.poison(&proxy, &streams, dose)).await
    }

    /// Removes a toxic from a proxy, each way that is named, and reads back that it is gone; or that this takes longer than so long.
    ///
    /// # Errors
    /// It is still there.
    pub async fn cure(&self, proxy: &str, streams: &[Stream], dose: Dose, patience: Duration) -> Result<Cured, String> {
        let (proxy, streams) = (proxy.to_owned(), streams.to_vec());
        self.ask(move |hand| hand.cure(&proxy, &streams, dose, patience)).await
    }

    async fn ask<T: Send + 'static>(&self, what: impl FnOnce(&Hand) -> Result<T, String> + Send + 'static) -> Result<T, String> {
        let ended = || "its client's thread has ended".to_owned();
        let (said, answer) = oneshot::channel();
        let job: Job = Box::new(move |hand| drop(said.send(what(hand))));
        self.jobs.as_ref().ok_or_else(ended)?.send(job).map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Hand {
    fn proxy(&self, name: &str) -> Result<Proxy, String> {
        // Its client panics where it is told to add something and nobody listens.
        if !self.client.is_running() {
            return Err("it does not listen any more".into());
        }
        self.client.find_proxy(name)
    }

    fn poison(&self, name: &str, streams: &[Stream], dose: Dose) -> Result<String, String> {
        let proxy = self.proxy(name)?;
        if !proxy.proxy_pack.enabled {
            return Err("it is down already".into());
        }
        let Some(words) = words(dose) else {
            proxy.disable()?;
            return if self.proxy(name)?.proxy_pack.enabled {
                Err("it is still up".into())
            } else {
                Ok("a disabled proxy".into())
            };
        };
        let kinds: Vec<String> = streams.iter().map(|stream| title(&words, *stream)).collect();
        if let Some(there) = attributes(&proxy)?.into_keys().find(|there| kinds.contains(there)) {
            return Err(format!("another {there} is there already"));
        }
        for stream in streams {
            self.add(&proxy, *stream, dose, &words)?;
        }
        let read_back = attributes(&self.proxy(name)?)?;
        let is_there = |kind: &String| {
            read_back.get(kind).is_some_and(|read| words.attributes.iter().all(|(name, value)| read.get(*name) == Some(value)))
        };
        if let Some(missing) = kinds.iter().find(|kind| !is_there(kind)) {
            return Err(format!("{missing} is not there as it should be: it has {read_back:?}"));
        }
        let told: Vec<String> = words.attributes.iter().map(|(name, value)| format!("{name} {value}")).collect();
        Ok(format!("{} ({})", kinds.join(" and "), told.join(", ")))
    }

    fn add(&self, proxy: &Proxy, stream: Stream, dose: Dose, words: &Words) -> Result<(), String> {
        const ALWAYS: f32 = 1.0;
        let of = |name: &str| words.attributes.get(name).copied().unwrap_or(0);
        let way = stream.name().to_owned();
        match dose {
            Dose::Latency { .. } => drop(proxy.with_latency(way, of("latency"), of("jitter"), ALWAYS)),
            Dose::Bandwidth { .. } => drop(proxy.with_bandwidth(way, of("rate"), ALWAYS)),
            Dose::Timeout { .. } => drop(proxy.with_timeout(way, of("timeout"), ALWAYS)),
            Dose::SlowClose { .. } => drop(proxy.with_slow_close(way, of("delay"), ALWAYS)),
            Dose::Slicer { .. } => drop(proxy.with_slicer(way, of("average_size"), of("size_variation"), of("delay"), ALWAYS)),
            Dose::LimitData { .. } => drop(proxy.with_limit_data(way, of("bytes"), ALWAYS)),
            // The client has none.
            Dose::ResetPeer { .. } => {
                let toxic = json!({
                    "name": title(words, stream), "type": words.kind, "stream": way, "toxicity": ALWAYS, "attributes": words.attributes,
                });
                let path = format!("/proxies/{}/toxics", proxy.proxy_pack.name);
                http::request(self.server, "POST", &path, Some(&toxic), PATIENCE).map_err(words_of)?;
            }
            Dose::Down => {}
        }
        Ok(())
    }

    fn cure(&self, name: &str, streams: &[Stream], dose: Dose, patience: Duration) -> Result<Cured, String> {
        let Some(words) = words(dose) else {
            self.proxy(name)?.enable()?;
            return if self.proxy(name)?.proxy_pack.enabled { Ok(Cured::Gone) } else { Err("it is still down".into()) };
        };
        for stream in streams {
            // The client can only remove all of them at once.
            let path = format!("/proxies/{name}/toxics/{}", title(&words, *stream));
            match http::request(self.server, "DELETE", &path, None, patience) {
                Ok(_) => {}
                // While it does so it answers no other question about this proxy either.
                Err(http::Failed::Late) => return Ok(Cured::Lingering),
                Err(failed) => return Err(words_of(failed)),
            }
        }
        let left = attributes(&self.proxy(name)?)?;
        match streams.iter().map(|stream| title(&words, *stream)).find(|kind| left.contains_key(kind)) {
            Some(kind) => Err(format!("{kind} is still there")),
            None => Ok(Cured::Gone),
        }
    }
}

fn words_of(failed: http::Failed) -> String {
    match failed {
        http::Failed::Late => "it does not answer in time".into(),
        http::Failed::Said(what) => what,
    }
}

/// What the client calls a toxic.
fn title(words: &Words, stream: Stream) -> String {
    format!("{}_{}", words.kind, stream.name())
}

/// The toxics that a proxy has, by name, with their attributes.
fn attributes(proxy: &Proxy) -> Result<BTreeMap<String, BTreeMap<String, u32>>, String> {
    Ok(proxy.toxics()?.into_iter().map(|toxic| (toxic.name, toxic.attributes.into_iter().collect())).collect())
}
