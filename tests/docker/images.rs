//! Images: ours, made once from this machine's own programs, and those that a user names.

use super::stage::{engine, fencepost, on_a_thread, outcome};
use bollard::Docker;
use bollard::query_parameters::{ListImagesOptionsBuilder, RemoveImageOptionsBuilder, TagImageOptionsBuilder};
use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

async fn made(docker: &Docker) -> Vec<String> {
    let filters = HashMap::from([("label", vec!["org.fencepost=image"])]);
    let images = docker.list_images(Some(ListImagesOptionsBuilder::new().filters(&filters).build())).await.expect("a list");
    images.into_iter().flat_map(|image| image.repo_tags).filter(|name| name.starts_with("fencepost/world:")).collect()
}

#[test]
fn ours_is_made_once() {
    let Some((_turn, engine)) = engine("making an image") else { return };
    let home = tempfile::tempdir().expect("a folder");
    let (exit, stdout, _) = outcome(&mut fencepost(home.path(), &["clean", "--images", "--json"]));
    assert_eq!(exit, 0, "{stdout}");
    assert_eq!(on_a_thread(made(engine.docker())), [""; 0]);
    let server = fencepost::cli::machine::on_path("redis-server").expect("a redis-server");
    let guest = Path::new(env!("CARGO_BIN_EXE_fencepost"));
    let begun = Instant::now();
    let first = on_a_thread(fencepost::docker::make(&engine, &[&server], &[guest])).expect("an image");
    let bytes = first.sent.expect("it was not there");
    eprintln!("an image of {:.1} MB was made in {:.1} s", bytes as f64 / 1e6, begun.elapsed().as_secs_f64());
    assert!((1_000_000..100_000_000).contains(&bytes), "{bytes}");
    let again = on_a_thread(fencepost::docker::make(&engine, &[&server], &[guest])).expect("an image");
    assert_eq!((again.name, again.sent), (first.name.clone(), None));
    assert_eq!(on_a_thread(made(engine.docker())), [first.name]);
}

/// An image under a name of its user's: the same programs, since there is no registry here.
async fn tagged(engine: &fencepost::docker::Engine, name: &str) {
    let server = fencepost::cli::machine::on_path("redis-server").expect("a redis-server");
    let ours = fencepost::docker::make(engine, &[&server], &[]).await.expect("an image").name;
    let (repository, tag) = name.split_once(':').expect("a tag");
    let tag = TagImageOptionsBuilder::new().repo(repository).tag(tag).build();
    engine.docker().tag_image(&ours, Some(tag)).await.expect("a tag");
}

#[test]
fn a_named_image_is_used_and_said() {
    let Some((_turn, engine)) = engine("a named image") else { return };
    on_a_thread(tagged(&engine, "fencepost-test-named:1"));
    let home = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| {
        let args = [&["reproduce", "clock-jump", "--world", "docker", "--json"], args].concat();
        outcome(&mut fencepost(home.path(), &args))
    };
    let (exit, stdout, stderr) = run(&["--image", "fencepost-test-named:1"]);
    assert_eq!(exit, 0, "{stdout}{stderr}");
    let object: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON object");
    assert_eq!(object["versions"]["image"], "fencepost-test-named:1");
    assert!(object["replay"].as_str().is_some_and(|replay| replay.contains("--image fencepost-test-named:1")), "{stdout}");
    let plan = std::fs::read_to_string(home.path().join("runs/latest/plan.toml")).expect("a plan");
    assert!(plan.contains("image = \"fencepost-test-named:1\""), "{plan}");
    let (exit, stdout, stderr) = run(&["--image", "n1=fencepost-test-named:1"]);
    assert_eq!(exit, 0, "{stdout}{stderr}");
    let object: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON object");
    assert_eq!(object["versions"]["image of n1"], "fencepost-test-named:1");
    let cells = ["matrix", "--world", "docker", "--filter", "name(crash-holding)", "--image", "fencepost-test-named:1", "--json"];
    let (exit, stdout, stderr) = outcome(&mut fencepost(home.path(), &cells));
    assert_eq!(exit, 0, "{stdout}{stderr}");
    let object: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON object");
    assert_eq!(object["versions"]["image"], "fencepost-test-named:1");
    assert!(object["replay"].as_str().is_some_and(|replay| replay.contains("--image fencepost-test-named:1")), "{stdout}");
    let untag = RemoveImageOptionsBuilder::new().build();
    on_a_thread(engine.docker().remove_image("fencepost-test-named:1", Some(untag), None)).expect("it is removed");
}

#[test]
fn an_image_that_cannot_be_used_is_a_sentence() {
    let Some((_turn, _engine)) = engine("an image that is not there") else { return };
    let home = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| outcome(&mut fencepost(home.path(), &[&["reproduce", "gc-pause"], args].concat()));
    let (exit, _, stderr) = run(&["--world", "docker", "--image", "fencepost-test-none:1"]);
    assert_eq!(exit, 69);
    assert!(stderr.contains("`docker pull fencepost-test-none:1`"), "{stderr}");
    let (exit, _, stderr) = run(&["--world", "sim", "--image", "fencepost-test-none:1"]);
    assert_eq!(exit, 69);
    assert!(stderr.contains("--world docker"), "{stderr}");
    let (exit, _, stderr) = run(&["--world", "docker", "--image", "n2=fencepost-test-none:1"]);
    assert_eq!(exit, 64);
    assert!(stderr.contains("there is no node `n2`"), "{stderr}");
}
