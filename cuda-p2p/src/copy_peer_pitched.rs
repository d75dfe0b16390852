//! Copies of boxes between devices.

use bytemuck::Pod;

use crate::copy_path::CopyPath;
use crate::copy_peer::why_not;
use crate::error::{CaptureError, Error, Result};
use crate::links::{self, Locked};
use crate::pitched::{PitchedSlice, PitchedSliceMut};
use crate::stream::Stream;

/// What is not recorded into a graph.
const OF_A_POOL: &str = "a copy of boxes of a pool's memory between devices";

impl Stream {
    /// Copies a box of elements between two devices, and says which way. Asynchronous either way.
    ///
    /// The stream is of either device. The copy is direct under the conditions of [`copy_peer_async`](Self::copy_peer_async), at
    /// the same speed as a line of as many bytes (393 GB/s on H200 for rows of 256 bytes and longer). Otherwise it goes through
    /// the host by the driver, which packs the rows: 38 GB/s on H200, for rows of 256 bytes as for lines.
    ///
    /// C: `cudaMemcpy3DPeerAsync`, `cudaMemcpy3DPeer`, `cudaMemcpy2DAsync`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if their extents differ; [`Error::WrongDevice`](crate::Error::WrongDevice) if the
    /// stream is of a third device; [`Error::RangeNotGranted`](crate::Error::RangeNotGranted) and
    /// [`Error::NotAccessible`](crate::Error::NotAccessible) if an end is virtual memory and the stream's device does not reach both;
    /// [`Error::PoolNotGranted`](crate::Error::PoolNotGranted) if both are of pools, and neither is opened to the other's device;
    /// [`Error::StaleHandle`](crate::Error::StaleHandle); [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaMemcpy3DPeerAsync")]
    #[doc(alias = "cudaMemcpy3DPeer")]
    #[doc(alias = "cudaMemcpy2DAsync")]
    pub fn copy_peer_pitched_async<'d, 's, T: Pod>(
        &self,
        destination: impl Into<PitchedSliceMut<'d, T>>,
        source: impl Into<PitchedSlice<'s, T>>,
    ) -> Result<CopyPath> {
        let (destination, source) = (destination.into(), source.into());
        let (to, from) = (destination.device(), source.device());
        if to == from {
            // Where the memory of a range is, is another matter than who takes it as its own.
            let apart = destination.slice.view.is_virtual() || source.slice.view.is_virtual();
            self.copy_pitched_async(destination, source)?;
            return Ok(if apart { CopyPath::Direct } else { CopyPath::SameDevice });
        }
        destination.shape().check_same(&source.shape())?;
        self.check()?;
        to.check_runtime(&from, "the source")?;
        if self.device() != from {
            self.device().check_same(&to, "the destination")?;
        }
        let (to_view, from_view) = (&destination.slice.view, &source.slice.view);
        to_view.check("the device memory")?;
        from_view.check("the device memory")?;

        // Locked until the copy is in: whoever disables an access comes after it, and waits for it.
        let pairs = links::between(to, from);
        let mut access = Locked::new(pairs.into_iter());
        let mut grants = Vec::new();
        let views = [from_view, to_view];
        let direct = if views.iter().any(|view| view.is_virtual()) {
            // The driver copies virtual memory for devices that have access to it, and for no others.
            let device = self.device();
            for view in views {
                let reaches = if view.is_virtual() {
                    view.check_opened_to(&device)?;
                    true
                } else {
                    view.device() == device || access.reaches(device, view, &mut grants)?
                };
                if !reaches {
                    let (accessor, owner) = (device.ordinal(), view.device().ordinal());
                    return Err(Error::NotAccessible { accessor, owner });
                }
            }
            true
        } else {
            access.reaches(to, from_view, &mut grants)? || access.reaches(from, to_view, &mut grants)?
        };
        let (to_box, from_box) = ((to_view, destination.shape()), (from_view, source.shape()));
        self.copy_boxes::<T>(to_box, from_box, |capture| {
            if views.iter().any(|view| view.allocation.pool().is_some()) {
                return Err(CaptureError::Refused { what: OF_A_POOL }.into());
            }
            capture.note_copy(to, from);
            access.note(capture);
            Ok(())
        })?;
        access.disturb();
        drop((access, grants));
        if direct {
            return Ok(CopyPath::Direct);
        }
        Ok(CopyPath::Staged { reason: why_not(to.runtime().pair(to, from), [from_view, to_view])? })
    }
}
