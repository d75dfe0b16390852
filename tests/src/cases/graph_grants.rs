//! The way that a graph's copy takes to memory that has access of its own: of a pool, or virtual. For a copy it is as memory of the
//! device of the node, if that has access to it.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_p2p_sys::driver::CuMemAccessFlags;
use cuda_p2p_sys::{cudaGraphExec_t, cudaMemPool_t, cudaMemcpyKind, cudaStream_t, cudaStreamNonBlocking};

use super::capture_state::{begin, end};
use super::graphs::instance;
use super::pools::{NONE, READ_WRITE, grant, properties};
use super::virtual_memory::word_of;
use crate::case::{Case, case};
use crate::context::{Cx, answers, must};
use crate::needs::PEERS;
use crate::virtual_memory::{Functions, PART, access_of, told};

pub(super) const CASES: &[Case] = &[
    case!(a_grant_is_a_way_to_the_pool, PEERS.pools()),
    case!(a_grant_is_a_way_from_the_pool, PEERS.pools()),
    case!(a_grant_taken_back_closes_the_way_to_the_pool, PEERS.pools()).poisons(),
    case!(a_grant_taken_back_closes_the_way_from_the_pool, PEERS.pools()).poisons(),
    case!(a_grant_given_again_opens_the_way, PEERS.pools()),
    case!(to_the_pool_no_peer_access_is_taken, PEERS.pools()),
    case!(to_the_pool_peer_access_is_not_enough, PEERS.pools()).poisons(),
    case!(from_the_pool_peer_access_is_taken_by_its_device, PEERS.pools()).poisons(),
    case!(from_the_pool_peer_access_is_enough_for_its_device, PEERS.pools()),
    case!(from_the_pool_the_other_device_takes_no_peer_access, PEERS.pools()),
    case!(between_pools_no_peer_access_is_taken, PEERS.pools()),
    case!(access_to_a_range_is_a_way, PEERS.pools()),
    case!(access_to_a_range_that_is_gone_closes_the_way, PEERS.pools()).poisons(),
    case!(access_to_a_range_that_is_given_again_opens_it, PEERS.pools()),
    case!(from_a_range_peer_access_is_taken_by_its_device, PEERS.pools()).poisons(),
    case!(from_a_range_peer_access_is_enough_for_its_device, PEERS.pools()),
];

const N: usize = 4097;

/// Memory of a device, and what opens it to the other one.
struct End {
    device: i32,
    place: *mut c_void,
    /// `None` of memory that peer access opens.
    by: Option<By>,
}

enum By {
    Pool(cudaMemPool_t),
    Range(Functions),
}

/// Of `cudaMalloc`.
fn plain(cx: &Cx, device: i32) -> End {
    End { device, place: cx.filled(device, &[0xEE; N]), by: None }
}

/// Of a pool that is opened to the other device.
fn pooled(cx: &Cx, device: i32) -> End {
    let (mut pool, mut place) = (null_mut(), null_mut());
    must!(cx.cudaMemPoolCreate(&mut pool, &properties(device)));
    let stream = cx.stream(device, cudaStreamNonBlocking);
    must!(cx.cudaMallocFromPoolAsync(&mut place, N, pool, stream));
    must!(cx.cudaStreamSynchronize(stream));
    let end = End { device, place, by: Some(By::Pool(pool)) };
    end.open(cx, true);
    end
}

/// Of a range that both devices may access.
fn ranged(cx: &Cx, device: i32) -> End {
    let (vm, place) = word_of(cx, device, &[0, 1]);
    End { device, place, by: Some(By::Range(vm)) }
}

impl End {
    /// Opens it to the other device, or closes it.
    fn open(&self, cx: &Cx, open: bool) {
        let other = 1 - self.device;
        cx.see("open to the other device", open);
        match self.by.as_ref().expect("memory with access of its own") {
            By::Pool(pool) => {
                let flags = if open { READ_WRITE } else { NONE };
                answers!(cx.cudaMemPoolSetAccess(*pool, &grant(other, flags), 1), 0);
            }
            By::Range(vm) => {
                let flags = if open { CuMemAccessFlags::READ_WRITE } else { CuMemAccessFlags::NONE };
                told!(cx, vm.cuMemSetAccess(self.place.addr() as u64, PART, &access_of(other, flags), 1), 0);
            }
        }
    }
}

/// A copy, as a graph that is ready.
struct CopyGraph {
    from: End,
    to: End,
    stream: cudaStream_t,
    exec: cudaGraphExec_t,
}

/// In a stream of a device.
fn copying(cx: &Cx, device: i32, from: End, to: End) -> CopyGraph {
    let stream = cx.stream(device, cudaStreamNonBlocking);
    cx.on(device, || {
        begin(cx, stream);
        must!(cx.cudaMemcpyAsync(to.place, from.place, N, cudaMemcpyKind::cudaMemcpyDefault, stream));
        let exec = instance(cx, end(cx, stream));
        CopyGraph { from, to, stream, exec }
    })
}

impl CopyGraph {
    /// Launches it, with other bytes, which must arrive.
    fn arrives(&self, cx: &Cx, seed: u32) {
        let bytes = cx.pattern(N, seed);
        cx.write(self.from.device, self.from.place, &bytes);
        answers!(cx.cudaGraphLaunch(self.exec, self.stream), 0);
        answers!(cx.cudaStreamSynchronize(self.stream), 0);
        cx.holds("the bytes arrived", cx.read(self.to.device, self.to.place, N) == bytes);
    }

    fn faults(&self, cx: &Cx) {
        must!(cx.cudaDeviceSynchronize());
        answers!(cx.cudaGraphLaunch(self.exec, self.stream), 0);
        answers!(cx.cudaStreamSynchronize(self.stream), 719);
    }
}

fn disable(cx: &Cx, accessor: i32, owner: i32) {
    cx.on(accessor, || {
        must!(cx.cudaDeviceDisablePeerAccess(owner), "cudaDeviceDisablePeerAccess({owner})");
    });
}

/// Peer access comes and goes, of either to the other.
fn goes_by_the_grant(cx: &Cx, copy: &CopyGraph) {
    copy.arrives(cx, 1);
    cx.enable(0, 1);
    cx.enable(1, 0);
    copy.arrives(cx, 2);
    disable(cx, 0, 1);
    disable(cx, 1, 0);
    copy.arrives(cx, 3);
}

fn a_grant_is_a_way_to_the_pool(cx: &Cx) {
    for device in [0, 1] {
        goes_by_the_grant(cx, &copying(cx, device, plain(cx, 0), pooled(cx, 1)));
    }
}

fn a_grant_is_a_way_from_the_pool(cx: &Cx) {
    for device in [0, 1] {
        goes_by_the_grant(cx, &copying(cx, device, pooled(cx, 1), plain(cx, 0)));
    }
}

/// As long as one of the copy's ends is open, and no longer.
fn is_closed_with(cx: &Cx, copy: &CopyGraph, end: &End) {
    copy.arrives(cx, 1);
    end.open(cx, false);
    copy.faults(cx);
}

fn a_grant_taken_back_closes_the_way_to_the_pool(cx: &Cx) {
    let copy = copying(cx, 1, plain(cx, 0), pooled(cx, 1));
    is_closed_with(cx, &copy, &copy.to);
}

fn a_grant_taken_back_closes_the_way_from_the_pool(cx: &Cx) {
    let copy = copying(cx, 0, pooled(cx, 1), plain(cx, 0));
    is_closed_with(cx, &copy, &copy.from);
}

fn a_grant_given_again_opens_the_way(cx: &Cx) {
    for copy in [copying(cx, 0, plain(cx, 0), pooled(cx, 1)), copying(cx, 1, pooled(cx, 0), pooled(cx, 1))] {
        copy.arrives(cx, 1);
        for end in [&copy.from, &copy.to].into_iter().filter(|end| end.by.is_some()) {
            end.open(cx, false);
            end.open(cx, true);
        }
        copy.arrives(cx, 2);
    }
}

/// Enabled when it was instantiated, of both directions, and disabled since.
fn to_the_pool_no_peer_access_is_taken(cx: &Cx) {
    cx.enable(0, 1);
    cx.enable(1, 0);
    let copies = [0, 1].map(|device| copying(cx, device, plain(cx, 0), pooled(cx, 1)));
    disable(cx, 0, 1);
    disable(cx, 1, 0);
    copies.iter().for_each(|copy| copy.arrives(cx, 1));
}

fn to_the_pool_peer_access_is_not_enough(cx: &Cx) {
    cx.enable(0, 1);
    cx.enable(1, 0);
    let copy = copying(cx, 1, plain(cx, 0), pooled(cx, 1));
    copy.to.open(cx, false);
    copy.faults(cx);
}

/// The device of that memory pushes by peer access, if there is some, whatever access the other has to the memory.
fn peer_access_is_taken(cx: &Cx, memory: fn(&Cx, i32) -> End) {
    cx.enable(1, 0);
    let copy = copying(cx, 1, memory(cx, 1), plain(cx, 0));
    copy.arrives(cx, 1);
    disable(cx, 1, 0);
    copy.faults(cx);
}

fn peer_access_is_enough(cx: &Cx, memory: fn(&Cx, i32) -> End) {
    cx.enable(1, 0);
    let copy = copying(cx, 1, memory(cx, 1), plain(cx, 0));
    copy.from.open(cx, false);
    copy.arrives(cx, 1);
}

fn from_the_pool_peer_access_is_taken_by_its_device(cx: &Cx) {
    peer_access_is_taken(cx, pooled);
}

fn from_the_pool_peer_access_is_enough_for_its_device(cx: &Cx) {
    peer_access_is_enough(cx, pooled);
}

fn from_the_pool_the_other_device_takes_no_peer_access(cx: &Cx) {
    cx.enable(0, 1);
    cx.enable(1, 0);
    let copy = copying(cx, 0, pooled(cx, 1), plain(cx, 0));
    disable(cx, 0, 1);
    disable(cx, 1, 0);
    copy.arrives(cx, 1);
}

fn between_pools_no_peer_access_is_taken(cx: &Cx) {
    cx.enable(0, 1);
    cx.enable(1, 0);
    let copies = [0, 1].map(|device| copying(cx, device, pooled(cx, 0), pooled(cx, 1)));
    disable(cx, 0, 1);
    disable(cx, 1, 0);
    copies.iter().for_each(|copy| copy.arrives(cx, 1));
}

fn access_to_a_range_is_a_way(cx: &Cx) {
    for device in [0, 1] {
        goes_by_the_grant(cx, &copying(cx, device, plain(cx, 0), ranged(cx, 1)));
        goes_by_the_grant(cx, &copying(cx, device, ranged(cx, 1), plain(cx, 0)));
    }
}

/// Of the device that does nothing but push.
fn access_to_a_range_that_is_gone_closes_the_way(cx: &Cx) {
    let copy = copying(cx, 1, plain(cx, 0), ranged(cx, 1));
    is_closed_with(cx, &copy, &copy.to);
}

fn access_to_a_range_that_is_given_again_opens_it(cx: &Cx) {
    for copy in [copying(cx, 1, plain(cx, 0), ranged(cx, 1)), copying(cx, 0, ranged(cx, 1), plain(cx, 0))] {
        let end = if copy.to.by.is_some() { &copy.to } else { &copy.from };
        copy.arrives(cx, 1);
        end.open(cx, false);
        end.open(cx, true);
        copy.arrives(cx, 2);
    }
}

fn from_a_range_peer_access_is_taken_by_its_device(cx: &Cx) {
    peer_access_is_taken(cx, ranged);
}

fn from_a_range_peer_access_is_enough_for_its_device(cx: &Cx) {
    peer_access_is_enough(cx, ranged);
}
