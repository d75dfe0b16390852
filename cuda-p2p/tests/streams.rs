//! Events and streams of two devices: what may be recorded where, and who may wait for whom.

mod common;

use common::pair;
use cuda_p2p::builtin::Kernels;
use cuda_p2p::{Error, ErrorClass, LaunchConfig, StreamOptions};

#[test]
fn an_event_is_recorded_on_its_own_device_only() {
    let (runtime, a, b) = pair();
    let (event, stream) = (a.new_event().unwrap(), b.new_stream().unwrap());
    let error = stream.record(&event).unwrap_err();
    assert_eq!(error, Error::WrongDevice { what: "the event", expected: 1, found: 0 });
    assert!(error.to_string().contains("wait"), "{error}");
    assert_eq!(common::take_last_error(&runtime), 0);
}

#[test]
fn a_stream_waits_for_another_devices_event() {
    let (runtime, a, b) = pair();
    let kernels = Kernels::load(&runtime).unwrap();
    let (on_a, on_b) = (a.new_stream().unwrap(), b.new_stream().unwrap());
    let event = a.new_event_untimed().unwrap();
    kernels.delay(&on_a, LaunchConfig::new(1, 1), 300_000_000).unwrap();
    on_a.record(&event).unwrap();
    on_b.wait_event(&event).unwrap();
    assert!(!event.is_done().unwrap(), "the delay ended too early for this test");
    assert!(!on_b.is_done().unwrap());
    on_b.synchronize().unwrap();
    assert!(event.is_done().unwrap() && on_a.is_done().unwrap());
}

#[test]
fn time_is_measured_on_one_device_between_reached_events() {
    let (runtime, a, b) = pair();
    let kernels = Kernels::load(&runtime).unwrap();
    let stream = a.new_stream_with(StreamOptions { blocking: true, ..StreamOptions::default() }).unwrap();
    let (start, end) = (a.new_event().unwrap(), a.new_event().unwrap());
    let unrecorded = end.elapsed_since(&start).unwrap_err();
    assert_eq!(unrecorded.code(), Some(400));
    stream.record(&start).unwrap();
    kernels.delay(&stream, LaunchConfig::new(1, 1), 20_000_000).unwrap();
    stream.record(&end).unwrap();
    let early = end.elapsed_since(&start).unwrap_err();
    assert_eq!(early.class(), Some(ErrorClass::NotReady));
    end.synchronize().unwrap();
    assert!(end.elapsed_since(&start).unwrap().as_millis() >= 15);
    assert_eq!(end.elapsed_since(&a.new_event_untimed().unwrap()).unwrap_err(), Error::EventWithoutTiming);
    let other = b.new_event().unwrap();
    assert!(matches!(end.elapsed_since(&other), Err(Error::WrongDevice { .. })));
    assert_eq!(common::take_last_error(&runtime), 0);
}
