//! Toxiproxy, the real server: links that a plan poisons lead through it.
//!
//! Source: Shopify's Toxiproxy, <https://github.com/Shopify/toxiproxy>, 2.12. A caller calls the wire's gate as ever; the wire, which knows who calls,
//! leads the connection through a proxy of that one link. So a toxic hits exactly the links that it names, and the finer faults work on them too. The
//! node sees these connections come from Toxiproxy.

#[cfg_attr(not(feature = "toxiproxy"), path = "absent.rs")]
mod api;
mod hit;
#[cfg(feature = "toxiproxy")]
mod http;
mod links;
pub mod program;
mod words;

use api::Api;
use hit::{Hit, Route};
pub use links::{Link, of};
use nemesis::wire::Wire;
use nemesis::{Dose, Evidence, NotInjected, Toxic};
use std::cell::RefCell;
use std::net::{IpAddr, SocketAddr};

/// A direction of a link, in Toxiproxy's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// From whoever dials to the node.
    Upstream,
    /// Back.
    Downstream,
}

impl Stream {
    /// As Toxiproxy calls it.
    pub fn name(self) -> &'static str {
        match self {
            Stream::Upstream => "upstream",
            Stream::Downstream => "downstream",
        }
    }
}

/// A running Toxiproxy with a proxy for each link that the plan poisons.
pub struct Toxiproxy {
    api: Api,
    /// What it says of itself.
    pub version: String,
    links: Vec<Link>,
    in_force: RefCell<Vec<(Toxic, Vec<Between>)>>,
}

/// A toxic on the link of two parties.
#[derive(Debug, Clone)]
struct Between {
    parties: String,
    routes: Vec<Applied>,
}

/// A toxic on one proxy.
#[derive(Debug, Clone)]
struct Applied {
    route: Route,
    proxy: String,
    watch: usize,
}

impl Toxiproxy {
    /// Asks a server at this address for a proxy for each link, at addresses of this IP, and has the wire lead the links through them. `node` says
    /// where a node really listens.
    ///
    /// # Errors
    /// In words, why it does not do so.
    pub async fn drive(
        server: SocketAddr,
        at: IpAddr,
        links: Vec<Link>,
        node: impl Fn(&str) -> Option<SocketAddr>,
        wire: &Wire,
    ) -> Result<Toxiproxy, String> {
        let api = Api::of(server)?;
        let version = api.version().await?;
        let mut proxies = Vec::new();
        for link in &links {
            let upstream = node(&link.node).ok_or_else(|| format!("there is no node {}", link.node))?;
            proxies.push((link.proxy(), SocketAddr::new(at, 0), upstream));
        }
        let opened = api.populate(proxies).await?;
        for link in &links {
            let via = opened.get(&link.proxy()).ok_or_else(|| format!("it opened no proxy {}", link.proxy()))?;
            wire.detour(&link.caller, &link.node, *via);
        }
        Ok(Toxiproxy { api, version, links, in_force: RefCell::default() })
    }

    /// Poisons the link of each two that a toxic names, and reads back that it is there.
    ///
    /// # Errors
    /// It is not there, or another of its kind was there before. Nothing of it is left then.
    pub async fn begin(&self, toxic: &Toxic, wire: &Wire) -> Result<Evidence, NotInjected> {
        let dose = dose(toxic)?;
        let mut all = Vec::new();
        let mut said = Vec::new();
        for (from, to) in toxic.pairs() {
            let mut between = Between { parties: format!("{from} and {to}"), routes: Vec::new() };
            for link in self.links.iter().filter(|link| link.joins(from, to)) {
                let route = Route { link: link.clone(), streams: link.streams(from, toxic.way) };
                let proxy = link.proxy();
                match self.api.poison(&proxy, &route.streams, dose).await {
                    Ok(read_back) => said.push(format!("{} has {read_back}", link.words())),
                    Err(why) => {
                        self.undo(all.iter().chain([&between]), dose).await;
                        return Err(NotInjected(format!("Toxiproxy did not poison {}: {why}", link.words())));
                    }
                }
                let watch = wire.watch(&link.caller, &link.node);
                between.routes.push(Applied { route, proxy, watch });
            }
            all.push(between);
        }
        self.in_force.borrow_mut().push((toxic.clone(), all));
        Ok(Evidence(format!("Toxiproxy says that {}", said.join("; "))))
    }

    /// What shows that a toxic has hit, on the link of each two that it names.
    pub fn met(&self, toxic: &Toxic, wire: &Wire) -> Option<Evidence> {
        let dose = toxic.dose().ok()?;
        let in_force = self.in_force.borrow();
        let (_, all) = in_force.iter().find(|(known, _)| known == toxic)?;
        let told: Option<Vec<String>> = all.iter().map(|between| between.hit(dose, wire).shown()).collect();
        told.map(|told| Evidence(told.join("; ")))
    }

    /// Removes a toxic, and reads back that it is gone.
    ///
    /// # Errors
    /// It is still there, or it hit nothing on some link and so was not injected.
    pub async fn end(&self, toxic: &Toxic, wire: &Wire) -> Result<Evidence, NotInjected> {
        let dose = dose(toxic)?;
        let all = {
            let mut in_force = self.in_force.borrow_mut();
            let place = in_force.iter().position(|(known, _)| known == toxic);
            in_force.remove(place.ok_or_else(|| NotInjected("Toxiproxy was never told".into()))?).1
        };
        let hits: Vec<Hit> = all.iter().map(|between| between.hit(dose, wire)).collect();
        for applied in all.iter().flat_map(|between| &between.routes) {
            let cured = self.api.cure(&applied.proxy, &applied.route.streams, dose).await;
            cured.map_err(|why| NotInjected(format!("Toxiproxy still poisons {}: {why}", applied.route.link.words())))?;
        }
        let told = |hits: &[Hit]| hits.iter().map(|hit| hit.text().to_owned()).collect::<Vec<_>>().join("; ");
        match hits.iter().any(|hit| matches!(hit, Hit::No(_))) {
            true => Err(NotInjected(format!("not everything that was named met it ({})", told(&hits)))),
            false => Ok(Evidence(format!("Toxiproxy says that it is gone; {}", told(&hits)))),
        }
    }

    async fn undo(&self, all: impl Iterator<Item = &Between>, dose: Dose) {
        for applied in all.flat_map(|between| &between.routes) {
            // What went wrong first is what is told.
            let _ = self.api.cure(&applied.proxy, &applied.route.streams, dose).await;
        }
    }
}

impl Between {
    /// Two nodes have a link for either who dials, of which one carries what they say.
    fn hit(&self, dose: Dose, wire: &Wire) -> Hit {
        let hits = self.routes.iter().map(|applied| applied.route.hit(dose, wire.passed(applied.watch)));
        hits.reduce(Hit::better).unwrap_or_else(|| Hit::No(format!("{} have no link", self.parties)))
    }
}

fn dose(toxic: &Toxic) -> Result<Dose, NotInjected> {
    toxic.dose().map_err(|_| NotInjected(format!("a `{}` that is not whole", toxic.kind.name())))
}
