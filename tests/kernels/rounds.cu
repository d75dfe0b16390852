#include <cuda_p2p/kernel.cuh>

namespace {

// A delay that looks random: none, or up to some microseconds.
__device__ void delay(uint32_t &state) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    for (uint32_t i = state % 4 == 0 ? state / 4 % 64 : 0; i > 0; i--)
        cuda_p2p::spin_hint();
}

// Waits until `*flag` is `round`; false once `timeout_ns` are over, or if it is past it.
__device__ bool wait_for(const uint32_t *flag, uint32_t round, uint64_t timeout_ns) {
    const uint64_t start = cuda_p2p::global_timer_ns();
    for (;;) {
        const uint32_t seen = cuda_p2p::load_acquire_system(flag);
        if (seen >= round)
            return seen == round;
        if (cuda_p2p::global_timer_ns() - start > timeout_ns)
            return false;
        cuda_p2p::spin_hint();
    }
}

// What round `round` carries: another number for each, and for each word.
__device__ uint32_t payload(uint32_t round, uint32_t word) {
    return round * 2654435761u + word * 40503u;
}

} // namespace

// What a side ends with.
struct test_rounds_result {
    uint32_t played; // rounds that came to their end
    uint32_t wrong;  // words that were not those of their round
    uint64_t sum;    // of all words that were read
};

// The side that sends: writes eight words into the other's memory by plain stores, raises its flag to the round, and waits
// until the other has read them.
extern "C" __global__ void test_rounds_send(uint32_t *their_words, uint32_t *their_flag, const uint32_t *read,
                                            uint32_t rounds, uint32_t seed, uint64_t timeout_ns,
                                            test_rounds_result *result) {
    uint32_t state = seed;
    for (uint32_t round = 1; round <= rounds; round++) {
        delay(state);
        for (uint32_t word = 0; word < 8; word++)
            their_words[word] = payload(round, word);
        cuda_p2p::store_release_system(their_flag, round);
        if (!wait_for(read, round, timeout_ns))
            return;
        result->played = round;
    }
}

// The side that receives: waits for the flag of each round, reads the words by plain loads, and says that it has them.
extern "C" __global__ void test_rounds_receive(const uint32_t *words, const uint32_t *flag, uint32_t *their_read,
                                               uint32_t rounds, uint32_t seed, uint64_t timeout_ns,
                                               test_rounds_result *result) {
    uint32_t state = seed, wrong = 0;
    uint64_t sum = 0;
    for (uint32_t round = 1; round <= rounds; round++) {
        if (!wait_for(flag, round, timeout_ns))
            break;
        delay(state);
        for (uint32_t word = 0; word < 8; word++) {
            const uint32_t seen = words[word];
            wrong += seen != payload(round, word);
            sum += seen;
        }
        cuda_p2p::store_release_system(their_read, round);
        result->played = round;
    }
    result->wrong = wrong;
    result->sum = sum;
}
