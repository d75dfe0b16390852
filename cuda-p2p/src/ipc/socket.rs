//! One message over a Unix socket: a length, the bytes, and descriptors of the system's that go along.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

use crate::error::{IpcError, Result};

/// Most bytes of a message: descriptors are shorter.
const LONGEST: usize = 8192;

/// Sends the bytes, and duplicates of `along`, of which there are one or two.
pub(super) fn send(socket: &UnixStream, bytes: &[u8], along: &[BorrowedFd<'_>]) -> Result<()> {
    try_send(socket, bytes, along)
        .map_err(|error| IpcError::Socket { what: "sending to", problem: error.to_string() }.into())
}

/// What the other side sent: the bytes, and one or two descriptors.
pub(super) fn receive(socket: &UnixStream) -> Result<(Vec<u8>, OwnedFd, Option<OwnedFd>)> {
    try_receive(socket)
        .map_err(|error| IpcError::Socket { what: "receiving from", problem: error.to_string() }.into())
}

fn try_send(mut socket: &UnixStream, bytes: &[u8], along: &[BorrowedFd<'_>]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).ok().filter(|length| *length as usize <= LONGEST);
    let message = [&length.ok_or(io::ErrorKind::InvalidInput)?.to_le_bytes()[..], bytes].concat();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(along)) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    let sent = loop {
        match sendmsg(socket.as_fd(), &[IoSlice::new(&message)], &mut control, SendFlags::NOSIGNAL) {
            Err(rustix::io::Errno::INTR) => {}
            outcome => break outcome?,
        }
    };
    // The descriptor went with the first byte.
    socket.write_all(&message[sent..])
}

fn try_receive(mut socket: &UnixStream) -> io::Result<(Vec<u8>, OwnedFd, Option<OwnedFd>)> {
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        let place = &mut [IoSliceMut::new(&mut length)];
        match recvmsg(socket.as_fd(), place, &mut control, RecvFlags::CMSG_CLOEXEC) {
            Err(rustix::io::Errno::INTR) => {}
            outcome => break outcome?.bytes,
        }
    };
    if received == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut along = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            along.extend(descriptors);
        }
    }
    let mut along = along.into_iter();
    let first = along.next();
    socket.read_exact(&mut length[received..])?;
    let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
    let first = first.filter(|_| length <= LONGEST).ok_or(io::ErrorKind::InvalidData)?;
    let mut bytes = vec![0; length];
    socket.read_exact(&mut bytes)?;
    Ok((bytes, first, along.next()))
}
