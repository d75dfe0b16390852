//! Declaring kernels.

/// Declares the kernels of a module, once, and makes a typed function of each.
///
/// ```
/// use cuda_p2p::{DeviceSliceMut, PeerSlice};
/// # mod generated { pub fn module() -> cuda_p2p::KernelModule { *cuda_p2p::sys::kernels() } }
///
/// cuda_p2p::kernels! {
///     /// The kernels of `sum.cu`.
///     pub struct Sum = generated::module(); // in a crate with a build script: cuda_p2p::include_module!("sum")
///
///     // SAFETY: the parameters are those of sum.cu, and no kernel goes past `n` elements.
///     unsafe extern "CUDA" {
///         /// Adds a peer's `n` elements to this device's.
///         safe fn add<'a>(y: DeviceSliceMut<'a, f32>, x: PeerSlice<'a, f32>, n: u64) = "cuda_p2p_add_f32"
///         where n <= y.len() as u64, n <= x.len() as u64;
///     }
/// }
/// ```
///
/// gives `Sum::load(&runtime)`, which loads the module and checks the declaration against what was compiled, and
/// `sum.add(&stream, config, &mut y, access.slice(&x)?, n)`, which is asynchronous.
///
/// # A declaration
/// - The struct: its name, and after `=` the module, an expression of type [`KernelModule`](crate::KernelModule).
/// - `safe fn` makes a safe function, `unsafe fn` an unsafe one. Slices need one lifetime, which is declared.
/// - `= "name"` after the parameters gives the name in the .cu file if it is another one.
/// - The parameters, in the order of the .cu file. A plain value ([`bytemuck::Pod`]) is passed as it is; one of
///   [`DeviceSlice`](crate::DeviceSlice), [`DeviceSliceMut`](crate::DeviceSliceMut), [`PeerSlice`](crate::PeerSlice),
///   [`PeerSliceMut`](crate::PeerSliceMut), [`PeerAtomicSlice`](crate::PeerAtomicSlice),
///   [`KernelSlice`](crate::KernelSlice), [`KernelSliceMut`](crate::KernelSliceMut) as a pointer to its first
///   element. A length is a parameter of its own.
/// - `where` and conditions on the arguments by their names. They are checked before each launch.
///
/// # Before a launch
/// Slices must be of the launching device, and peer slices must have it as their accessor; else it is an error, and
/// nothing is launched. Memory is ordered behind what other streams do with it, and kept until the kernel is done.
///
/// # Safety
/// `unsafe extern` is the promise of whoever writes the declaration, for every `safe fn` in it:
/// - The parameters have the types and the order of the compiled kernel. (Number and sizes are checked, types cannot
///   be.)
/// - With arguments that meet the conditions, and in any shape of launch, the kernel stays within the slices that it
///   is given, does not write to those that are not `Mut`, does not race with itself, and keeps no pointer for later.
/// - Read-modify-write on a peer's memory is done only through a [`PeerAtomicSlice`](crate::PeerAtomicSlice).
///
/// An `unsafe fn` leaves some of that to its callers, and its text says what.
#[macro_export]
macro_rules! kernels {
    (
        $(#[$meta:meta])*
        $vis:vis struct $Kernels:ident = $module:expr;
        unsafe extern "CUDA" {
            $(
                $(#[$fn_meta:meta])*
                $safety:ident fn $name:ident $(<$lifetime:lifetime>)? ($($parameter:ident: $type:ty),* $(,)?)
                $(= $symbol:literal)?
                $(where $($condition:expr),+ $(,)?)?;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        $vis struct $Kernels {
            $($name: $crate::Kernel,)*
        }

        impl $Kernels {
            /// Loads the kernels, and checks their declarations against the compiled ones where the runtime can tell.
            ///
            /// # Errors
            /// Without machine code or host code for this runtime; for a kernel that does not exist, or has other
            /// parameters.
            $vis fn load(runtime: &$crate::Runtime) -> $crate::Result<Self> {
                let module: $crate::KernelModule = $module;
                ::core::result::Result::Ok(Self {
                    $($name: {
                        // A function, to give the lifetime of the types a place to be declared.
                        #[allow(clippy::extra_unused_lifetimes, reason = "used by the types in the body")]
                        fn __cuda_p2p_sizes$(<$lifetime>)?() -> &'static [::core::primitive::usize] {
                            &[$(::core::mem::size_of::<<$type as $crate::KernelParam>::Raw>()),*]
                        }
                        let symbol = $crate::__kernel_symbol!($name $($symbol)?);
                        $crate::Kernel::load(runtime, &module, symbol, __cuda_p2p_sizes())?
                    },)*
                })
            }

            /// One of the kernels, by its name in the .cu file: for its raw handle.
            #[allow(dead_code, reason = "whoever launches by the functions below needs no handle")]
            $vis fn kernel_named(&self, name: &::core::primitive::str) -> ::core::option::Option<$crate::Kernel> {
                let kernels: &[$crate::Kernel] = &[$(self.$name),*];
                for kernel in kernels {
                    if kernel.name() == name {
                        return ::core::option::Option::Some(*kernel);
                    }
                }
                ::core::option::Option::None
            }

            $(
                $crate::__kernel_fn! {
                    $safety [$(#[$fn_meta])*] [$vis] $name [$($lifetime)?] ($($parameter: $type),*) [$($($condition),+)?]
                }
            )*
        }
    };
}

/// The name of a kernel in the .cu file.
#[doc(hidden)]
#[macro_export]
macro_rules! __kernel_symbol {
    ($name:ident) => {
        ::core::stringify!($name)
    };
    ($name:ident $symbol:literal) => {
        $symbol
    };
}

/// One function of a kernel: safe or unsafe, as declared.
#[doc(hidden)]
#[macro_export]
macro_rules! __kernel_fn {
    (
        safe [$(#[$meta:meta])*] [$vis:vis] $name:ident [$($lifetime:lifetime)?]
        ($($parameter:ident: $type:ty),*) [$($condition:expr),*]
    ) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments, reason = "as many as the kernel has, and two")]
        $vis fn $name$(<$lifetime>)?(
            &self,
            stream: &$crate::Stream,
            config: $crate::LaunchConfig,
            $($parameter: impl $crate::IntoParam<$type>),*
        ) -> $crate::Result<()> {
            $crate::__kernel_body!(self stream config $name ($($parameter: $type),*) [$($condition),*])
        }
    };
    (
        unsafe [$(#[$meta:meta])*] [$vis:vis] $name:ident [$($lifetime:lifetime)?]
        ($($parameter:ident: $type:ty),*) [$($condition:expr),*]
    ) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments, reason = "as many as the kernel has, and two")]
        $vis unsafe fn $name$(<$lifetime>)?(
            &self,
            stream: &$crate::Stream,
            config: $crate::LaunchConfig,
            $($parameter: impl $crate::IntoParam<$type>),*
        ) -> $crate::Result<()> {
            $crate::__kernel_body!(self stream config $name ($($parameter: $type),*) [$($condition),*])
        }
    };
}

/// Checks, orders, launches.
#[doc(hidden)]
#[macro_export]
macro_rules! __kernel_body {
    (
        $self:ident $stream:ident $config:ident $name:ident ($($parameter:ident: $type:ty),*) [$($condition:expr),*]
    ) => {{
        $(let $parameter: $type = $crate::IntoParam::into_param($parameter);)*
        $(
            if !($condition) {
                return ::core::result::Result::Err($crate::Error::Precondition {
                    kernel: ::core::stringify!($name),
                    condition: ::core::stringify!($condition),
                });
            }
        )*
        $self.$name.check_stream($stream)?;
        $($crate::KernelParam::check(&$parameter, $stream)?;)*
        // Looked at again when the launch is in the stream.
        let sole = $crate::Sole::of($stream, [$($crate::KernelParam::behind(&$parameter, $stream)),*]);
        let _held: &[::core::option::Option<$crate::Held<'_>>] = if sole.is_some() {
            &[]
        } else {
            &[$(
                // SAFETY: nothing speaks against the stream, by the checks above, and the use ends with this function.
                unsafe { $crate::KernelParam::acquire(&$parameter, $stream) }?
            ),*]
        };
        // The names stand for the raw values from here on.
        $(
            // SAFETY: the use is acquired, and the value goes into this launch.
            let mut $parameter = unsafe { $crate::KernelParam::raw(&$parameter) };
        )*
        let parameters: &mut [*mut ::core::ffi::c_void] = &mut [$((&raw mut $parameter).cast()),*];
        // SAFETY: one value for each parameter, whose sizes were compared with the compiled kernel's; memory behind
        // them is held and ordered. What the kernel does with it is the promise of `unsafe extern`, or of the caller
        // of an `unsafe fn`.
        unsafe {
            if sole.is_some() {
                $self.$name.launch_now($stream, $config, parameters)
            } else {
                $self.$name.launch($stream, $config, parameters)
            }
        }
    }};
}

/// Embeds the kernels that this crate's build script compiled by `cuda_p2p_build` under a name: gives a
/// [`KernelModule`](crate::KernelModule).
///
/// `cuda_p2p::include_module!("saxpy")` takes what `Kernels::new("saxpy")` of the build script left in `OUT_DIR`.
#[macro_export]
macro_rules! include_module {
    ($name:literal) => {{
        const _: () = ::core::assert!(
            $crate::sys::kernel_module::is_module_name($name),
            "include_module! takes the name that the build script gave to `Kernels::new`"
        );
        $crate::sys::kernel_module::include_module!(concat!(
            env!(
                "OUT_DIR",
                "this crate needs a build.rs that calls cuda_p2p_build::Kernels::new(..).compile_or_exit()"
            ),
            "/",
            $name,
            ".rs"
        ))
    }};
}
