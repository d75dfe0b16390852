//! The functions of NVIDIA's library that the simulator does not have. Each answers 801, and sets the last error.
//!
//! They are there because a program may be linked so that it starts only if all symbols that it mentions are found.

macro_rules! unmodelled {
    ($($name:ident,)*) => {
        $(
            // The parameters are left out: the caller of a C function clears them away, and nothing reads them.
            #[unsafe(no_mangle)]
            extern "C" fn $name() -> cuda_p2p_sys::cudaError_t {
                crate::machine::not_supported()
            }
        )*

        /// The exported functions that the simulator has no model of at all, by C name.
        pub const UNMODELLED: &[&str] = &[$(stringify!($name)),*];
    };
}

include!(concat!(env!("OUT_DIR"), "/unmodelled.rs"));
