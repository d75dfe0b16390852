//! The whole way on a simulated pair: enable, copy by copy engine, read and write the peer by a kernel, disable. The
//! owner's side checks what arrived. Asserts nothing about time.

use cuda_p2p::builtin::{CheckResult, Kernels};
use cuda_p2p::sim::MachineConfig;
use cuda_p2p::{CopyPath, Disabled, LaunchConfig, PeerAccess, Result, Runtime};

#[test]
fn a_pair_is_enabled_used_and_disabled() -> Result<()> {
    let runtime = Runtime::simulated(MachineConfig::pair())?;
    assert!(runtime.is_simulated());
    let kernels = Kernels::load(&runtime)?;
    let (accessor, owner) = (runtime.device(0)?, runtime.device(1)?);
    let (here, there) = (accessor.new_stream()?, owner.new_stream()?);
    let (access, back) = PeerAccess::enable_both(&accessor, &owner)?;
    assert!(access.enabled_here());

    const BYTES: u64 = 70_001;
    let config = LaunchConfig::for_elements(BYTES as usize / 16);
    let mut near = accessor.alloc_zeroed::<u8>(BYTES as usize)?;
    let mut far = owner.alloc_zeroed::<u8>(BYTES as usize)?;

    // A kernel of the accessor writes the owner's memory; a kernel of the owner checks it.
    kernels.fill(&here, config, access.slice_mut(&mut far)?, BYTES, 7)?;
    let mut found = owner.alloc_from(&[CheckResult::CLEAN])?;
    kernels.check(&there, config, &far, BYTES, 7, &mut found)?;
    assert!(found.to_vec()?[0].is_clean(BYTES));
    // The check can fail.
    kernels.check(&there, config, &far, BYTES, 8, &mut found)?;
    assert!(!found.to_vec()?[0].is_clean(2 * BYTES));

    // A copy engine brings it back; a kernel of the accessor reads the owner's memory.
    assert_eq!(here.copy_peer_async(&mut near, &far)?, CopyPath::Direct);
    let mut found = accessor.alloc_from(&[CheckResult::CLEAN])?;
    kernels.check(&here, config, &near, BYTES, 7, &mut found)?;
    kernels.check(&here, config, access.slice(&far)?, BYTES, 7, &mut found)?;
    assert!(found.to_vec()?[0].is_clean(2 * BYTES));

    assert_eq!(access.disable()?, Disabled::Disabled);
    assert_eq!(back.disable()?, Disabled::Disabled);
    assert_eq!(runtime.deferred_errors(), []);
    Ok(())
}
