//! Copies of an executable graph that are changed to other copies: by their ends, their lengths, and who makes them.

use std::ffi::c_void;

use cuda_p2p_sys::{cudaGraph_t, cudaStream_t, cudaStreamNonBlocking};

use super::{DEFAULT, FINE, PARAMETERS, captured, launched, update};
use crate::cases::graphs::{instance, stream};
use crate::context::{Cx, must};

pub(super) fn ends_and_lengths_of_a_copy(cx: &Cx) {
    let stream = stream(cx);
    let (p, q, r) = (cx.filled(0, &[1; 256]), cx.filled(0, &[2; 256]), cx.filled(0, &[3; 256]));
    let copy = |to, from, bytes| {
        captured(cx, stream, || must!(cx.cudaMemcpyAsync(to, from, bytes, DEFAULT, stream)))
    };
    let exec = instance(cx, copy(p, q, 64));
    update(cx, "length", exec, copy(p, q, 200), FINE);
    update(cx, "source", exec, copy(p, r, 3), FINE);
    launched(cx, exec, stream);
    cx.value("there", cx.read(0, p, 4), vec![3, 3, 3, 1]);
    update(cx, "destination", exec, copy(r, q, 2), FINE);
    launched(cx, exec, stream);
    cx.value("there", cx.read(0, r, 3), vec![2, 2, 3]);
}

pub(super) fn a_copy_of_rows(cx: &Cx) {
    let stream = stream(cx);
    let (p, q, r) = (cx.filled(0, &[1; 4096]), cx.filled(0, &[2; 4096]), cx.filled(0, &[3; 4096]));
    let rows = |to, from, width, height| {
        captured(cx, stream, || must!(cx.cudaMemcpy2DAsync(to, 64, from, 64, width, height, DEFAULT, stream)))
    };
    let line = |bytes| captured(cx, stream, || must!(cx.cudaMemcpyAsync(p, q, bytes, DEFAULT, stream)));
    let exec = instance(cx, rows(p, q, 16, 4));
    update(cx, "same", exec, rows(p, q, 16, 4), PARAMETERS);
    update(cx, "source", exec, rows(p, r, 16, 4), PARAMETERS);
    update(cx, "width", exec, rows(p, q, 8, 4), PARAMETERS);
    update(cx, "a line", exec, line(64), PARAMETERS);
    launched(cx, exec, stream);
    cx.value("there", cx.read(0, p, 17)[15..].to_vec(), vec![2, 1]);
    let exec = instance(cx, line(64));
    update(cx, "line to rows", exec, rows(p, q, 16, 4), PARAMETERS);
    update(cx, "line to one row", exec, rows(p, q, 16, 1), FINE);
}

/// Two places on either device, a stream of either, and copies among them.
struct Copies<'c> {
    cx: &'c Cx,
    ours: cudaStream_t,
    theirs: cudaStream_t,
    p: [*mut c_void; 2],
    q: [*mut c_void; 2],
}

impl<'c> Copies<'c> {
    fn new(cx: &'c Cx) -> Self {
        let two = |place: *mut c_void| [place, place.wrapping_byte_add(32)];
        let (p, q) = (two(cx.filled(0, &[1; 64])), two(cx.filled(1, &[2; 64])));
        Self { cx, ours: stream(cx), theirs: cx.stream(1, cudaStreamNonBlocking), p, q }
    }

    fn of(&self, to: *mut c_void, from: *mut c_void, stream: cudaStream_t) -> cudaGraph_t {
        let cx = self.cx;
        captured(cx, stream, || must!(cx.cudaMemcpyAsync(to, from, 16, DEFAULT, stream)))
    }
}

pub(super) fn a_copy_between_devices(cx: &Cx) {
    let it = Copies::new(cx);
    let ([p, p2], [q, q2], ours) = (it.p, it.q, it.ours);
    let exec = instance(cx, it.of(q, p, ours));
    update(cx, "source", exec, it.of(q, p2, ours), FINE);
    update(cx, "destination", exec, it.of(q2, p, ours), FINE);
    update(cx, "in a stream of the other device", exec, it.of(q, p, it.theirs), FINE);
    update(cx, "the other way", exec, it.of(p, q, ours), PARAMETERS);
    update(cx, "within the source's device", exec, it.of(p2, p, ours), PARAMETERS);
    update(cx, "within the destination's device", exec, it.of(q2, q, ours), PARAMETERS);
    launched(cx, exec, ours);
    cx.value("there", cx.read(1, q, 17)[15..].to_vec(), vec![1, 2]);
}

pub(super) fn a_copy_within_a_device(cx: &Cx) {
    let it = Copies::new(cx);
    let ([p, p2], [q, q2], ours) = (it.p, it.q, it.ours);
    let exec = instance(cx, it.of(p2, p, ours));
    update(cx, "in a stream of the other device", exec, it.of(p2, p, it.theirs), FINE);
    update(cx, "to the other device", exec, it.of(q, p, ours), PARAMETERS);
    update(cx, "from the other device", exec, it.of(p, q, ours), PARAMETERS);
    update(cx, "within the other device", exec, it.of(q2, q, ours), PARAMETERS);
    update(cx, "within the other device, in its stream", exec, it.of(q2, q, it.theirs), PARAMETERS);
    launched(cx, exec, ours);
    cx.value("there", cx.read(0, p2, 17)[15..].to_vec(), vec![1, 1]);
}

/// With access, a copy by which the source pushes may become one within the source's device, and back.
pub(super) fn a_copy_between_peers(cx: &Cx) {
    cx.enable(0, 1);
    cx.enable(1, 0);
    let it = Copies::new(cx);
    let ([p, p2], [q, q2], ours) = (it.p, it.q, it.ours);
    let exec = instance(cx, it.of(q, p, ours));
    update(cx, "in a stream of the other device", exec, it.of(q, p, it.theirs), FINE);
    update(cx, "the other way", exec, it.of(p, q, ours), PARAMETERS);
    update(cx, "within the destination's device", exec, it.of(q2, q, ours), PARAMETERS);
    update(cx, "within the source's device", exec, it.of(p2, p, ours), FINE);
    launched(cx, exec, ours);
    cx.value("there", cx.read(0, p2, 16), vec![1; 16]);
    update(cx, "and back", exec, it.of(q, p, ours), FINE);
    launched(cx, exec, ours);
    cx.value("there", cx.read(1, q, 17)[15..].to_vec(), vec![1, 2]);
}

pub(super) fn a_copy_within_a_peer(cx: &Cx) {
    cx.enable(0, 1);
    cx.enable(1, 0);
    let it = Copies::new(cx);
    let ([p, p2], [q, q2], ours) = (it.p, it.q, it.ours);
    let exec = instance(cx, it.of(p2, p, ours));
    update(cx, "from the other device", exec, it.of(p, q, ours), PARAMETERS);
    update(cx, "within the other device", exec, it.of(q2, q, it.theirs), PARAMETERS);
    update(cx, "to the other device", exec, it.of(q, p, ours), FINE);
    launched(cx, exec, ours);
    cx.value("there", cx.read(1, q, 17)[15..].to_vec(), vec![1, 2]);
}

/// By the destination's access alone: it is that device which copies, so what it can copy by itself or push is as good.
pub(super) fn a_copy_that_is_pulled(cx: &Cx) {
    cx.enable(1, 0);
    let it = Copies::new(cx);
    let ([p, p2], [q, q2], ours) = (it.p, it.q, it.ours);
    let exec = instance(cx, it.of(q, p, ours));
    update(cx, "source", exec, it.of(q, p2, it.theirs), FINE);
    update(cx, "within the source's device", exec, it.of(p2, p, ours), PARAMETERS);
    update(cx, "the other way", exec, it.of(p2, q, ours), FINE);
    launched(cx, exec, ours);
    cx.value("there", cx.read(0, p2, 16), vec![2; 16]);
    update(cx, "within the destination's device", exec, it.of(q2, q, ours), FINE);
    launched(cx, exec, ours);
    cx.value("there", cx.read(1, q2, 16), vec![2; 16]);
}
