//! Kernels of two devices that talk to each other for very many rounds, with delays that look random: each round must carry
//! its own words, and the last state must be exact.

use std::ffi::c_void;

use cuda_p2p_sys::{cudaStream_t, cudaStreamNonBlocking};

use crate::arm::Arm;
use crate::case::{Case, case};
use crate::context::{Cx, answers};
use crate::driver::Launch;
use crate::needs::{ONE, PEERS};
use crate::test_kernels::parameters;

pub(super) const CASES: &[Case] = &[
    case!(ping_pong_of_two_devices, PEERS.kernels()),
    case!(ping_pong_through_the_memory_of_one, PEERS.kernels()),
    case!(ping_pong_of_two_streams, ONE.kernels()),
    case!(words_behind_flags_of_a_peer, PEERS.kernels()),
    case!(words_behind_flags_the_other_way, PEERS.kernels()),
    case!(words_and_flags_in_the_senders_memory, PEERS.kernels()),
    case!(words_behind_flags_both_ways_at_once, PEERS.kernels()),
];

/// Bounds one wait of a kernel; the kill time of the case bounds the rest.
const TIMEOUT_NS: u64 = 5_000_000_000;

/// How many rounds are played, unless `CUDA_P2P_TEST_ROUNDS` says otherwise: under a tool, or for a longer soak.
fn rounds(cx: &Cx) -> u32 {
    let usual = match cx.arm {
        Arm::Real => 100_000,
        // A round takes some hundred times as long.
        Arm::Simulator => 400,
    };
    match std::env::var("CUDA_P2P_TEST_ROUNDS") {
        Ok(text) => text.parse().expect("CUDA_P2P_TEST_ROUNDS is a number of rounds"),
        Err(_) => usual,
    }
}

/// A stream of each device, and the peers' access to each other.
fn pair(cx: &Cx) -> [cudaStream_t; 2] {
    cx.enable(0, 1);
    cx.enable(1, 0);
    [cx.stream(0, cudaStreamNonBlocking), cx.stream(1, cudaStreamNonBlocking)]
}

/// One side of `cuda_p2p_ping_pong`. Not in the transcript: the number of rounds differs between the arms.
fn play(
    cx: &Cx,
    stream: cudaStream_t,
    mut mine: *mut c_void,
    mut theirs: *mut c_void,
    mut side: u32,
    mut status: *mut c_void,
) {
    let (mut rounds, mut timeout_ns) = (rounds(cx), TIMEOUT_NS);
    let kernel = cx.kernel(c"cuda_p2p_ping_pong");
    let mut arguments = parameters![mine, theirs, rounds, side, timeout_ns, status];
    cx.launch_unrecorded(kernel, &Launch::one(&mut arguments, stream));
}

/// Both flags stand at the last round, and neither side ran out of time.
fn played(cx: &Cx, flags: [(i32, *mut c_void); 2], statuses: [(i32, *mut c_void); 2]) {
    let at_the_end = flags.iter().all(|&(device, flag)| cx.read_word(device, flag) == rounds(cx));
    let [first, second] = statuses.map(|(device, status)| cx.read_word(device, status));
    cx.holds("both flags stand at the last round", at_the_end);
    cx.value("the sides' statuses", (first, second), (0, 0));
}

const UNSET: u32 = 0xFFFF_FFFF;

/// Each waits on its own memory.
fn ping_pong_of_two_devices(cx: &Cx) {
    let [ours, theirs] = pair(cx);
    let (flag_0, flag_1) = (cx.word(0, 0), cx.word(1, 0));
    let (status_0, status_1) = (cx.word(0, UNSET), cx.word(1, UNSET));
    cx.on(1, || play(cx, theirs, flag_1, flag_0, 1, status_1));
    play(cx, ours, flag_0, flag_1, 0, status_0);
    answers!(cx.cudaStreamSynchronize(ours), 0);
    cx.synchronize(1);
    played(cx, [(0, flag_0), (1, flag_1)], [(0, status_0), (1, status_1)]);
}

/// Device 0 waits on memory of device 1.
fn ping_pong_through_the_memory_of_one(cx: &Cx) {
    let [ours, theirs] = pair(cx);
    let (flag_0, flag_1) = (cx.word(1, 0), cx.word(1, 0));
    let (status_0, status_1) = (cx.word(0, UNSET), cx.word(1, UNSET));
    cx.on(1, || play(cx, theirs, flag_1, flag_0, 1, status_1));
    play(cx, ours, flag_0, flag_1, 0, status_0);
    answers!(cx.cudaStreamSynchronize(ours), 0);
    cx.synchronize(1);
    played(cx, [(1, flag_0), (1, flag_1)], [(0, status_0), (1, status_1)]);
}

fn ping_pong_of_two_streams(cx: &Cx) {
    let streams = [cx.stream(0, cudaStreamNonBlocking), cx.stream(0, cudaStreamNonBlocking)];
    let (flag_0, flag_1) = (cx.word(0, 0), cx.word(0, 0));
    let (status_0, status_1) = (cx.word(0, UNSET), cx.word(0, UNSET));
    play(cx, streams[1], flag_1, flag_0, 1, status_1);
    play(cx, streams[0], flag_0, flag_1, 0, status_0);
    answers!(cx.cudaDeviceSynchronize(), 0);
    played(cx, [(0, flag_0), (0, flag_1)], [(0, status_0), (0, status_1)]);
}

/// A sender and a receiver, on different devices.
struct Talk {
    sender: i32,
    /// Eight words and a flag, which the sender writes.
    words: (i32, *mut c_void),
    flag: (i32, *mut c_void),
    /// The receiver writes it.
    read: (i32, *mut c_void),
    /// What each side ends with, in its own memory: rounds played, wrong words, sum of the words.
    sent: *mut c_void,
    received: *mut c_void,
    seed: u32,
}

impl Talk {
    /// `words_on` has the words and their flag; the receiver's answer is in the memory of the sender.
    fn new(cx: &Cx, sender: i32, words_on: i32, seed: u32) -> Self {
        let receiver = 1 - sender;
        Self {
            sender,
            words: (words_on, cx.filled(words_on, &[0xEE; 32])),
            flag: (words_on, cx.word(words_on, 0)),
            read: (sender, cx.word(sender, 0)),
            sent: cx.filled(sender, &[0; 16]),
            received: cx.filled(receiver, &[0; 16]),
            seed,
        }
    }

    /// Launches both kernels, the receiver first. `streams` are those of devices 0 and 1.
    fn start(&self, cx: &Cx, streams: [cudaStream_t; 2]) {
        let Self { sender, words: (_, mut words), flag: (_, mut flag), read: (_, mut read), .. } = *self;
        let (mut sent, mut received, mut rounds, mut timeout_ns) =
            (self.sent, self.received, rounds(cx), TIMEOUT_NS);
        let (send, receive) = (cx.test_kernel(c"test_rounds_send"), cx.test_kernel(c"test_rounds_receive"));
        let (mut seed, mut other_seed) = (self.seed, self.seed.wrapping_mul(0x9E37_79B9) | 1);
        let [first, second] = if sender == 0 { streams } else { [streams[1], streams[0]] };
        let mut arguments = parameters![words, flag, read, rounds, other_seed, timeout_ns, received];
        cx.on(1 - sender, || cx.launch_unrecorded(receive, &Launch::one(&mut arguments, second)));
        let mut arguments = parameters![words, flag, read, rounds, seed, timeout_ns, sent];
        cx.on(sender, || cx.launch_unrecorded(send, &Launch::one(&mut arguments, first)));
    }

    /// Every round arrived with its own words, and the last words still stand.
    fn verify(&self, cx: &Cx) {
        let rounds = rounds(cx);
        let sum: u64 = (1..=rounds).flat_map(words_of).map(u64::from).sum();
        let sent = cx.read(self.sender, self.sent, 16);
        let received = cx.read(1 - self.sender, self.received, 16);
        cx.holds("the sender played all rounds", sent[..4] == rounds.to_ne_bytes());
        cx.holds("the receiver played all rounds", received[..4] == rounds.to_ne_bytes());
        cx.holds("no word was one of another round", received[4..8] == [0; 4]);
        cx.holds("the sum of all words is right", received[8..] == sum.to_ne_bytes());
        let flags = [self.flag, self.read].map(|(device, flag)| cx.read_word(device, flag));
        cx.holds("both flags stand at the last round", flags == [rounds; 2]);
        let last: Vec<u8> = words_of(rounds).into_iter().flat_map(u32::to_ne_bytes).collect();
        cx.holds("the last words stand", cx.read(self.words.0, self.words.1, 32) == last);
    }
}

/// What `payload` in `kernels/rounds.cu` gives.
fn words_of(round: u32) -> [u32; 8] {
    std::array::from_fn(|word| {
        round.wrapping_mul(2_654_435_761).wrapping_add((word as u32).wrapping_mul(40_503))
    })
}

/// Plays all at once, each on streams of its own.
fn play_all(cx: &Cx, talks: &[Talk], streams: [cudaStream_t; 2]) {
    for (index, talk) in talks.iter().enumerate() {
        let own = || [cx.stream(0, cudaStreamNonBlocking), cx.stream(1, cudaStreamNonBlocking)];
        talk.start(cx, if index == 0 { streams } else { own() });
    }
    answers!(cx.cudaDeviceSynchronize(), 0);
    cx.synchronize(1);
    talks.iter().for_each(|talk| talk.verify(cx));
}

fn words_behind_flags_of_a_peer(cx: &Cx) {
    let streams = pair(cx);
    play_all(cx, &[Talk::new(cx, 0, 1, 12_345)], streams);
}

fn words_behind_flags_the_other_way(cx: &Cx) {
    let streams = pair(cx);
    play_all(cx, &[Talk::new(cx, 1, 0, 54_321)], streams);
}

/// The receiver reads over the link.
fn words_and_flags_in_the_senders_memory(cx: &Cx) {
    let streams = pair(cx);
    play_all(cx, &[Talk::new(cx, 0, 0, 777)], streams);
}

fn words_behind_flags_both_ways_at_once(cx: &Cx) {
    let streams = pair(cx);
    play_all(cx, &[Talk::new(cx, 0, 1, 99), Talk::new(cx, 1, 0, 101)], streams);
}
