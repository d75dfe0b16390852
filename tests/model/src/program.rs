//! Programs, and the strategy that makes random ones.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::subsequence;

use cuda_p2p_sim::{PeerLink, Peers};

use crate::machine::Machine;
use crate::model::{BUFFERS, EVENTS, POOLS, STREAMS};
use crate::step::{Flaw, Kind, Step, WEIGHTS};

/// A random program.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) machine: Machine,
    /// The schedule; `None` is that in order.
    pub(crate) seed: Option<u64>,
    /// The devices that most steps are about: few, so that they meet.
    pub(crate) cast: Vec<usize>,
    pub(crate) steps: Vec<Step>,
    /// Whether all memory is read before all is dropped. If not, it is dropped with work in flight.
    pub(crate) reads_at_end: bool,
}

/// Devices that most steps of a program are about.
const CAST: usize = 3;
/// Most steps of a program, beside those that make the first objects.
const STEPS: usize = 60;

pub(crate) fn programs() -> impl Strategy<Value = Program> {
    let seed = prop_oneof![1 => Just(None), 9 => any::<u64>().prop_map(Some)];
    (devices().prop_flat_map(machine_and_cast), seed, first_steps(), vec(step(), 1..=STEPS), 0u8..5).prop_map(
        |((machine, cast), seed, first, steps, end)| Program {
            machine,
            seed,
            cast,
            steps: first.into_iter().flatten().chain(steps).collect(),
            reads_at_end: end != 4,
        },
    )
}

fn devices() -> impl Strategy<Value = usize> {
    prop_oneof![1 => Just(1usize), 8 => Just(2), 3 => Just(3), 3 => Just(4), 3 => 5usize..=10]
}

fn machine_and_cast(devices: usize) -> impl Strategy<Value = (Machine, Vec<usize>)> {
    let limit = prop_oneof![4 => Just(8usize), 1 => 0usize..=3];
    let memory = prop_oneof![3 => Just(16usize << 30), 1 => (1usize << 20)..=(3 << 20)];
    let machine =
        (peers(devices), limit, memory, any::<u8>()).prop_map(move |(peers, limit, memory, atomics)| {
            Machine { devices, peers, limit, memory, atomics: !atomics.is_multiple_of(4) }
        });
    let cast = subsequence((0..devices).collect::<Vec<_>>(), devices.min(CAST));
    (machine, cast)
}

fn peers(devices: usize) -> BoxedStrategy<Peers> {
    let divisors: Vec<usize> = (1..=devices).filter(|count| devices.is_multiple_of(*count)).collect();
    let islands = prop::sample::select(divisors).prop_map(Peers::Islands);
    let pairs: Vec<(usize, usize)> =
        (0..devices).flat_map(|a| (a + 1..devices).map(move |b| (a, b))).collect();
    // For each pair: no link, one in either direction, both ways.
    let links = vec(0u8..4, pairs.len()).prop_map(move |kinds| {
        let links = pairs.iter().zip(kinds).filter_map(|(&(a, b), kind)| match kind {
            1 => Some(PeerLink::OneWay { accessor: a, owner: b }),
            2 => Some(PeerLink::OneWay { accessor: b, owner: a }),
            3 => Some(PeerLink::Both(a, b)),
            _ => None,
        });
        Peers::Links(links.collect())
    });
    prop_oneof![4 => Just(Peers::All), 1 => Just(Peers::None), 2 => islands, 3 => links].boxed()
}

/// Streams, buffers and events of all devices of the cast, so that the other steps find some.
fn first_steps() -> Vec<impl Strategy<Value = Option<Step>>> {
    let made = |kind: Kind, slots: usize| {
        (0..slots).map(move |slot| {
            let slot = u16::try_from(slot).unwrap_or(0);
            let step = any::<[u16; 4]>().prop_map(move |n| {
                // The slot and the device are this step's own.
                let n = [slot, slot, n[0], n[1], n[2], n[3]];
                Step { kind, flaw: Flaw::None, n }
            });
            prop::option::weighted(0.95, step)
        })
    };
    made(Kind::NewStream, STREAMS)
        .chain(made(Kind::NewPool, POOLS))
        .chain(made(Kind::Allocate, BUFFERS))
        .chain(made(Kind::NewEvent, EVENTS - 1))
        .chain(made(Kind::NewPinned, 1))
        .collect()
}

fn step() -> impl Strategy<Value = Step> {
    let all: u32 = WEIGHTS.iter().map(|(weight, _)| weight).sum();
    (0..all, any::<u8>(), any::<[u16; 6]>()).prop_map(|(roll, flaw, n)| Step {
        kind: kind_at(roll),
        flaw: match flaw {
            247.. => Flaw::Shape,
            240.. => Flaw::Alignment,
            233.. => Flaw::Bounds,
            226.. => Flaw::Length,
            219.. => Flaw::Device,
            _ => Flaw::None,
        },
        n,
    })
}

fn kind_at(roll: u32) -> Kind {
    let mut left = roll;
    for (weight, kind) in WEIGHTS {
        if left < weight {
            return kind;
        }
        left -= weight;
    }
    Kind::ReadAll
}
