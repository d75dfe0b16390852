//! cudarc's own copies between two GPUs, before and after one call of cuda-p2p; kernels of both crates that read the other GPU's
//! memory, on cudarc's memory and cudarc's streams.

mod adapter;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use cuda_p2p::{LaunchConfig, PeerAccess, Runtime, builtin};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, PushKernelArg};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// 1 GiB of u32.
const LEN: usize = 1 << 28;
const COPIES: u32 = 10;

static PASSED: AtomicU32 = AtomicU32::new(0);
static SKIPPED: AtomicU32 = AtomicU32::new(0);

fn main() -> ExitCode {
    // SAFETY: looks for a library, and opens it.
    if !unsafe { cudarc::driver::sys::is_culib_present() } || CudaContext::device_count().unwrap_or(0) < 2 {
        println!("skipped: needs two GPUs\n0 passed, 0 failed, 1 skipped");
        return ExitCode::SUCCESS;
    }
    let outcome = run();
    if let Err(error) = &outcome {
        eprintln!("cudarc-peers: {error}");
    }
    let [passed, skipped] = [&PASSED, &SKIPPED].map(|count| count.load(Ordering::Relaxed));
    println!("{passed} passed, {} failed, {skipped} skipped", u32::from(outcome.is_err()));
    if outcome.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run() -> Outcome {
    let (first, second) = (CudaContext::new(0)?, CudaContext::new(1)?);
    let (here, there) = (first.new_stream()?, second.new_stream()?);
    let values: Vec<u32> = (0..LEN as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let source = there.clone_htod(&values)?;
    let mut destination = here.alloc_zeros::<u32>(LEN)?;

    let before = gb_per_s(&here, &source, &mut destination)?;
    println!("cudarc's memcpy_dtod, device 1 -> device 0, 1 GiB: {before:.1} GB/s as it comes");

    let runtime = Runtime::load()?;
    let (gpu0, gpu1) = (adapter::device(&runtime, &first)?, adapter::device(&runtime, &second)?);
    let access = gpu0.enable_peer_access(&gpu1)?;
    let enabled = gb_per_s(&here, &source, &mut destination)?;
    println!("  with peer access enabled, which does not cover its memory: {enabled:.1} GB/s");

    // cudarc allocates from the devices' default pools.
    gpu1.default_mem_pool()?.enable_access_from(&[gpu0])?;
    gpu0.default_mem_pool()?.enable_access_from(&[gpu1])?;
    here.memset_zeros(&mut destination)?;
    let after = gb_per_s(&here, &source, &mut destination)?;
    println!("  with its pools opened by cuda-p2p: {after:.1} GB/s, {:.1} times as fast", after / before);
    check("the copies", here.clone_dtoh(&destination)? == values)?;
    drop((source, destination));

    our_kernel(&runtime, &access, &here, &there)?;
    handed_over(&runtime, &access, &here, &there)?;
    their_kernel(&runtime, &access, &here, &there)
}

/// GB/s of copies in a row, all of them queued before they are waited for.
fn gb_per_s(
    here: &Arc<CudaStream>,
    source: &CudaSlice<u32>,
    destination: &mut CudaSlice<u32>,
) -> Outcome<f64> {
    here.memcpy_dtod(source, destination)?;
    here.synchronize()?;
    let start = Instant::now();
    for _ in 0..COPIES {
        here.memcpy_dtod(source, destination)?;
    }
    here.synchronize()?;
    Ok(f64::from(COPIES) * source.num_bytes() as f64 / start.elapsed().as_secs_f64() / 1e9)
}

/// A kernel of cuda-p2p on cudarc's stream of device 0 adds cudarc's memory of device 1 to cudarc's memory of device 0.
fn our_kernel(
    runtime: &Runtime,
    access: &PeerAccess,
    here: &Arc<CudaStream>,
    there: &Arc<CudaStream>,
) -> Outcome {
    let len = 1_000_003;
    let values: Vec<f32> = (0..len).map(|i| i as f32).collect();
    let far = there.clone_htod(&values)?;
    let mut near = here.clone_htod(&vec![0.5f32; len])?;
    let kernels = builtin::Kernels::load(runtime)?;
    let stream = adapter::stream(runtime, here)?;
    for _ in 0..4 {
        adapter::read(runtime, &far, |x| {
            adapter::write(runtime, &mut near, |mut y| {
                let x = access.slice(x)?;
                kernels.add_f32(&stream, LaunchConfig::for_elements(len), y.reborrow(), x, len as u64)
            })
        })?;
    }
    // cudarc frees it, behind the kernels: it was told of them.
    drop(far);
    let found = here.clone_dtoh(&near)?;
    let exact = found.iter().zip(&values).all(|(found, value)| *found == 0.5 + 4.0 * value);
    check("cuda-p2p's kernel on cudarc's stream reads a CudaSlice of the other device", exact)
}

/// A `CudaSlice` that cuda-p2p keeps.
fn handed_over(
    runtime: &Runtime,
    access: &PeerAccess,
    here: &Arc<CudaStream>,
    there: &Arc<CudaStream>,
) -> Outcome {
    let x = adapter::take(runtime, there.clone_htod(&[2.5f32; 1000])?)?;
    let mut y = access.accessor().alloc_zeroed::<f32>(1000)?;
    let kernels = builtin::Kernels::load(runtime)?;
    let stream = adapter::stream(runtime, here)?;
    kernels.add_f32(&stream, LaunchConfig::for_elements(1000), &mut y, access.slice(&x)?, 1000)?;
    drop(x);
    check("a CudaSlice handed over to cuda-p2p is read by the other device", y.to_vec()? == [2.5f32; 1000])?;
    access.owner().synchronize()?;
    check("nothing is left over", runtime.deferred_errors().is_empty())
}

/// A kernel of cudarc's is given the address that cuda-p2p checked.
fn their_kernel(
    runtime: &Runtime,
    access: &PeerAccess,
    here: &Arc<CudaStream>,
    there: &Arc<CudaStream>,
) -> Outcome {
    // SAFETY: looks for a library, and opens it.
    if !unsafe { cudarc::nvrtc::sys::is_culib_present() } {
        println!("skipped: cudarc's own kernel needs NVRTC");
        SKIPPED.fetch_add(1, Ordering::Relaxed);
        return Ok(());
    }
    let source = r#"extern "C" __global__ void twice(unsigned *out, const unsigned *in, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = 2 * in[i];
    }"#;
    let module = here.context().load_module(cudarc::nvrtc::compile_ptx(source)?)?;
    let twice = module.load_function("twice")?;
    let len = 100_000u32;
    let far = there.clone_htod(&(0..len).collect::<Vec<u32>>())?;
    let mut out = here.alloc_zeros::<u32>(len as usize)?;
    let stream = adapter::stream(runtime, here)?;
    let (n, config) = (len as i32, cudarc::driver::LaunchConfig::for_num_elems(len));
    adapter::read(runtime, &far, |x| {
        // For work that cudarc puts into that stream next.
        let address = access.slice(x)?.as_raw_on(&stream)? as u64;
        let mut launch = here.launch_builder(&twice);
        launch.arg(&mut out).arg(&address).arg(&n);
        // SAFETY: the kernel's own parameters; each address has `len` elements, and this device may access both.
        Ok(unsafe { launch.launch(config) })
    })??;
    let found = here.clone_dtoh(&out)?;
    check("cudarc's kernel reads memory of the other device", found.iter().zip(0..).all(|(v, i)| *v == 2 * i))
}

fn check(what: &str, holds: bool) -> Outcome {
    println!("{} {what}", if holds { "exact:" } else { "WRONG:" });
    if !holds {
        return Err(what.into());
    }
    PASSED.fetch_add(1, Ordering::Relaxed);
    Ok(())
}
