//! Capture and graphs, on the simulator: what is refused, what is kept, and what order a launch has.

mod common;

use std::sync::mpsc;
use std::time::Duration;

use common::{isolated, machine, pair};
use cuda_p2p::builtin::Kernels;
use cuda_p2p::{CaptureError, CopyPath, Error, GraphChange, GraphError, LaunchConfig, Result, Stream};

const ONE: LaunchConfig = LaunchConfig::new(1, 1);
/// Nanoseconds: long enough for other threads and streams to overtake.
const LONG: u64 = 50_000_000;

fn refused<T: std::fmt::Debug>(result: Result<T>) -> &'static str {
    match result {
        Err(Error::Capture(CaptureError::Refused { what })) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_runs_before_the_launch() {
    isolated("nothing_runs_before_the_launch", &[], || {
        let (runtime, a, _) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let stream = a.new_stream().unwrap();
        let mut memory = a.alloc_from(&[1.0f32; 4]).unwrap();
        let addend = a.alloc_from(&[2.0f32; 4]).unwrap();
        let graph = stream
            .capture(|capture| {
                assert_eq!(capture.stream(), &stream);
                assert!(stream.is_capturing());
                kernels.add_f32(&stream, ONE, &mut memory, &addend, 4)
            })
            .unwrap();
        assert!(!stream.is_capturing());
        assert_eq!(graph.node_count().unwrap(), 1);
        assert_eq!(memory.to_vec().unwrap(), [1.0; 4]);
        let exec = graph.instantiate().unwrap();
        drop(graph);
        for round in 1..4u8 {
            exec.launch(&stream).unwrap();
            assert_eq!(memory.to_vec().unwrap(), [1.0 + 2.0 * f32::from(round); 4]);
        }
    });
}

#[test]
fn what_does_not_go_into_a_graph_is_refused_and_the_capture_goes_on() {
    isolated("what_does_not_go_into_a_graph_is_refused_and_the_capture_goes_on", &[], || {
        let (_runtime, a, _) = pair();
        let (stream, other) = (a.new_stream().unwrap(), a.new_stream().unwrap());
        let mut memory = a.alloc_from(&[5u32; 4]).unwrap();
        let mut pinned = a.alloc_pinned_zeroed::<u32>(4).unwrap();
        let (outside, inside) = (a.new_event_untimed().unwrap(), a.new_event_untimed().unwrap());
        other.record(&outside).unwrap();
        let empty = stream.capture(|_| Ok(())).unwrap().instantiate().unwrap();
        let graph = stream
            .capture(|capture| {
                let mut host = [0; 4];
                assert_eq!(refused(stream.copy_to_host(&memory, &mut host)), "a copy that waits");
                assert_eq!(refused(stream.copy_from_host(&mut memory, &host)), "a copy that waits");
                assert_eq!(refused(stream.synchronize()), "waiting for the stream");
                assert_eq!(refused(stream.is_done()), "asking the stream whether it is done");
                assert_eq!(refused(empty.launch(&stream)), "the launch of a graph");
                assert_eq!(refused(empty.upload(&stream)), "the upload of a graph");
                assert_eq!(refused(a.synchronize()), "waiting for the whole device");
                let again = stream.capture(|_| Ok(())).unwrap_err();
                assert_eq!(again, Error::Capture(CaptureError::OtherCapture));
                assert_eq!(stream.wait_event(&outside), Err(CaptureError::OutsideEvent.into()));
                assert_eq!(capture.join(&other), Err(CaptureError::NotForked.into()));
                stream.record(&inside)?;
                assert_eq!(refused(inside.is_done()), "asking an event of the graph");
                assert_eq!(refused(inside.synchronize()), "asking an event of the graph");
                // What goes elsewhere works as ever.
                assert_eq!(memory.to_vec()?, [5; 4]);
                other.copy_to_pinned_async(&memory, &mut pinned)?;
                assert_eq!(pinned.read()?, [5; 4]);
                drop(a.alloc_zeroed::<u8>(64)?);
                empty.launch(&other)?;
                assert!(outside.is_done()?);
                stream.fill_bytes_async(&mut memory, 1)
            })
            .unwrap();
        assert_eq!(graph.node_count().unwrap(), 1);
        assert_eq!(other.wait_event(&inside), Err(CaptureError::EndedEvent.into()));
        assert!(inside.is_done().is_err());
        stream.record(&inside).unwrap();
        inside.synchronize().unwrap();
        graph.instantiate().unwrap().launch(&stream).unwrap();
        assert_eq!(memory.to_vec().unwrap(), [0x0101_0101; 4]);
    });
}

#[test]
fn a_capture_that_fails_leaves_its_streams_usable() {
    isolated("a_capture_that_fails_leaves_its_streams_usable", &[], || {
        let (_runtime, a, b) = pair();
        let (stream, other) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let mut memory = b.alloc_from(&[1u8; 4]).unwrap();
        let mut usable = |streams: [&Stream; 2], value: u8| {
            for stream in streams {
                assert!(!stream.is_capturing());
                stream.synchronize().unwrap();
            }
            other.fill_bytes_async(&mut memory, value).unwrap();
            assert_eq!(memory.to_vec().unwrap(), [value; 4]);
        };
        let mine = Error::SameDevice { device: 7 };
        assert_eq!(stream.capture(|_| Err(mine.clone())).unwrap_err(), mine);
        usable([&stream, &other], 2);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            stream.capture(|capture| {
                capture.fork(&other)?;
                panic!("on purpose")
            })
        }));
        assert!(panicked.is_err());
        usable([&stream, &other], 3);
        // Taken in, put to work, and not brought back.
        let mut there = b.alloc_zeroed::<u8>(4).unwrap();
        let unjoined = stream.capture(|capture| {
            capture.fork(&other)?;
            other.fill_bytes_async(&mut there, 9)
        });
        assert_eq!(unjoined.unwrap_err(), Error::Capture(CaptureError::Unjoined));
        usable([&stream, &other], 4);
        assert_eq!(there.to_vec().unwrap(), [0; 4]);
        // Broken by code that this crate does not see.
        let broken = stream.capture(|_| {
            assert_eq!(common::raw::raw!(a.runtime(), 0, cudaStreamSynchronize(stream.as_raw())), 900);
            Ok(())
        });
        assert_eq!(broken.unwrap_err(), Error::Capture(CaptureError::Broken));
        usable([&stream, &other], 5);
        assert_eq!(a.runtime().deferred_errors(), []);
    });
}

#[test]
fn memory_is_kept_by_the_graph_and_by_what_was_made_of_it() {
    isolated("memory_is_kept_by_the_graph_and_by_what_was_made_of_it", &[], || {
        let (runtime, a, _) = pair();
        let stream = a.new_stream().unwrap();
        let mut result = a.alloc_zeroed::<u32>(4).unwrap();
        let allocations = cuda_p2p_sim::counters().allocations;
        let graph = {
            let source = a.alloc_from(&[3u32; 4]).unwrap();
            stream.capture(|_| stream.copy_async(&mut result, &source)).unwrap()
        };
        let exec = graph.instantiate().unwrap();
        drop(graph);
        a.synchronize().unwrap();
        assert_eq!(cuda_p2p_sim::counters().allocations, allocations + 1);
        exec.launch(&stream).unwrap();
        assert_eq!(result.to_vec().unwrap(), [3; 4]);
        drop(exec);
        a.synchronize().unwrap();
        assert_eq!(cuda_p2p_sim::counters().allocations, allocations, "and freed with the last of them");
        assert_eq!(runtime.deferred_errors(), []);
    });
}

#[test]
fn memory_that_was_given_away_is_not_launched_on() {
    isolated("memory_that_was_given_away_is_not_launched_on", &[], || {
        let (_runtime, a, _) = pair();
        let stream = a.new_stream().unwrap();
        let gone = Err(Error::Graph(GraphError::MemoryGone));

        let mut mine = a.alloc_zeroed::<u32>(4).unwrap();
        let exec = stream.capture(|_| stream.fill_bytes_async(&mut mine, 1)).unwrap().instantiate().unwrap();
        exec.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        let address = mine.into_raw();
        assert_eq!(exec.launch(&stream), gone);
        drop(exec);
        assert_eq!(common::raw::free(&a, address), 0, "it was not freed here");

        let address = common::raw::malloc::<u32>(&a, 4);
        // SAFETY: so many elements of that device's memory, which is freed at the end.
        let mut lent = unsafe { cuda_p2p::DeviceBuffer::borrow_raw(&a, address, 4) }.unwrap();
        let exec = stream.capture(|_| stream.fill_bytes_async(&mut lent, 1)).unwrap().instantiate().unwrap();
        exec.launch(&stream).unwrap();
        drop(lent);
        assert_eq!(exec.launch(&stream), gone);
        stream.synchronize().unwrap();
        assert_eq!(common::raw::free(&a, address), 0);
    });
}

#[test]
fn access_is_kept_enabled_by_a_graph() {
    isolated("access_is_kept_enabled_by_a_graph", &[], || {
        let (runtime, a, b) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let stream = a.new_stream().unwrap();
        let theirs = b.alloc_from(&[1.0f32; 4]).unwrap();
        let mut ours = a.alloc_from(&[1.0f32; 4]).unwrap();
        let in_use = |error: cuda_p2p::DisableError| {
            assert!(matches!(error.error, Error::PeerAccessInUse { others: 1.., .. }), "{error}");
            error.access
        };
        // By a kernel.
        let access = a.enable_peer_access(&b).unwrap();
        let graph =
            stream.capture(|_| kernels.add_f32(&stream, ONE, &mut ours, access.slice(&theirs)?, 4)).unwrap();
        let access = in_use(access.disable().unwrap_err());
        let exec = graph.instantiate().unwrap();
        drop(graph);
        let access = in_use(access.disable().unwrap_err());
        exec.launch(&stream).unwrap();
        drop(exec);
        access.disable().unwrap();
        assert_eq!(ours.to_vec().unwrap(), [2.0; 4]);

        // By a copy: of the graph if it was enabled then, and of what was made of it if it is enabled then.
        let path = std::cell::Cell::new(None);
        let mut record = || {
            stream.capture(|_| {
                path.set(Some(stream.copy_peer_async(&mut ours, &theirs)?));
                Ok(())
            })
        };
        let staged = record().unwrap();
        assert!(matches!(path.take(), Some(CopyPath::Staged { .. })));
        let by_the_host = staged.instantiate().unwrap();
        let access = a.enable_peer_access(&b).unwrap();
        let direct = record().unwrap();
        assert_eq!(path.take(), Some(CopyPath::Direct));
        let access = in_use(access.disable().unwrap_err());
        drop(direct);
        let exec = staged.instantiate().unwrap();
        let access = in_use(access.disable().unwrap_err());
        exec.launch(&stream).unwrap();
        drop(exec);
        access.disable().unwrap();
        by_the_host.launch(&stream).unwrap();
        assert_eq!(ours.to_vec().unwrap(), [1.0; 4]);
        assert_eq!(runtime.deferred_errors(), []);
    });
}

#[test]
fn other_streams_of_any_device_take_part() {
    isolated("other_streams_of_any_device_take_part", &[], || {
        let (runtime, a, b) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let (stream, second, third) =
            (a.new_stream().unwrap(), b.new_stream().unwrap(), a.new_stream().unwrap());
        let event = a.new_event_untimed().unwrap();
        let mut input = a.alloc_from(&[1.0f32; 64]).unwrap();
        let mut there = b.alloc_zeroed::<f32>(64).unwrap();
        let addend = b.alloc_from(&[10.0f32; 64]).unwrap();
        let mut back = a.alloc_zeroed::<f32>(64).unwrap();
        let graph = stream
            .capture(|capture| {
                capture.fork(&second)?;
                // By memory: the stream of the other device waits for the copy, and the captured one for the kernel.
                stream.copy_peer_async(&mut there, &input)?;
                kernels.add_f32(&second, ONE, &mut there, &addend, 64)?;
                stream.copy_peer_async(&mut back, &there)?;
                // By an event, and back by a join.
                stream.record(&event)?;
                third.wait_event(&event)?;
                assert!(third.is_capturing());
                kernels.add_f32(&third, ONE, &mut back, &input, 64)?;
                capture.join(&third)
            })
            .unwrap();
        assert!(!second.is_capturing() && !third.is_capturing());
        assert_eq!(graph.node_count().unwrap(), 4);
        let exec = graph.instantiate().unwrap();
        for round in 0..8u8 {
            let value = f32::from(round);
            stream.copy_from_host(&mut input, &[value; 64]).unwrap();
            exec.launch(if round % 2 == 0 { &stream } else { &second }).unwrap();
            assert_eq!(back.to_vec().unwrap(), [2.0 * value + 10.0; 64]);
        }
    });
}

#[test]
fn streams_of_others_are_not_drawn_into_a_capture() {
    isolated("streams_of_others_are_not_drawn_into_a_capture", &[], || {
        let (runtime, a, _) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let (stream, other) = (a.new_stream().unwrap(), a.new_stream().unwrap());
        let mut word = a.alloc_zeroed::<u32>(1).unwrap();
        let mut seen = a.alloc_zeroed::<u32>(1).unwrap();
        kernels.delayed_store(&stream, ONE, &mut word, 7, LONG).unwrap();
        let graph = stream
            .capture(|_| {
                // Waits for what was in the stream before, and for nothing of the capture.
                other.copy_async(&mut seen, &word)?;
                assert!(!other.is_capturing());
                assert_eq!(seen.to_vec()?, [7]);
                drop(a.alloc_zeroed::<u8>(1)?);
                kernels.delayed_store(&stream, ONE, &mut word, 8, 0)
            })
            .unwrap();
        assert_eq!(graph.node_count().unwrap(), 1);
        assert_eq!(word.to_vec().unwrap(), [7]);
    });
}

#[test]
fn an_update_changes_memory_and_values() {
    isolated("an_update_changes_memory_and_values", &[], || {
        let (runtime, a, _) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let stream = a.new_stream().unwrap();
        let mut first = a.alloc_zeroed::<u32>(1).unwrap();
        let mut second = a.alloc_zeroed::<u32>(1).unwrap();
        let exec = stream
            .capture(|_| kernels.delayed_store(&stream, ONE, &mut first, 1, 0))
            .unwrap()
            .instantiate()
            .unwrap();
        let other = stream.capture(|_| kernels.delayed_store(&stream, ONE, &mut second, 2, 0)).unwrap();
        exec.update(&other).unwrap();
        drop(other);
        exec.launch(&stream).unwrap();
        assert_eq!((first.to_vec().unwrap(), second.to_vec().unwrap()), (vec![0], vec![2]));
        let two = stream
            .capture(|_| {
                stream.fill_bytes_async(&mut first, 1)?;
                stream.fill_bytes_async(&mut first, 2)
            })
            .unwrap();
        let error = exec.update(&two).unwrap_err();
        assert_eq!(error, Error::Graph(GraphError::NotUpdated { change: GraphChange::Topology }));
        assert_eq!(error.code(), Some(910));
        let fill = stream.capture(|_| stream.fill_bytes_async(&mut first, 1)).unwrap();
        let error = exec.update(&fill).unwrap_err();
        assert_eq!(error, Error::Graph(GraphError::NotUpdated { change: GraphChange::NodeType }));
        stream.fill_bytes_async(&mut second, 0).unwrap();
        exec.launch(&stream).unwrap();
        assert_eq!((first.to_vec().unwrap(), second.to_vec().unwrap()), (vec![0], vec![2]));
    });
}

#[test]
fn a_capture_begins_and_ends_between_two_pieces_of_work() {
    isolated("a_capture_begins_and_ends_between_two_pieces_of_work", &[], || {
        let runtime = machine("devices=1 quiet");
        let a = runtime.device(0).unwrap();
        let stream = a.new_stream().unwrap();
        let (stop, stopped) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            let busy = &stream;
            scope.spawn(move || {
                // Memory of its own, dropped at once: if a piece of work were captured and not noted, or run and noted with a
                // capture, it would be freed too early or never.
                while stopped.try_recv().is_err() {
                    let mut memory = a.alloc_zeroed::<u32>(64).unwrap();
                    busy.fill_bytes_async(&mut memory, 1).unwrap();
                }
            });
            for _ in 0..200 {
                let graph = stream
                    .capture(|_| {
                        std::thread::sleep(Duration::from_micros(200));
                        Ok(())
                    })
                    .unwrap();
                let exec = graph.instantiate().unwrap();
                drop(graph);
                exec.launch(&stream).unwrap();
            }
            stop.send(()).unwrap();
        });
        stream.synchronize().unwrap();
        a.synchronize().unwrap();
        assert_eq!(cuda_p2p_sim::last_fault(), None);
        assert_eq!(cuda_p2p_sim::counters().allocations, 0);
        assert_eq!(runtime.deferred_errors(), []);
    });
}
