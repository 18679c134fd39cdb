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
#[cfg(feature = "toxiproxy")]
mod words;

use api::Api;
use hit::{Hit, Route};
pub use links::{Link, of};
use nemesis::wire::Wire;
use nemesis::{Dose, Evidence, NotInjected, Toxic};
use std::cell::RefCell;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

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

/// Whether a toxic is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cured {
    /// It is.
    Gone,
    /// Toxiproxy is at it still: for connections that ended with much under way it takes five seconds a piece. Those that live are well already, and none
    /// can be made meanwhile.
    Lingering,
}

/// How long a removal may take before new connections are led another way.
const LINGERS: Duration = Duration::from_millis(500);
/// How long where that cannot be, since another toxic is there.
const AT_LEAST_ONCE: Duration = Duration::from_secs(60);

/// A running Toxiproxy with a proxy for each link that the plan poisons.
pub struct Toxiproxy {
    api: Api,
    /// What it says of itself.
    pub version: String,
    /// Where its proxies are.
    at: IpAddr,
    links: Vec<Proxied>,
    in_force: RefCell<Vec<(Toxic, Vec<Between>)>>,
}

/// A link and the proxy that it leads through.
struct Proxied {
    link: Link,
    /// Where the node really listens.
    node: SocketAddr,
    /// The name of its proxy, and how many it had before.
    proxy: RefCell<(String, u32)>,
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
    /// The place of its link.
    place: usize,
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
        let mut proxied = Vec::new();
        for link in links {
            let node = node(&link.node).ok_or_else(|| format!("there is no node {}", link.node))?;
            let proxy = RefCell::new((link.proxy(), 0));
            proxied.push(Proxied { link, node, proxy });
        }
        let toxiproxy = Toxiproxy { api, version, at, links: proxied, in_force: RefCell::default() };
        for proxied in &toxiproxy.links {
            toxiproxy.lead(proxied, wire).await?;
        }
        Ok(toxiproxy)
    }

    /// Opens the proxy of a link, and has the wire lead new connections through it.
    async fn lead(&self, proxied: &Proxied, wire: &Wire) -> Result<(), String> {
        let name = proxied.name();
        let via = self.api.open(&name, SocketAddr::new(self.at, 0), proxied.node).await?;
        wire.detour(&proxied.link.caller, &proxied.link.node, via);
        Ok(())
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
            for (place, proxied) in self.links.iter().enumerate().filter(|(_, proxied)| proxied.link.joins(from, to)) {
                let link = &proxied.link;
                let route = Route { link: link.clone(), streams: link.streams(from, toxic.way) };
                let watch = || wire.watch(&link.caller, &link.node);
                // What it is to close is closed at once; whatever else it does, it does to what comes afterwards.
                let closing = (dose == Dose::Down).then(watch);
                match self.api.poison(&proxied.name(), &route.streams, dose).await {
                    Ok(read_back) => said.push(format!("{} has {read_back}", link.words())),
                    Err(why) => {
                        self.undo(all.iter().chain([&between]), dose, wire).await;
                        return Err(NotInjected(format!("Toxiproxy did not poison {}: {why}", link.words())));
                    }
                }
                let watch = closing.unwrap_or_else(watch);
                between.routes.push(Applied { route, place, watch });
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
            self.cure(applied, dose, wire)
                .await
                .map_err(|why| NotInjected(format!("Toxiproxy still poisons {}: {why}", applied.route.link.words())))?;
        }
        let told = |hits: &[Hit]| hits.iter().map(|hit| hit.text().to_owned()).collect::<Vec<_>>().join("; ");
        match hits.iter().any(|hit| matches!(hit, Hit::No(_))) {
            true => Err(NotInjected(format!("not everything that was named met it ({})", told(&hits)))),
            false => Ok(Evidence(format!("Toxiproxy says that it is gone; {}", told(&hits)))),
        }
    }

    /// Removes a toxic from one proxy.
    async fn cure(&self, applied: &Applied, dose: Dose, wire: &Wire) -> Result<(), String> {
        let proxied = &self.links[applied.place];
        let is_here = |other: &&Applied| other.place == applied.place;
        let others =
            self.in_force.borrow().iter().flat_map(|(_, all)| all).flat_map(|between| &between.routes).any(|it| is_here(&it));
        let patience = if others { AT_LEAST_ONCE } else { LINGERS };
        match self.api.cure(&proxied.name(), &applied.route.streams, dose, patience).await? {
            Cured::Gone => Ok(()),
            Cured::Lingering if others => Err(format!("that takes longer than {} s", patience.as_secs())),
            Cured::Lingering => {
                let before = proxied.proxy.borrow().1 + 1;
                *proxied.proxy.borrow_mut() = (format!("{}-{before}", proxied.link.proxy()), before);
                self.lead(proxied, wire).await
            }
        }
    }

    async fn undo(&self, all: impl Iterator<Item = &Between>, dose: Dose, wire: &Wire) {
        for applied in all.flat_map(|between| &between.routes) {
            // What went wrong first is what is told.
            let _ = self.cure(applied, dose, wire).await;
        }
    }
}

impl Proxied {
    /// The name of its proxy.
    fn name(&self) -> String {
        self.proxy.borrow().0.clone()
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
