//! What safety costs: the time that a call of cuda-p2p takes to return, beside the raw C call through the same table and beside
//! cudarc's twin, all in one run. And what the devices take for small things, which depends on where in their caches memory lies:
//! flags and small copies, beside the plain ones on the same memory, in turns. Nanoseconds; `--json` prints them for `ci/performance`.
//!
//! Needs two GPUs with access to each other. Times on a simulator would mean nothing, so it does not run on one.

mod flags;
mod measure;
mod others;
mod raw;
mod report;
mod small;
mod turns;
mod twin;

use std::cell::RefCell;
use std::hint::black_box;

use cuda_p2p::{LaunchConfig, PeerAccess, Runtime, builtin};

use measure::{Way, compare};
use raw::Raw;
use report::Report;
use twin::Twin;

const ELEMENTS: usize = 32;

fn main() {
    if let Err(error) = run() {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut report = Report::default();
    let runtime = Runtime::load()?;
    let (gpu0, gpu1) = (runtime.device(0)?, runtime.device(1)?);
    let (there, back) = PeerAccess::enable_both(&gpu0, &gpu1)?;
    // As most programs that share a thread with other CUDA code.
    gpu0.set_current()?;
    let kernels = builtin::Kernels::load(&runtime)?;
    let stream = gpu0.new_stream()?;
    let event = gpu0.new_event_untimed()?;
    let x = gpu0.alloc_from(&[1.0f32; ELEMENTS])?;
    let y = RefCell::new(gpu0.alloc_zeroed::<f32>(ELEMENTS)?);
    let theirs = gpu1.alloc_from(&[1.0f32; ELEMENTS])?;
    let view = there.slice(&theirs)?;
    let raw = Raw::new(&runtime, &stream, &kernels, &event);
    let (own, other, peer) = (x.as_raw(), y.borrow().as_raw(), theirs.as_raw());
    let config = LaunchConfig::new(1, 32);
    let settle = || stream.synchronize().expect("an idle stream");

    let copy = || stream.copy_async(&mut *y.borrow_mut(), &x).expect("a copy");
    let launch =
        || kernels.add_f32(&stream, config, &mut *y.borrow_mut(), &x, ELEMENTS as u64).expect("a launch");
    let record = || stream.record(&event).expect("a record");
    let slice = || {
        black_box(black_box(&x).slice(black_box(4..20)).expect("a slice"));
    };
    let mut ways = [
        Way::new("raw", || raw.copy_peer(other, peer)),
        Way::new("safe, of a view", || {
            stream.copy_from_peer_async(&mut *y.borrow_mut(), view).expect("a copy");
        }),
        Way::new("safe, asks for access", || {
            stream.copy_peer_async(&mut *y.borrow_mut(), &theirs).expect("a copy");
        }),
    ];
    report.add("peer copy", compare(&mut ways, settle));
    let mut ways = [Way::new("raw", || raw.copy(other, own)), Way::new("safe", copy)];
    report.add("copy within the device", compare(&mut ways, settle));
    let mut ways = [
        Way::new("raw", || raw.launch(other, own)),
        Way::new("safe", launch),
        Way::new("safe, of a peer's slice", || {
            kernels.add_f32(&stream, config, &mut *y.borrow_mut(), view, ELEMENTS as u64).expect("a launch");
        }),
    ];
    report.add("launch", compare(&mut ways, settle));
    let mut ways = [Way::new("raw", || raw.record()), Way::new("safe", record)];
    report.add("event record", compare(&mut ways, settle));
    let offset = || {
        black_box(black_box(own).wrapping_add(black_box(4)));
    };
    report.add("buffer slice", compare(&mut [Way::new("raw", offset), Way::new("safe", slice)], settle));

    others::measure(&mut report, &runtime, &there)?;

    flags::measure(&mut report, &runtime, [&there, &back])?;
    small::measure(&mut report, &runtime, &there)?;

    for own_stream in [true, false] {
        let twin = RefCell::new(Twin::new(cuda_p2p::sys::kernels(), own_stream)?);
        let settle = || {
            stream.synchronize().expect("an idle stream");
            twin.borrow().stream.synchronize().expect("an idle stream");
        };
        let on = if own_stream {
            "on a stream of its own, in order with others"
        } else {
            "on its default stream, in no order"
        };
        let mut ways = [Way::new("cudarc", || twin.borrow_mut().launch()), Way::new("safe", launch)];
        report.add(&format!("launch; cudarc {on}"), compare(&mut ways, settle));
        let mut ways = [Way::new("cudarc", || twin.borrow_mut().copy()), Way::new("safe", copy)];
        report.add(&format!("copy within the device; cudarc {on}"), compare(&mut ways, settle));
        let mut ways = [Way::new("cudarc", || twin.borrow().record()), Way::new("safe", record)];
        report.add(&format!("event record; cudarc {on}"), compare(&mut ways, settle));
        let mut ways = [Way::new("cudarc", || twin.borrow().slice()), Way::new("safe", slice)];
        report.add(&format!("buffer slice; cudarc {on}"), compare(&mut ways, settle));
    }
    let json = std::env::args().any(|argument| argument == "--json");
    print!("{}", if json { report.json() } else { report.text() });
    Ok(())
}
