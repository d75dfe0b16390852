//! The adversarial schedule: it finds a wait that is left out, respects those that are there, and repeats itself.

#[macro_use]
mod common;

use common::{D2D, Session, session};
use cuda_p2p_sim::MachineConfig;

const N: usize = 64 << 10;
const SEEDS: u64 = 60;

/// A writer on one device, a copy on the other that should wait for it, and a reader that should wait for the copy. Returns
/// the bytes that arrived.
fn pipeline(s: &Session, first_wait: bool, second_wait: bool) -> Vec<u8> {
    let (d0, d1) = (s.malloc(0, N), s.malloc(1, N));
    assert_eq!(cuda!(s, cudaMemset(d0, 1, N)), 0);
    s.set_device(1);
    s.set_device(1);
    assert_eq!(cuda!(s, cudaMemset(d1, 0, N)), 0);
    s.set_device(0);
    s.synchronize();
    let (writer, copier, reader) = (s.stream(0, 1), s.stream(1, 1), s.stream(1, 1));
    let (written, copied) = (s.event(0), s.event(1));
    assert_eq!(cuda!(s, cudaMemsetAsync(d0, 2, N, writer)), 0);
    assert_eq!(cuda!(s, cudaEventRecord(written, writer)), 0);
    if first_wait {
        assert_eq!(cuda!(s, cudaStreamWaitEvent(copier, written, 0)), 0);
    }
    assert_eq!(cuda!(s, cudaMemcpyAsync(d1, d0, N, D2D, copier)), 0);
    assert_eq!(cuda!(s, cudaEventRecord(copied, copier)), 0);
    if second_wait {
        assert_eq!(cuda!(s, cudaStreamWaitEvent(reader, copied, 0)), 0);
    }
    let seen = s.read_now(reader, d1, N);
    s.synchronize();
    seen
}

fn outcomes(first_wait: bool, second_wait: bool) -> (usize, usize, usize) {
    let (mut right, mut stale, mut torn) = (0, 0, 0);
    for seed in 0..SEEDS {
        let s = session(MachineConfig::pair().seed(seed));
        let seen = pipeline(&s, first_wait, second_wait);
        match seen.iter().filter(|&&byte| byte == 2).count() {
            N => right += 1,
            0 => stale += 1,
            _ => torn += 1,
        }
    }
    (right, stale, torn)
}

#[test]
fn with_both_waits_every_seed_is_right() {
    assert_eq!(outcomes(true, true), (SEEDS as usize, 0, 0));
}

#[test]
fn each_missing_wait_shows() {
    for (first, second) in [(false, true), (true, false)] {
        let (right, stale, torn) = outcomes(first, second);
        assert!(
            right > 0 && stale > 0 && torn > 0,
            "waits {first} {second}: {right} right, {stale} stale, {torn} torn"
        );
    }
}

#[test]
fn a_seed_repeats() {
    for seed in 0..20 {
        let run = || pipeline(&session(MachineConfig::pair().seed(seed)), false, false);
        let first = run();
        assert!((0..3).all(|_| run() == first), "seed {seed} gave two results");
    }
}

/// Several threads of the program at once, each with a chain of its own across both devices: no order between them, and none
/// may wait for ever.
#[test]
fn threads_of_the_program_do_not_hold_each_other_up() {
    for config in [MachineConfig::pair(), MachineConfig::pair().seed(5), MachineConfig::pair().seed(6)] {
        let s = session(config);
        let s = &s;
        let chain = move |value: u8| {
            let (d0, d1) = (s.malloc(0, N), s.malloc(1, N));
            let (a, b, event) = (s.stream(0, 1), s.stream(1, 1), s.event(0));
            for round in 0..8 {
                let value = value.wrapping_add(round);
                assert_eq!(cuda!(s, cudaMemsetAsync(d0, i32::from(value), N, a)), 0);
                assert_eq!(cuda!(s, cudaEventRecord(event, a)), 0);
                assert_eq!(cuda!(s, cudaStreamWaitEvent(b, event, 0)), 0);
                assert_eq!(cuda!(s, cudaMemcpyPeerAsync(d1, 1, d0, 0, N, b)), 0);
                while cuda!(s, cudaStreamQuery(b)) == 600 {}
                assert!(s.read_now(b, d1, N).iter().all(|&byte| byte == value), "round {round}");
            }
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|index| scope.spawn(move || chain(index * 50))).collect();
            threads.into_iter().for_each(|thread| thread.join().expect("a thread"));
        });
    }
}
