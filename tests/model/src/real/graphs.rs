//! Graphs.

use cuda_p2p::Result;

use super::copies::with_two;
use super::{DONE, Real, present, slice, slice_mut};
use crate::action::Action;
use crate::answer::Answer;

impl Real<'_> {
    pub(super) fn graph(&mut self, action: &Action) -> Result<Answer> {
        let Self { buffers, graphs, streams, .. } = self;
        match action {
            Action::Capture { graph, to, from, fill, stream, value } => {
                let stream = present(streams, *stream);
                let mut path = None;
                let captured = with_two(buffers, to, from, |to_buffer, from_buffer| {
                    stream.capture(|_| {
                        let copied =
                            stream.copy_peer_async(slice_mut(to_buffer, to)?, slice(from_buffer, from)?)?;
                        path = Some(copied);
                        stream.fill_bytes_async(slice_mut(to_buffer, fill)?, *value)
                    })
                })?;
                graphs[*graph] = Some(captured.instantiate()?);
                return Ok(path.map_or(Answer::Done, Answer::Path));
            }
            Action::LaunchGraph { graph, stream } => {
                present(graphs, *graph).launch(present(streams, *stream))?;
            }
            Action::DropGraph { graph } => graphs[*graph] = None,
            _ => unreachable!("an action of another file"),
        }
        DONE
    }
}
