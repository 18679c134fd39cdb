//! A violation that is certain, before its cause is looked for and its sentence written.

use crate::Nanos;
use crate::finding::Kind;
use crate::history::OpId;

/// What a property says.
#[derive(Debug, Clone)]
pub struct Suspicion {
    /// What it is.
    pub kind: Kind,
    /// The lock or resource.
    pub lock: String,
    /// The clients, the one that is blamed first.
    pub clients: Vec<String>,
    /// The operations that prove it.
    pub events: Vec<OpId>,
    /// Where to look for a cause: from the first invocation that matters to the harm.
    pub window: (Nanos, Nanos),
    /// From when to when the harm is certain.
    pub harm: (Nanos, Nanos),
    /// What happened, without its cause, and without a full stop.
    pub story: Story,
}

/// A sentence in which times have still to be written: they are counted from the history's begin.
#[derive(Debug, Clone)]
pub struct Story(pub Vec<Part>);

/// A part of a story.
#[derive(Debug, Clone)]
pub enum Part {
    /// Words.
    Words(String),
    /// A time.
    At(Nanos),
}

impl Story {
    /// The sentence; `{}` in a template stands for a time.
    pub fn new(template: &str, times: &[Nanos]) -> Story {
        let mut parts = Vec::new();
        let mut times = times.iter();
        for (i, words) in template.split("{}").enumerate() {
            if i > 0
                && let Some(at) = times.next()
            {
                parts.push(Part::At(*at));
            }
            parts.push(Part::Words(words.to_string()));
        }
        Story(parts)
    }

    /// The sentence with its times written out.
    pub fn tell(&self, since: crate::judge::moment::Since) -> String {
        let times: Vec<Nanos> = self.0.iter().filter_map(|part| if let Part::At(at) = part { Some(*at) } else { None }).collect();
        self.0
            .iter()
            .map(|part| match part {
                Part::Words(words) => words.clone(),
                Part::At(at) => since.seconds(*at, &times),
            })
            .collect()
    }
}
