//! A field of `cudaMemPoolProps` that came with CUDA 12.2, under one name for every release.

use crate::cudaMemPoolProps;

impl cudaMemPoolProps {
    /// Sets the most bytes that the pool may take, 0 for as many as there are. False, and nothing is done, if these headers have no
    /// such field (before 12.2).
    pub const fn set_max_size(&mut self, bytes: usize) -> bool {
        #[cfg(cuda_mem_pool_has_max_size)]
        {
            self.maxSize = bytes;
            true
        }
        #[cfg(not(cuda_mem_pool_has_max_size))]
        {
            let _ = (self, bytes);
            false
        }
    }

    /// The most bytes that the pool may take; 0 for as many as there are, and always so where these headers have no such field.
    pub const fn max_size(&self) -> usize {
        #[cfg(cuda_mem_pool_has_max_size)]
        {
            self.maxSize
        }
        #[cfg(not(cuda_mem_pool_has_max_size))]
        {
            0
        }
    }
}
