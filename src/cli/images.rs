//! Images on the command line: `--image redis:8`, or one a node: `--image n1=redis:6`.

use super::shell::quoted;
use crate::plan::validate::topology;
use crate::plan::{Plan, Topology};

/// An image, for all nodes or for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    node: Option<String>,
    name: String,
}

/// Reads one.
///
/// # Errors
/// It names none.
pub fn image(text: &str) -> Result<Image, String> {
    let (node, name) = text.split_once('=').map_or((None, text), |(node, name)| (Some(node.to_owned()), name));
    match name.is_empty() || node.as_ref().is_some_and(String::is_empty) {
        true => Err("an image is NAME, or NODE=NAME for one node".into()),
        false => Ok(Image { node, name: name.to_owned() }),
    }
}

/// Gives a plan's nodes these images.
///
/// # Errors
/// In a sentence: one has no name, or is for a node that is not there.
pub fn give(images: &[Image], plan: &mut Plan) -> Result<(), String> {
    images.iter().for_each(|image| image.give(&mut plan.topology));
    match topology::images(plan).first() {
        Some(invalid) if !images.is_empty() => Err(format!("--image: {}", invalid.in_words())),
        _ => Ok(()),
    }
}

impl Image {
    /// Gives it to whom it is for.
    pub fn give(&self, topology: &mut Topology) {
        match &self.node {
            Some(node) => drop(topology.images.insert(node.clone(), self.name.clone())),
            None => topology.image = Some(self.name.clone()),
        }
    }

    /// As it is written on the command line.
    pub fn words(&self) -> [String; 2] {
        let node = self.node.as_ref().map(|node| format!("{node}=")).unwrap_or_default();
        ["--image".into(), quoted(&format!("{node}{}", self.name))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_for_all_nodes_or_for_one() {
        let mut topology = Topology::default();
        for text in ["redis:8", "n2=valkey/valkey:9", "n1=redis:6"] {
            let image = image(text).expect(text);
            assert_eq!(image.words(), ["--image".to_owned(), text.to_owned()]);
            image.give(&mut topology);
        }
        assert_eq!(topology.image.as_deref(), Some("redis:8"));
        let named: Vec<(&str, &str)> = topology.images.iter().map(|(node, name)| (node.as_str(), name.as_str())).collect();
        assert_eq!(named, [("n1", "redis:6"), ("n2", "valkey/valkey:9")]);
        assert!(["", "n1=", "=redis"].into_iter().all(|text| image(text).is_err()));
    }
}
