// A C++ program that owns streams, events and device memory, and has Rust work on these very objects.
//
// Device 0 is the one that accesses, device 1 the one whose memory it is. First Rust copies memory of device 0 to memory of
// device 1; then a kernel of Rust's, on device 0, writes to memory of device 1. Each time this program reads what is there:
// by kernels of its own on both devices (on device 0 through the peer pointer), and on the host.

#include <cstdio>
#include <vector>

#include "numbers.h"
#include "owner.h"
#include "peer_embed.h"

namespace {

constexpr std::size_t count = (8u << 20) + 5;
constexpr std::size_t bytes = count * sizeof(std::uint32_t);

int failures = 0;

void report(const char *what, std::size_t wrong)
{
    std::printf("%-62s %s\n", what, wrong == 0 ? "ok" : "WRONG");
    failures += wrong != 0;
}

#if OWN_KERNELS
// Counts the wrong numbers at `memory` by a kernel on `device`.
void read_by_kernel(const char *what, int device, cudaStream_t stream, const std::uint32_t *memory, std::uint32_t seed)
{
    MUST(cudaSetDevice(device));
    Memory wrong;
    MUST(cudaMalloc(&wrong.handle, sizeof(unsigned)));
    auto *place = static_cast<unsigned *>(wrong.handle);
    MUST(cudaMemsetAsync(place, 0, sizeof *place, stream));
    MUST(count_wrong(memory, count, seed, place, stream));
    unsigned found = 1;
    MUST(cudaMemcpyAsync(&found, place, sizeof found, cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamSynchronize(stream));
    report(what, found);
}
#endif

void read_on_host(const char *what, cudaStream_t stream, const void *memory, std::uint32_t seed)
{
    std::vector<std::uint32_t> numbers(count);
    MUST(cudaMemcpyAsync(numbers.data(), memory, bytes, cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamSynchronize(stream));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; i++)
        wrong += numbers[i] != number(i, seed);
    report(what, wrong);
}

// Fills the program's memory of device 0, in `stream`.
void fill(Memory &memory, cudaStream_t stream, std::uint32_t seed)
{
#if OWN_KERNELS
    MUST(write_numbers(static_cast<std::uint32_t *>(memory.handle), count, seed, stream));
#else
    std::vector<std::uint32_t> numbers(count);
    for (std::size_t i = 0; i < count; i++)
        numbers[i] = number(i, seed);
    MUST(cudaMemcpyAsync(memory, numbers.data(), bytes, cudaMemcpyHostToDevice, stream));
    MUST(cudaStreamSynchronize(stream));
#endif
}

bool ok(const char *call, PeerStatus status)
{
    if (status == PEER_STATUS_SUCCESS)
        return true;
    std::fprintf(stderr, "%s: %s\n", call, peer_last_error());
    return false;
}

} // namespace

int main()
{
    int devices = 0;
    MUST(cudaGetDeviceCount(&devices));
    if (devices < 2) {
        std::fprintf(stderr, "two devices are needed, and there are %d\n", devices);
        return 1;
    }

    // All of this is the program's, to the end of main.
    Stream stream0, stream1;
    Event written0, read1;
    Memory memory0, memory1;
    MUST(cudaSetDevice(1));
    MUST(cudaStreamCreateWithFlags(&stream1.handle, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&read1.handle, cudaEventDisableTiming));
    MUST(cudaMalloc(&memory1.handle, bytes));
    MUST(cudaSetDevice(0));
    MUST(cudaStreamCreateWithFlags(&stream0.handle, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&written0.handle, cudaEventDisableTiming));
    MUST(cudaMalloc(&memory0.handle, bytes));
    auto *numbers1 = static_cast<std::uint32_t *>(memory1.handle);
    auto *bytes0 = static_cast<std::uint8_t *>(memory0.handle), *bytes1 = static_cast<std::uint8_t *>(memory1.handle);

    PeerLink *link = nullptr;
    if (!ok("peer_link_open", peer_link_open(0, 1, &link)))
        return 1;

    // Rust copies in this program's stream; this program's event orders the other device's stream behind it.
    fill(memory0, stream0, 11);
    if (!ok("peer_link_send", peer_link_send(link, stream0, bytes1, bytes0, bytes)))
        return 1;
    MUST(cudaEventRecord(written0, stream0));
    MUST(cudaStreamWaitEvent(stream1, written0, 0));
    read_on_host("Rust's copy, read on the host", stream1, memory1, 11);
#if OWN_KERNELS
    read_by_kernel("Rust's copy, read by a C++ kernel of the owner", 1, stream1, numbers1, 11);
    read_by_kernel("Rust's copy, read by a C++ kernel of the accessor", 0, stream0, numbers1, 11);
#endif

    // A kernel of Rust's writes over that, in this program's stream, behind one event of it, and records the other.
    MUST(cudaSetDevice(1));
    MUST(cudaEventRecord(read1, stream1));
    MUST(cudaSetDevice(0));
    switch (peer_link_write(link, stream0, read1, written0, numbers1, count, 23)) {
    case PEER_STATUS_SUCCESS:
        MUST(cudaStreamWaitEvent(stream1, written0, 0));
        read_on_host("Rust's kernel, read on the host", stream1, memory1, 23);
#if OWN_KERNELS
        read_by_kernel("Rust's kernel, read by a C++ kernel of the owner", 1, stream1, numbers1, 23);
        read_by_kernel("Rust's kernel, read by a C++ kernel of the accessor", 0, stream0, numbers1, 23);
#endif
        break;
    case PEER_STATUS_NO_KERNEL:
        std::printf("%-62s skipped: %s\n", "Rust's kernel", peer_last_error());
        break;
    default:
        std::fprintf(stderr, "peer_link_write: %s\n", peer_last_error());
        failures++;
    }

    // Rust gives back what is its own. What is this program's is as it was, and works.
    failures += !ok("peer_link_close", peer_link_close(link));
    MUST(cudaSetDevice(0));
    MUST(cudaStreamSynchronize(stream0));
    MUST(cudaStreamSynchronize(stream1));
    MUST(cudaEventQuery(written0));
    MUST(cudaMemsetAsync(memory0, 0, bytes, stream0));
    MUST(cudaMemcpyPeerAsync(memory1, 1, memory0, 0, bytes, stream0));
    MUST(cudaStreamSynchronize(stream0));
    MUST(cudaGetLastError());
    report("the program's own objects after Rust has gone", 0);
    return failures != 0;
}
