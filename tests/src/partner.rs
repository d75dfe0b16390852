//! The second process of a case: this very program with the same case, started by the case itself when it comes to it.
//!
//! The two take turns: whoever waits for word of the other prints nothing meanwhile, so the transcript is the same in every run. What
//! the partner does stands in it behind `other: `.

use std::io::{IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

use crate::arm::Arm;
use crate::case::Case;
use crate::child::Task;
use crate::context::Cx;

/// The line between the two processes of a case.
#[derive(Debug)]
pub(crate) struct Wire(UnixStream);

/// How long one side waits for word of the other.
const PATIENCE: Duration = Duration::from_secs(40);

/// The partner as the case has it.
#[derive(Debug)]
pub(crate) struct Partner {
    child: Child,
    pub(crate) wire: Wire,
}

impl Wire {
    /// Hands `bytes` over; the other side receives as many.
    ///
    /// # Panics
    /// If the other side is gone: the child's frame ends the case.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).expect("the other process is there");
    }

    /// Waits for as many bytes as the other side sends.
    ///
    /// # Panics
    /// If the other side is gone, or says nothing for long: the child's frame ends the case.
    pub(crate) fn receive<const BYTES: usize>(&mut self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        self.0.read_exact(&mut bytes).expect("the other process says something");
        bytes
    }

    /// Hands a descriptor of the system's over.
    ///
    /// # Panics
    /// If the other side is gone: the child's frame ends the case.
    pub(crate) fn send_descriptor(&mut self, descriptor: &OwnedFd) {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let descriptors = [descriptor.as_fd()];
        assert!(control.push(SendAncillaryMessage::ScmRights(&descriptors)), "there is room for one");
        sendmsg(&self.0, &[IoSlice::new(&[1])], &mut control, SendFlags::empty())
            .expect("the other process is there");
    }

    /// Waits for a descriptor that the other side sends.
    ///
    /// # Panics
    /// If the other side is gone, or sends none: the child's frame ends the case.
    pub(crate) fn receive_descriptor(&mut self) -> OwnedFd {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        recvmsg(&self.0, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC)
            .expect("the other process sends something");
        let found = control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
            _ => None,
        });
        found.expect("a descriptor comes along")
    }

    /// Lets the other side go on.
    pub(crate) fn turn(&mut self) {
        self.send(&[1]);
    }

    /// Waits until the other side says that it is this one's turn.
    pub(crate) fn wait(&mut self) {
        self.receive::<1>();
    }

    /// Lets the other side do one thing.
    pub(crate) fn let_other(&mut self) {
        self.turn();
        self.wait();
    }
}

impl Partner {
    /// Starts the second process of the case. `devices`: which devices of this one it has, as its devices 0, 1, ...
    ///
    /// # Panics
    /// If it cannot be started: the child's frame ends the case.
    pub(crate) fn start(cx: &Cx, devices: Option<&[usize]>) -> Self {
        let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
        ours.set_read_timeout(Some(PATIENCE)).expect("a socket takes a time limit");
        let program = std::env::current_exe().expect("this program has a path");
        let mut command = Command::new(program);
        command.args(Task::Partner(cx.case.clone()).arguments(cx.arm));
        command.stdin(Stdio::from(OwnedFd::from(theirs)));
        if let Some(devices) = devices {
            see(&mut command, cx.arm, devices);
        }
        Self { child: command.spawn().expect("this program starts again"), wire: Wire(ours) }
    }

    /// Waits for the end of the partner, which must be a good one.
    pub(crate) fn end(mut self, cx: &Cx) {
        let ended = self.child.wait().expect("a child of this process");
        cx.value("the other process ended well", ended.success(), true);
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        // After a good end both fail, as they should.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lets a process have some devices of this one's.
fn see(command: &mut Command, arm: Arm, devices: &[usize]) {
    match arm {
        Arm::Simulator => {
            let machine = cuda_p2p_sim::running().expect("the simulator runs").visible(devices);
            command.env(cuda_p2p_sim::ENVIRONMENT_VARIABLE, machine.to_string());
        }
        Arm::Real => {
            const VARIABLE: &str = "CUDA_VISIBLE_DEVICES";
            let names: Vec<String> = match std::env::var(VARIABLE) {
                Ok(all) => all.split(',').map(str::to_owned).collect(),
                Err(_) => (0..).take(64).map(|device: usize| device.to_string()).collect(),
            };
            let theirs: Vec<&str> =
                devices.iter().filter_map(|&device| names.get(device)).map(String::as_str).collect();
            command.env(VARIABLE, theirs.join(","));
        }
    }
}

/// What the second process does.
///
/// # Errors
/// If the case has none.
pub(crate) fn play(cx: &Cx, case: &Case) -> Result<(), String> {
    let body = case.partner.ok_or("the case has no second process")?;
    // SAFETY: asks the system to end this process when the one that started it is gone; takes numbers.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    // Standard input is the socket that `start` gave.
    let socket = std::io::stdin().as_fd().try_clone_to_owned().map_err(|error| error.to_string())?;
    let stream = UnixStream::from(socket);
    stream.set_read_timeout(Some(PATIENCE)).map_err(|error| error.to_string())?;
    body(cx, &mut Wire(stream));
    Ok(())
}
