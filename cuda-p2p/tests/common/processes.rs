//! Two processes that talk over a socket.

use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const ROLE: &str = "TEST_ROLE";

/// Runs both bodies, each in a process of its own: this program with the test `name` alone, which finds its role.
pub(crate) fn two(name: &str, maker: impl FnOnce(UnixStream), opener: impl FnOnce(UnixStream)) {
    match std::env::var(ROLE) {
        Ok(role) if role == format!("maker {name}") => return maker(own_socket()),
        Ok(role) if role == format!("opener {name}") => return opener(own_socket()),
        _ => {}
    }
    // On GPUs one pair of processes at a time.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let (one, other) = UnixStream::pair().expect("a pair of sockets");
    let children = [start(name, "maker", one), start(name, "opener", other)];
    // Both, before either is judged: that one fails because the other is gone says little.
    let ends = children.map(|child| {
        let output = child.wait_with_output().expect("a child of this process");
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        (output.status.success() && text.contains("1 passed"), text)
    });
    let [(made, maker), (opened, opener)] = ends;
    assert!(made && opened, "the maker:\n{maker}\nthe opener:\n{opener}");
}

fn start(name: &str, role: &str, socket: UnixStream) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program's path"));
    command.args(["--exact", name, "--nocapture", "--test-threads=1"]);
    command.env(ROLE, format!("{role} {name}")).env_remove("CUDA_P2P_SIM");
    command.stdin(Stdio::from(OwnedFd::from(socket))).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("this program starts again")
}

fn own_socket() -> UnixStream {
    let socket = std::io::stdin().as_fd().try_clone_to_owned().expect("standard input is a socket");
    let socket = UnixStream::from(socket);
    socket.set_read_timeout(Some(Duration::from_secs(30))).expect("a socket takes a time limit");
    socket
}

/// Sends word.
pub(crate) fn tell(mut socket: &UnixStream) {
    socket.write_all(&[1]).expect("the other process is there");
}

/// Waits for word.
pub(crate) fn hear(mut socket: &UnixStream) {
    socket.read_exact(&mut [0]).expect("the other process sends word");
}
