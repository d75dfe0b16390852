//! Graphs.

use cuda_p2p::Result;

use super::copies::with_two;
use super::{DONE, Real, present, present_mut, slice, slice_mut};
use crate::action::{Action, Host};
use crate::answer::Answer;

impl Real<'_> {
    pub(super) fn graph(&mut self, action: &Action) -> Result<Answer> {
        let Self { buffers, pinned, graphs, streams, .. } = self;
        match action {
            Action::Capture { graph, up, to, from, fill, down, stream, value } => {
                let stream = present(streams, *stream);
                let mut path = None;
                let captured = with_two(buffers, to, from, |to_buffer, from_buffer| {
                    stream.capture(|_| {
                        if let Some(up) = up {
                            let source = present(pinned, up.pinned);
                            stream.copy_from_pinned_async(slice_mut(to_buffer, &up.part)?, source)?;
                        }
                        let copied =
                            stream.copy_peer_async(slice_mut(to_buffer, to)?, slice(from_buffer, from)?)?;
                        path = Some(copied);
                        stream.fill_bytes_async(slice_mut(to_buffer, fill)?, *value)?;
                        let Some(down) = down else { return Ok(()) };
                        let destination = present_mut(pinned, down.pinned);
                        stream.copy_to_pinned_async(slice(to_buffer, &down.part)?, destination)
                    })
                })?;
                graphs[*graph] = Some(captured.instantiate()?);
                return Ok(path.map_or(Answer::Done, Answer::Path));
            }
            Action::LaunchGraph { graph, stream, host } => {
                let (graph, stream) = (present(graphs, *graph), present(streams, *stream));
                match host {
                    Some(Host { pinned: number, writes: true }) => {
                        let _written = present_mut(pinned, *number).write()?;
                        graph.launch(stream)?;
                    }
                    Some(Host { pinned: number, writes: false }) => {
                        let _read = present(pinned, *number).read()?;
                        graph.launch(stream)?;
                    }
                    None => graph.launch(stream)?,
                }
            }
            Action::DropGraph { graph } => graphs[*graph] = None,
            _ => unreachable!("an action of another file"),
        }
        DONE
    }
}
