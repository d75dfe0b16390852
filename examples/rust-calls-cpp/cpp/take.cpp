#include "take.h"

cudaError_t take_from_peer(cudaStream_t stream, float *ours, const float *theirs, std::size_t count)
{
    return cudaMemcpyAsync(ours, theirs, count * sizeof *ours, cudaMemcpyDefault, stream);
}
