//! A host module written by hand: what the C++ compiler and its instrumentation would make of small kernels.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use cuda_p2p_sys::host_abi::{
    ACCESS_ATOMIC, ACCESS_READ, ACCESS_WRITE, HOST_ABI_VERSION, HOST_MAGIC, HostHooks, HostKernel,
    HostModule, HostParam,
};

static HOOKS: AtomicPtr<HostHooks> = AtomicPtr::new(ptr::null_mut());

unsafe extern "C-unwind" fn bind(hooks: *const HostHooks) {
    HOOKS.store(hooks.cast_mut(), Ordering::Release);
}

fn hooks() -> &'static HostHooks {
    // SAFETY: a kernel runs only after `bind` was given the simulator's table, which is static.
    unsafe { &*HOOKS.load(Ordering::Acquire) }
}

/// `store(unsigned *where, unsigned value)`: one thread writes one word.
unsafe extern "C-unwind" fn store(args: *const *mut c_void) {
    // SAFETY: the simulator passes the two arguments of the parameter table; the access is asked for before it is made.
    unsafe {
        let place: *mut u32 = (*args).cast::<*mut u32>().read();
        let value: u32 = (*args.add(1)).cast::<u32>().read();
        (hooks().access)(place.cast(), 4, ACCESS_WRITE);
        place.write_volatile(value);
    }
}

/// `add(unsigned *y, const unsigned *x, unsigned n)`: `y[i] += x[i]`, one thread an element.
unsafe extern "C-unwind" fn add(args: *const *mut c_void) {
    // SAFETY: as in `store`.
    unsafe {
        let y: *mut u32 = (*args).cast::<*mut u32>().read();
        let x: *const u32 = (*args.add(1)).cast::<*const u32>().read();
        let n: u32 = (*args.add(2)).cast::<u32>().read();
        let thread = &*(hooks().current)();
        let i = thread.block_idx.x * thread.block_dim.x + thread.thread_idx.x;
        if i < n {
            let (y, x) = (y.add(i as usize), x.add(i as usize));
            (hooks().access)(x.cast(), 4, ACCESS_READ);
            let more = x.read_volatile();
            (hooks().access)(y.cast(), 4, ACCESS_READ);
            let old = y.read_volatile();
            (hooks().access)(y.cast(), 4, ACCESS_WRITE);
            y.write_volatile(old.wrapping_add(more));
        }
    }
}

/// `copy_struct(Big *to, const Big *from)`, where `Big` has 24 bytes: both sides are announced, then all is copied. Twice, by way
/// of `to[1]`.
unsafe extern "C-unwind" fn copy_struct(args: *const *mut c_void) {
    // SAFETY: as in `store`.
    unsafe {
        let to: *mut [u8; 24] = (*args).cast::<*mut [u8; 24]>().read();
        let from: *const [u8; 24] = (*args.add(1)).cast::<*const [u8; 24]>().read();
        for (to, from) in [(to.add(1), from), (to, to.add(1).cast_const())] {
            (hooks().access)(to.cast(), 24, ACCESS_WRITE);
            (hooks().access)(from.cast(), 24, ACCESS_READ);
            to.write_volatile(from.read_volatile());
        }
    }
}

/// `linger(unsigned *where, unsigned value)`: one thread writes one word, and is then busy for a while with no access at all.
unsafe extern "C-unwind" fn linger(args: *const *mut c_void) {
    // SAFETY: as in `store`, whose arguments these are.
    unsafe { store(args) };
    std::thread::sleep(std::time::Duration::from_millis(2));
}

/// `count(unsigned long long *at, unsigned long long *seen)`: `*seen = atomicAdd(at, 1)`, twice.
unsafe extern "C-unwind" fn count(args: *const *mut c_void) {
    // SAFETY: as in `store`.
    unsafe {
        let at: *mut u64 = (*args).cast::<*mut u64>().read();
        let seen: *mut u64 = (*args.add(1)).cast::<*mut u64>().read();
        for _ in 0..2 {
            (hooks().access)(at.cast(), 8, ACCESS_ATOMIC);
            let old = AtomicU64::from_ptr(at).fetch_add(1, Ordering::AcqRel);
            (hooks().access)(seen.cast(), 8, ACCESS_WRITE);
            seen.write_volatile(old);
        }
    }
}

/// `ping(unsigned *mine, unsigned *theirs, unsigned rounds, unsigned first)`: two kernels pass a number to and fro.
unsafe extern "C-unwind" fn ping(args: *const *mut c_void) {
    // SAFETY: as in `store`.
    unsafe {
        let mine: *const u32 = (*args).cast::<*const u32>().read();
        let theirs: *mut u32 = (*args.add(1)).cast::<*mut u32>().read();
        let rounds: u32 = (*args.add(2)).cast::<u32>().read();
        let first: u32 = (*args.add(3)).cast::<u32>().read();
        for round in 1..=rounds {
            if first == 0 {
                wait_for(mine, round);
            }
            (hooks().access)(theirs.cast(), 4, ACCESS_WRITE);
            AtomicU32::from_ptr(theirs).store(round, Ordering::Release);
            if first != 0 {
                wait_for(mine, round);
            }
        }
    }
}

/// `spin(const unsigned *flag)`: returns when the flag is not 0.
unsafe extern "C-unwind" fn spin(args: *const *mut c_void) {
    // SAFETY: as in `store`.
    unsafe { wait_for((*args).cast::<*const u32>().read(), 1) }
}

unsafe fn wait_for(flag: *const u32, least: u32) {
    loop {
        // SAFETY: the caller's pointer is a kernel argument; the access is asked for before it is made.
        unsafe {
            (hooks().access)(flag.cast(), 4, ACCESS_READ);
            if AtomicU32::from_ptr(flag.cast_mut()).load(Ordering::Acquire) >= least {
                return;
            }
        }
    }
}

const fn params<const N: usize>(sizes: [u32; N]) -> [HostParam; N] {
    let mut all = [HostParam { offset: 0, size: 0 }; N];
    let (mut index, mut offset) = (0, 0_u32);
    while index < N {
        offset = offset.next_multiple_of(sizes[index]);
        all[index] = HostParam { offset, size: sizes[index] };
        offset += sizes[index];
        index += 1;
    }
    all
}

struct Table<const N: usize>([HostKernel; N]);

// SAFETY: immutable, and its pointers lead to statics.
unsafe impl<const N: usize> Sync for Table<N> {}

const fn kernel(
    name: &'static CStr,
    invoke: unsafe extern "C-unwind" fn(*const *mut c_void),
    params: &'static [HostParam],
    max_threads: u32,
) -> HostKernel {
    let name: *const c_char = name.as_ptr();
    HostKernel { name, invoke, params: params.as_ptr(), param_count: params.len() as u32, max_threads }
}

static STORE: [HostParam; 2] = params([8, 4]);
static ADD: [HostParam; 3] = params([8, 8, 4]);
static PING: [HostParam; 4] = params([8, 8, 4, 4]);
static SPIN: [HostParam; 1] = params([8]);
static TWO_PLACES: [HostParam; 2] = params([8, 8]);

static KERNELS: Table<7> = Table([
    kernel(c"store", store, &STORE, 0),
    kernel(c"add", add, &ADD, 256),
    kernel(c"ping", ping, &PING, 0),
    kernel(c"spin", spin, &SPIN, 0),
    kernel(c"copy_struct", copy_struct, &TWO_PLACES, 0),
    kernel(c"count", count, &TWO_PLACES, 0),
    kernel(c"linger", linger, &STORE, 0),
]);

pub(crate) static MODULE: HostModule = HostModule {
    magic: HOST_MAGIC,
    version: HOST_ABI_VERSION,
    kernel_count: 7,
    kernels: KERNELS.0.as_ptr(),
    bind,
};

impl super::Session {
    /// The kernel of this name of [`MODULE`], loaded anew.
    pub(crate) fn kernel(&self, name: &CStr) -> *const c_void {
        let (mut library, mut kernel) = (ptr::null_mut(), ptr::null_mut());
        let code = ptr::from_ref(&MODULE).cast();
        let none = ptr::null_mut();
        let (options, values) = (ptr::null_mut(), ptr::null_mut());
        assert_eq!(
            cuda!(
                self,
                cudaLibraryLoadData(&mut library, code, ptr::null_mut(), none, 0, options, values, 0)
            ),
            0
        );
        assert_eq!(cuda!(self, cudaLibraryGetKernel(&mut kernel, library, name.as_ptr())), 0);
        kernel.cast_const().cast()
    }

    /// Launches; each argument is a pointer to its value.
    pub(crate) fn launch(
        &self,
        kernel: *const c_void,
        (blocks, threads): (u32, u32),
        stream: cuda_p2p_sys::cudaStream_t,
        args: &[*const c_void],
    ) -> u32 {
        let line = |x| cuda_p2p_sys::dim3 { x, y: 1, z: 1 };
        let mut args: Vec<*mut c_void> = args.iter().map(|arg| arg.cast_mut()).collect();
        cuda!(self, cudaLaunchKernel(kernel, line(blocks), line(threads), args.as_mut_ptr(), 0, stream))
    }
}

/// The address of an argument's value.
pub(crate) fn arg<T>(value: &T) -> *const c_void {
    ptr::from_ref(value).cast()
}
