// The plain kernels that this project's are held against.
#include <cuda_p2p/kernel.cuh>

#include "../../raw/rounds.cuh"
