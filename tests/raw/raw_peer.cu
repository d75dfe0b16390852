// What a few lines of C++ reach with cudaMemcpyPeerAsync and two plain kernels: what this project's figures are held against.
//
//     raw_peer [BYTES [SAMPLES]]
//
// Prints a line for each measurement of each ordered pair that has access both ways: its name as `cuda-p2p bench --json` has it,
// accessor, owner, bytes of each copy, median, lowest, highest. Large copies (BYTES each) in GB/s, both directions together; small
// ones in us, flags and calls in ns. Streams are held back until all work of a sample is queued, as `bench` does. Copies are
// queued on a stream of the accessor: "read" fetches from the owner, "write" sends to it.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include <cuda_runtime.h>

#include "rounds.cuh"

#define CHECK(call)                                                                                                     \
    do {                                                                                                                \
        const cudaError_t status = (call);                                                                              \
        if (status != cudaSuccess) {                                                                                    \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status));                  \
            exit(1);                                                                                                    \
        }                                                                                                               \
    } while (0)

namespace {

const int kSmall[] = {4, 16, 64, 1 << 10, 4 << 10, 16 << 10, 64 << 10};
const int kSmallCopies = 200;
const int kCalls = 32;
// A flag's time depends on where in the cache it lies: each sample is the mean over many places, so many words apart.
const uint32_t kRounds = 200;
const int kPlaces = 32, kAllPlaces = 480, kApart = 17 * 32;
// How long games are played before any counts: they become faster in the first tenths of a second.
const std::chrono::milliseconds kWarm(500);
// Each small copy of a sample has a place of its own too, so many bytes from the one before.
const size_t kCopyApart = 17 * 128;
const uint64_t kBoundNs = 5000000000;

__device__ uint64_t now_ns() {
    uint64_t ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns;
}

// Holds its stream back until the host sets the flag.
__global__ void hold(volatile int *go) {
    const uint64_t start = now_ns();
    while (!*go && now_ns() - start < kBoundNs) {
    }
}

// Counts the words that are not `expected`.
__global__ void count_wrong(const uint32_t *words, size_t count, uint32_t expected, unsigned long long *wrong) {
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
        if (words[i] != expected)
            atomicAdd(wrong, 1ull);
}

struct Side {
    int device;
    cudaStream_t stream;
    uint8_t *source, *destination;
    uint32_t *flags;
};

struct Lab {
    Side accessor, owner;
    size_t bytes;
    int samples;
    int *go;
};

Side open_side(int device, int peer, size_t bytes) {
    Side side = {device};
    CHECK(cudaSetDevice(device));
    CHECK(cudaDeviceEnablePeerAccess(peer, 0));
    CHECK(cudaStreamCreateWithFlags(&side.stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&side.source, bytes));
    CHECK(cudaMalloc(&side.destination, bytes));
    CHECK(cudaMalloc(&side.flags, sizeof(uint32_t) * kApart * kAllPlaces));
    CHECK(cudaMemset(side.source, 0x40 + device, bytes));
    return side;
}

void close_side(const Side &side, int peer) {
    CHECK(cudaSetDevice(side.device));
    CHECK(cudaFree(side.source));
    CHECK(cudaFree(side.destination));
    CHECK(cudaFree(side.flags));
    CHECK(cudaStreamDestroy(side.stream));
    CHECK(cudaDeviceDisablePeerAccess(peer));
}

// Seconds from the start of what `queue` puts into the streams to the end of all of it.
double timed(const Lab &lab, bool both, const std::function<void()> &queue) {
    const cudaStream_t first = lab.accessor.stream, second = lab.owner.stream;
    cudaEvent_t start, end, done;
    CHECK(cudaSetDevice(lab.owner.device));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CHECK(cudaSetDevice(lab.accessor.device));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    *lab.go = 0;
    hold<<<1, 1, 0, first>>>(lab.go);
    CHECK(cudaEventRecord(start, first));
    if (both)
        CHECK(cudaStreamWaitEvent(second, start));
    queue();
    if (both) {
        CHECK(cudaEventRecord(done, second));
        CHECK(cudaStreamWaitEvent(first, done));
    }
    CHECK(cudaEventRecord(end, first));
    *reinterpret_cast<volatile int *>(lab.go) = 1;
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaGetLastError());
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, end));
    for (cudaEvent_t event : {start, end, done})
        CHECK(cudaEventDestroy(event));
    return ms / 1e3;
}

void print(const char *test, const Lab &lab, size_t bytes, std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    printf("%s %d %d %zu %.3f %.3f %.3f\n", test, lab.accessor.device, lab.owner.device, bytes, samples[(samples.size() - 1) / 2],
           samples.front(), samples.back());
    fflush(stdout);
}

// All of the bytes that `to` received from `from`, at every place; nothing counts that did not arrive.
void check(const Side &from, const Side &to, size_t bytes, size_t places) {
    unsigned long long *wrong, found;
    CHECK(cudaSetDevice(to.device));
    CHECK(cudaMalloc(&wrong, sizeof *wrong));
    CHECK(cudaMemset(wrong, 0, sizeof *wrong));
    for (size_t place = 0; place < places; place++)
        count_wrong<<<256, 256>>>(reinterpret_cast<uint32_t *>(to.destination + place * kCopyApart), bytes / 4,
                                  0x01010101u * (0x40 + from.device), wrong);
    CHECK(cudaMemcpy(&found, wrong, sizeof found, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(wrong));
    if (found) {
        fprintf(stderr, "raw_peer: %llu words did not arrive\n", found);
        exit(1);
    }
}

void send(const Side &from, const Side &to, size_t bytes, cudaStream_t stream, size_t at = 0) {
    CHECK(cudaMemcpyPeerAsync(to.destination + at, to.device, from.source + at, from.device, bytes, stream));
}

void clear(const Lab &lab) {
    for (const Side *side : {&lab.accessor, &lab.owner}) {
        CHECK(cudaSetDevice(side->device));
        CHECK(cudaMemset(side->destination, 0, lab.bytes));
        CHECK(cudaDeviceSynchronize());
    }
}

// Large and small copies: `test` names a reading, a writing, or both ways.
void copies(const Lab &lab, const char *test, size_t bytes, int count, bool reads, bool writes, bool each) {
    const size_t places = each ? std::min<size_t>(count, (lab.bytes - bytes) / kCopyApart + 1) : 1;
    const auto queue = [&] {
        for (int i = 0; i < count; i++) {
            const size_t at = i % places * kCopyApart;
            if (writes)
                send(lab.accessor, lab.owner, bytes, lab.accessor.stream, at);
            if (reads)
                send(lab.owner, lab.accessor, bytes, writes ? lab.owner.stream : lab.accessor.stream, at);
        }
    };
    clear(lab);
    timed(lab, reads && writes, queue);
    std::vector<double> samples;
    for (int i = 0; i < lab.samples; i++) {
        const double seconds = timed(lab, reads && writes, queue);
        samples.push_back(each ? seconds * 1e6 / count : double(reads + writes) * count * bytes / seconds / 1e9);
    }
    if (writes)
        check(lab.accessor, lab.owner, bytes, places);
    if (reads)
        check(lab.owner, lab.accessor, bytes, places);
    print(test, lab, bytes, samples);
}

// Flags: the difference between a long and a short game, so that launches are not in it.
template <typename Kernel> void flags(const Lab &lab, const char *test, Kernel kernel) {
    const auto play = [&](uint32_t rounds, int place) {
        uint32_t *const first = lab.accessor.flags + place * kApart, *const second = lab.owner.flags + place * kApart;
        for (uint32_t *flag : {first, second})
            CHECK(cudaMemset(flag, 0, sizeof(uint32_t)));
        for (const Side *side : {&lab.accessor, &lab.owner}) {
            CHECK(cudaSetDevice(side->device));
            CHECK(cudaDeviceSynchronize());
        }
        const double seconds = timed(lab, true, [&] {
            CHECK(cudaSetDevice(lab.accessor.device));
            kernel<<<1, 1, 0, lab.accessor.stream>>>(first, second, rounds, 1);
            CHECK(cudaSetDevice(lab.owner.device));
            kernel<<<1, 1, 0, lab.owner.stream>>>(second, first, rounds, 0);
        });
        return seconds * 1e9;
    };
    play(1, 0);
    for (const auto start = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - start < kWarm;)
        play(kRounds, 0);
    std::vector<double> samples;
    for (int i = 0; i < lab.samples; i++) {
        double sum = 0;
        for (int k = 0; k < kPlaces; k++) {
            const int place = (i * kPlaces + k) % kAllPlaces;
            const double longer = play(2 * kRounds, place);
            sum += (longer - play(kRounds, place)) / kRounds;
        }
        samples.push_back(sum / kPlaces);
    }
    print(test, lab, 0, samples);
}

// The host's time for a call, on an idle device.
void issue(const Lab &lab) {
    CHECK(cudaSetDevice(lab.accessor.device));
    std::vector<double> samples;
    for (int i = 0; i <= 10 * lab.samples; i++) {
        CHECK(cudaStreamSynchronize(lab.accessor.stream));
        const auto start = std::chrono::steady_clock::now();
        for (int call = 0; call < kCalls; call++)
            send(lab.owner, lab.accessor, 4, lab.accessor.stream);
        samples.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / kCalls);
    }
    samples.erase(samples.begin());
    print("issue_copy", lab, 0, samples);
}

void measure(const Lab &lab) {
    const int count = int(std::min<size_t>(64, std::max<size_t>(1, (size_t(2) << 30) / lab.bytes)));
    copies(lab, "engine_read", lab.bytes, count, true, false, false);
    copies(lab, "engine_write", lab.bytes, count, false, true, false);
    copies(lab, "engine_both", lab.bytes, count, true, true, false);
    flags(lab, "flag_round_trip", rounds_plain);
    flags(lab, "flag_ordered", rounds_ordered);
    issue(lab);
    for (int bytes : kSmall) {
        copies(lab, "small_engine_write", bytes, kSmallCopies, false, true, true);
        copies(lab, "small_engine_read", bytes, kSmallCopies, true, false, true);
    }
}

} // namespace

int main(int argc, char **argv) {
    const size_t bytes = argc > 1 ? strtoull(argv[1], nullptr, 10) : size_t(512) << 20;
    const int samples = argc > 2 ? atoi(argv[2]) : 7;
    if (argc > 3 || bytes < (64 << 10) || bytes % 4 || samples < 1) {
        fprintf(stderr, "usage: raw_peer [BYTES [SAMPLES]]: at least 64 KiB, whole words, and one sample\n");
        return 2;
    }
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    int *go;
    CHECK(cudaHostAlloc(&go, sizeof *go, cudaHostAllocPortable));
    printf("# test accessor owner bytes median low high\n");
    for (int accessor = 0; accessor < devices; accessor++) {
        for (int owner = 0; owner < devices; owner++) {
            int there = 0, back = 0;
            if (accessor != owner) {
                CHECK(cudaDeviceCanAccessPeer(&there, accessor, owner));
                CHECK(cudaDeviceCanAccessPeer(&back, owner, accessor));
            }
            if (!there || !back)
                continue;
            const Lab lab = {open_side(accessor, owner, bytes), open_side(owner, accessor, bytes), bytes, samples, go};
            measure(lab);
            close_side(lab.accessor, owner);
            close_side(lab.owner, accessor);
        }
    }
    return 0;
}
