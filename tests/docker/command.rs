//! An engine that cannot be used is a sentence that says what to do, and exit 69.

use super::stage::{fencepost, outcome};
use std::process::Command;

fn refused(prepare: impl FnOnce(&mut Command)) -> String {
    let home = tempfile::tempdir().expect("a folder");
    let mut command = fencepost(home.path(), &["reproduce", "gc-pause", "--world", "docker"]);
    for variable in ["DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"] {
        command.env_remove(variable);
    }
    prepare(command.env("DOCKER_CONFIG", home.path()));
    let (exit, stdout, stderr) = outcome(&mut command);
    assert_eq!((exit, stdout.as_str()), (69, ""), "{stderr}");
    stderr
}

#[test]
fn none_at_all() {
    let told = refused(|command| _ = command.env("DOCKER_HOST", "unix:///nowhere/docker.sock"));
    assert!(told.contains("unix:///nowhere/docker.sock") && told.contains("apt-get install docker.io"), "{told}");
    assert!(told.contains("Reproduce: fencepost reproduce gc-pause --world docker"), "{told}");
}

#[test]
fn a_context_of_no_name() {
    let told = refused(|command| _ = command.env("DOCKER_CONTEXT", "nowhere"));
    assert!(told.contains("there is no docker context `nowhere`"), "{told}");
}

#[test]
fn one_on_another_machine() {
    let told = refused(|command| _ = command.env("DOCKER_HOST", "ssh://me@there"));
    assert!(told.contains("ssh://me@there") && told.contains("on this machine"), "{told}");
}

#[test]
fn one_without_certificates() {
    let tls = |command: &mut Command| {
        command.env("DOCKER_HOST", "tcp://127.0.0.1:1").env("DOCKER_TLS_VERIFY", "1").env("DOCKER_CERT_PATH", "/nowhere");
    };
    let told = refused(tls);
    assert!(told.contains("/nowhere"), "{told}");
}
