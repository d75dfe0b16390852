//! Launches.

use cuda_p2p::bytemuck::Pod;
use cuda_p2p::{DeviceBuffer, KernelSlice, KernelSliceMut, LaunchConfig, PeerAccess, Result, Stream};

use super::copies::with_two;
use super::{DONE, Real, present, present_mut, slice, slice_mut};
use crate::action::{Kernel, Shape, View};
use crate::answer::Answer;
use crate::world::World;

/// What every launch takes.
struct Launch<'l> {
    world: &'l World,
    tokens: &'l [Option<PeerAccess>],
    stream: &'l Stream,
    config: LaunchConfig,
}

impl Real<'_> {
    pub(super) fn launch(
        &mut self,
        kernel: Kernel,
        to: &View,
        from: Option<&View>,
        stream: usize,
        shape: Shape,
    ) -> Result<Answer> {
        let launch = Launch {
            world: self.world,
            tokens: &self.tokens,
            stream: present(&self.streams, stream),
            config: LaunchConfig::new(shape.blocks, shape.threads),
        };
        match from {
            None => launch.with_one(kernel, to, present_mut(&mut self.buffers, to.part.buffer))?,
            Some(from) => with_two(&mut self.buffers, &to.part, &from.part, |to_buffer, from_buffer| {
                launch.with_two(kernel, (to, to_buffer), (from, from_buffer))
            })?,
        }
        DONE
    }
}

impl Launch<'_> {
    fn with_one(&self, kernel: Kernel, to: &View, buffer: &mut DeviceBuffer<u8>) -> Result<()> {
        let World { kernels, counting, .. } = self.world;
        let (stream, config) = (self.stream, self.config);
        match kernel {
            Kernel::Fill { amount, seed } => {
                kernels.fill(stream, config, self.view_mut::<u8>(to, buffer)?, amount, seed)
            }
            Kernel::Store { value, ns } => {
                kernels.delayed_store(stream, config, self.view_mut::<u32>(to, buffer)?, value, ns)
            }
            Kernel::Count { times } => {
                let words = slice_mut(buffer, &to.part)?.cast::<u32>()?;
                let access = present(self.tokens, to.token.expect("it counts in a peer's memory"));
                counting.count(stream, config, access.slice_atomic(words)?, times)
            }
            Kernel::CountHere { times } => {
                counting.count_here(stream, config, slice_mut(buffer, &to.part)?.cast::<u32>()?, times)
            }
            Kernel::Copy { .. } | Kernel::Fetch { .. } | Kernel::Add { .. } => {
                unreachable!("kernels of two buffers")
            }
        }
    }

    fn with_two(
        &self,
        kernel: Kernel,
        (to, to_buffer): (&View, &mut DeviceBuffer<u8>),
        (from, from_buffer): (&View, &DeviceBuffer<u8>),
    ) -> Result<()> {
        let kernels = &self.world.kernels;
        let (stream, config) = (self.stream, self.config);
        match kernel {
            Kernel::Copy { amount } => {
                let to = self.view_mut::<u8>(to, to_buffer)?;
                kernels.copy(stream, config, to, self.view::<u8>(from, from_buffer)?, amount)
            }
            Kernel::Add { amount } => {
                let to = self.view_mut::<f32>(to, to_buffer)?;
                kernels.add_f32(stream, config, to, self.view::<f32>(from, from_buffer)?, amount)
            }
            Kernel::Fetch { amount } => {
                let to = slice_mut(to_buffer, &to.part)?;
                let access = present(self.tokens, from.token.expect("it fetches from a peer"));
                kernels.fetch(stream, config, to, access.slice(slice(from_buffer, &from.part)?)?, amount)
            }
            _ => unreachable!("kernels of one buffer"),
        }
    }

    fn view<'b, T: Pod>(&'b self, view: &View, buffer: &'b DeviceBuffer<u8>) -> Result<KernelSlice<'b, T>> {
        let memory = slice(buffer, &view.part)?.cast()?;
        Ok(match view.token {
            Some(token) => KernelSlice::Peer(present(self.tokens, token).slice(memory)?),
            None => KernelSlice::Device(memory),
        })
    }

    fn view_mut<'b, T: Pod>(
        &'b self,
        view: &View,
        buffer: &'b mut DeviceBuffer<u8>,
    ) -> Result<KernelSliceMut<'b, T>> {
        let memory = slice_mut(buffer, &view.part)?.cast()?;
        Ok(match view.token {
            Some(token) => KernelSliceMut::Peer(present(self.tokens, token).slice_mut(memory)?),
            None => KernelSliceMut::Device(memory),
        })
    }
}
