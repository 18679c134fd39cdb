//! What a container's shell does: it becomes the program. So a container is started anew with other arguments, which an engine does not allow, and the
//! library that is preloaded is in the program only.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

/// The script that becomes this command, with what it prints in a log, and standard input and output at these two named pipes.
pub fn of(command: &Command, log: &Path, pipes: Option<(&Path, &Path)>) -> Vec<u8> {
    let mut script = b"set -e\n".to_vec();
    let mut line = |parts: &[&[u8]]| {
        script.extend(parts.concat());
        script.push(b'\n');
    };
    let log = quoted(log.as_os_str());
    match pipes {
        None => line(&[b"exec </dev/null >>", &log, b" 2>&1"]),
        Some((stdin, stdout)) => {
            line(&[b"exec >", &quoted(stdout.as_os_str())]);
            // Whoever reads knows from the first byte that somebody writes.
            line(&[b"echo"]);
            line(&[b"exec <", &quoted(stdin.as_os_str()), b" 2>>", &log]);
        }
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => line(&[b"export ", name.as_bytes(), b"=", &quoted(value)]),
            None => line(&[b"unset ", name.as_bytes()]),
        }
    }
    let words: Vec<Vec<u8>> = std::iter::once(command.get_program()).chain(command.get_args()).map(quoted).collect();
    line(&[b"exec ", &words.join(&b' ')]);
    script
}

/// A word that a shell takes as it is.
fn quoted(word: &OsStr) -> Vec<u8> {
    let inside: Vec<u8> =
        word.as_bytes().iter().flat_map(|byte| if *byte == b'\'' { b"'\\''".to_vec() } else { vec![*byte] }).collect();
    [b"'".as_slice(), &inside, b"'"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;

    #[test]
    fn a_shell_becomes_the_program_with_every_argument_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("it's a log");
        let mut command = Command::new("/bin/sh");
        let odd = ["", "it's", "$HOME `x` \\ \"", "a\nb", "*"];
        command.args(["-c", "printf '<%s>' \"$LINE\" \"$@\"; echo oops >&2", "sh"]).args(odd).env("LINE", "a 'b' $c");
        let script = folder.path().join("script");
        std::fs::write(&script, of(&command, &log, None)).expect("a file");
        assert!(Command::new("/bin/sh").arg(&script).status().expect("a shell").success());
        let expected = format!("<a 'b' $c>{}oops\n", odd.map(|word| format!("<{word}>")).concat());
        assert_eq!(std::fs::read_to_string(&log).expect("a log"), expected);
    }

    #[test]
    fn it_speaks_over_named_pipes_after_an_empty_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("in"), "hello\n").expect("a file");
        std::fs::write(at("script"), of(&Command::new("cat"), &at("log"), Some((&at("in"), &at("out"))))).expect("a file");
        let ended = Command::new("/bin/sh").arg(at("script")).stdin(Stdio::null()).status().expect("a shell");
        assert!(ended.success());
        assert_eq!(std::fs::read_to_string(at("out")).expect("a file"), "\nhello\n");
    }
}
