//! Copies and fills.

use cuda_p2p::{DeviceBuffer, Result};

use super::{DONE, Real, present, present_mut, slice, slice_mut};
use crate::action::{Action, Part};
use crate::answer::Answer;
use crate::pattern::pattern;

impl Real<'_> {
    pub(super) fn copy(&mut self, action: &Action) -> Result<Answer> {
        let Self { buffers, pinned, streams, .. } = self;
        let stream = |number: &usize| present(streams, *number);
        match action {
            Action::Upload { to, stream: on, bytes, seed } => {
                let destination = slice_mut(present_mut(buffers, to.buffer), to)?;
                stream(on).copy_from_host(destination, &pattern(*seed, *bytes))?;
            }
            Action::Download { from, stream: on, bytes } => {
                // Other bytes than any that are expected, mostly.
                let mut found = vec![0xee; *bytes];
                stream(on).copy_to_host(slice(present(buffers, from.buffer), from)?, &mut found)?;
                return Ok(Answer::Bytes(found));
            }
            Action::ReadAll { buffer } => return Ok(Answer::Bytes(present(buffers, *buffer).to_vec()?)),
            Action::FromPinned { to, stream: on, pinned: number } => {
                let destination = slice_mut(present_mut(buffers, to.buffer), to)?;
                stream(on).copy_from_pinned_async(destination, present(pinned, *number))?;
            }
            Action::ToPinned { from, stream: on, pinned: number } => {
                let source = slice(present(buffers, from.buffer), from)?;
                stream(on).copy_to_pinned_async(source, present_mut(pinned, *number))?;
            }
            Action::FillBytes { to, stream: on, value } => {
                stream(on).fill_bytes_async(slice_mut(present_mut(buffers, to.buffer), to)?, *value)?;
            }
            Action::Copy { to, from, stream: on } => {
                let stream = stream(on);
                with_two(buffers, to, from, |to_buffer, from_buffer| {
                    stream.copy_async(slice_mut(to_buffer, to)?, slice(from_buffer, from)?)
                })?;
            }
            Action::CopyWithin { buffer, middle, bytes, stream: on } => {
                let (before, mut after) =
                    present_mut(buffers, *buffer).as_slice_mut().split_at_mut(*middle)?;
                stream(on).copy_async(after.slice_mut(..*bytes)?, before.slice(..*bytes)?)?;
            }
            Action::CopyPeer { to, from, stream: on, route } => {
                let stream = stream(on);
                return with_two(buffers, to, from, |to_buffer, from_buffer| {
                    stream.copy_peer_async_by(*route, slice_mut(to_buffer, to)?, slice(from_buffer, from)?)
                })
                .map(Answer::Path);
            }
            _ => unreachable!("an action of another file"),
        }
        DONE
    }
}

/// Lends two buffers, the first to be written to. They are not the same.
pub(super) fn with_two<R>(
    buffers: &mut [Option<DeviceBuffer<u8>>],
    to: &Part,
    from: &Part,
    body: impl FnOnce(&mut DeviceBuffer<u8>, &DeviceBuffer<u8>) -> R,
) -> R {
    let mut destination = buffers[to.buffer].take().expect("a buffer in the slot");
    let answer = body(&mut destination, present(buffers, from.buffer));
    buffers[to.buffer] = Some(destination);
    answer
}
