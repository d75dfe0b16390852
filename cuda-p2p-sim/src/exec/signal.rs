//! The last line behind the hooks: a signal that a kernel's own code raises ends its launch instead of the process.

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod system {
    /// Does nothing here: a fault that no hook reports ends the process.
    pub(in super::super) fn install() {}
    /// Does nothing here.
    pub(in super::super) fn prepare_os_thread() {}
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod system {
    use std::cell::OnceCell;
    use std::ffi::{c_int, c_void};
    use std::mem::MaybeUninit;
    use std::ptr;
    use std::sync::OnceLock;

    use corosensei::trap::TrapHandlerRegs;

    use super::super::context::Context;
    use super::super::fault::AccessKind;
    use super::super::thread::Wrong;

    const SIGNALS: [c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];
    /// Bytes of a signal stack of our own; far more than the handler needs beside the registers that the system saves.
    const SIGNAL_STACK: usize = 64 << 10;

    static PREVIOUS: [OnceLock<libc::sigaction>; SIGNALS.len()] = [const { OnceLock::new() }; SIGNALS.len()];

    /// Puts the handlers in place, once a process.
    pub(in super::super) fn install() {
        static ONCE: OnceLock<()> = OnceLock::new();
        ONCE.get_or_init(|| {
            for (signal, previous) in SIGNALS.into_iter().zip(&PREVIOUS) {
                let mut before = MaybeUninit::<libc::sigaction>::zeroed();
                // SAFETY: asks for the present action only; all zeros is a valid value of this C struct.
                let before = unsafe {
                    libc::sigaction(signal, ptr::null(), before.as_mut_ptr());
                    before.assume_init()
                };
                // Known before the handler can run.
                let _ = previous.set(before);
                // SAFETY: all zeros is a valid value of this C struct; the fields that matter are set below.
                let mut action = unsafe { MaybeUninit::<libc::sigaction>::zeroed().assume_init() };
                action.sa_sigaction =
                    handle as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                // SAFETY: `handle` has the signature that SA_SIGINFO asks for and does what a handler may.
                unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
            }
        });
    }

    /// Sees to it that this OS thread has a signal stack: a thread stack that has overflowed cannot hold the handler.
    pub(in super::super) fn prepare_os_thread() {
        thread_local! {
            static OWN: OnceCell<Option<SignalStack>> = const { OnceCell::new() };
        }
        OWN.with(|own| {
            own.get_or_init(SignalStack::if_missing);
        });
    }

    struct SignalStack {
        memory: Box<[u8]>,
    }

    impl SignalStack {
        fn if_missing() -> Option<SignalStack> {
            let mut present = MaybeUninit::<libc::stack_t>::zeroed();
            // SAFETY: asks for the present stack only; all zeros is a valid value of this C struct.
            let present = unsafe {
                libc::sigaltstack(ptr::null(), present.as_mut_ptr());
                present.assume_init()
            };
            if present.ss_flags & libc::SS_DISABLE == 0 {
                return None;
            }
            let mut stack = SignalStack { memory: vec![0; SIGNAL_STACK].into_boxed_slice() };
            let wanted =
                libc::stack_t { ss_sp: stack.memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: SIGNAL_STACK };
            // SAFETY: the memory stays in place until the value is dropped, which takes the stack out of use first.
            unsafe { libc::sigaltstack(&raw const wanted, ptr::null_mut()) };
            Some(stack)
        }
    }

    impl Drop for SignalStack {
        fn drop(&mut self) {
            let none = libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
            // SAFETY: takes the stack of this OS thread out of use; no handler runs on it now.
            unsafe { libc::sigaltstack(&raw const none, ptr::null_mut()) };
        }
    }

    extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, user: *mut c_void) {
        // SAFETY: the system calls this handler with a siginfo_t and a ucontext_t that live until it returns.
        let (info, user) = unsafe { (&*info, &mut *user.cast::<libc::ucontext_t>()) };
        if !end_thread(signal, info, user) {
            pass_on(signal, info, user);
        }
    }

    /// Makes the interrupted code, if it is a kernel's own, return to the scheduler as a thread that has gone wrong.
    fn end_thread(signal: c_int, info: &libc::siginfo_t, user: &mut libc::ucontext_t) -> bool {
        // Zero and below: sent by a process, not raised by an instruction.
        if info.si_code <= 0 {
            return false;
        }
        let Some(context) = Context::current() else { return false };
        let Some((trap, stack)) = context.in_kernel() else { return false };
        if !trap.stack_ptr_in_bounds(stack_pointer(user)) {
            return false;
        }
        // SAFETY: the four signals carry an address.
        let address = unsafe { info.si_addr() }.addr();
        let overflow = signal == libc::SIGSEGV && address < stack.base && trap.stack_ptr_in_bounds(address);
        context.note(match signal {
            _ if overflow => Wrong::StackOverflow,
            libc::SIGFPE => {
                Wrong::Signal("divided an integer by zero, which a GPU answers with a number of no use")
            }
            libc::SIGILL => Wrong::Signal("met an instruction that the host's processor does not know"),
            _ => Wrong::Access { address, bytes: 0, access: access_kind(user) },
        });
        // SAFETY: the stack pointer is on this thread's stack, and the registers are set as asked below. What the thread
        // leaves behind is what it would at any hook: frames that own nothing (`KernelRef::new`).
        let registers = unsafe { trap.setup_trap_handler(|| ()) };
        set_registers(user, registers);
        true
    }

    /// Lets the handler that was there before have the signal.
    fn pass_on(signal: c_int, info: &libc::siginfo_t, user: &mut libc::ucontext_t) {
        let previous = SIGNALS.iter().position(|&it| it == signal).and_then(|index| PREVIOUS[index].get());
        let handler = previous.map_or(libc::SIG_DFL, |previous| previous.sa_sigaction);
        let sent = info.si_code <= 0;
        if handler == libc::SIG_IGN && sent {
            // Ignored as before; a fault of an instruction cannot be.
        } else if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
            // SAFETY: restores the default action, which ends the process: when the instruction faults again, or by
            // the signal sent once more.
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
                if sent {
                    libc::raise(signal);
                }
            }
        } else if previous.is_some_and(|previous| previous.sa_flags & libc::SA_SIGINFO != 0) {
            // SAFETY: with SA_SIGINFO the address is that of a handler with this signature.
            let handler: extern "C" fn(c_int, *const libc::siginfo_t, *mut libc::ucontext_t) =
                unsafe { std::mem::transmute(handler) };
            handler(signal, info, user);
        } else {
            // SAFETY: without SA_SIGINFO the address is that of a handler with this signature.
            let handler: extern "C" fn(c_int) = unsafe { std::mem::transmute(handler) };
            handler(signal);
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn stack_pointer(user: &libc::ucontext_t) -> usize {
        user.uc_mcontext.gregs[libc::REG_RSP as usize] as usize
    }

    #[cfg(target_arch = "x86_64")]
    fn access_kind(user: &libc::ucontext_t) -> AccessKind {
        // Bit 1 of a page fault's error code: the access was a write.
        if user.uc_mcontext.gregs[libc::REG_ERR as usize] & 2 == 0 {
            AccessKind::Read
        } else {
            AccessKind::Write
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn set_registers(user: &mut libc::ucontext_t, registers: TrapHandlerRegs) {
        let TrapHandlerRegs { rip, rsp, rbp, rdi, rsi } = registers;
        let pairs = [
            (libc::REG_RIP, rip),
            (libc::REG_RSP, rsp),
            (libc::REG_RBP, rbp),
            (libc::REG_RDI, rdi),
            (libc::REG_RSI, rsi),
        ];
        for (register, value) in pairs {
            user.uc_mcontext.gregs[register as usize] = value as i64;
        }
    }

    #[cfg(target_arch = "aarch64")]
    fn stack_pointer(user: &libc::ucontext_t) -> usize {
        user.uc_mcontext.sp as usize
    }

    #[cfg(target_arch = "aarch64")]
    fn access_kind(_: &libc::ucontext_t) -> AccessKind {
        AccessKind::Unknown
    }

    #[cfg(target_arch = "aarch64")]
    fn set_registers(user: &mut libc::ucontext_t, registers: TrapHandlerRegs) {
        let TrapHandlerRegs { pc, sp, x0, x1, x29, lr } = registers;
        let to = &mut user.uc_mcontext;
        to.pc = pc;
        to.sp = sp;
        for (register, value) in [(0, x0), (1, x1), (29, x29), (30, lr)] {
            to.regs[register] = value;
        }
    }
}

pub(super) use system::{install, prepare_os_thread};
