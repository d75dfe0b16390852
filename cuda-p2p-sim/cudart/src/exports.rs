//! The functions of the table, under their C names.
#![allow(non_snake_case, reason = "names of functions and parameters are those of the C headers")]

use cuda_p2p_sys::*;

use crate::machine::{Refusal, table};
use crate::registration;

/// `symbol = field(parameters) -> status`: exports `symbol`, which calls the entry `field` of the simulator's table.
macro_rules! forward {
    ($symbol:ident = $field:ident($($parameter:ident: $type:ty),* $(,)?) -> $status:ty) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol($($parameter: $type),*) -> $status {
            match table().map(|table| table.$field) {
                // SAFETY: the function has this one's type, and its caller keeps the contract of its C name.
                Ok(Some(function)) => unsafe { function($($parameter),*) },
                Ok(None) => Refusal::refusal(crate::machine::not_supported()),
                Err(status) => Refusal::refusal(status),
            }
        }
        // The compiler's check that the exported function is what the headers declare.
        const _: fn(&mut CudaRuntime) = |table| table.$field = Some($symbol);
    };
}

/// As [`forward!`], where the parameter after the semicolon names a kernel: it may be the host half of one that nvcc
/// compiled into the program.
macro_rules! forward_kernel {
    ($symbol:ident = $field:ident($($parameter:ident: $type:ty),* $(,)?) -> $status:ty; $kernel:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol($($parameter: $type),*) -> $status {
            match table().map(|table| (table.$field, registration::kernel(table, $kernel))) {
                // SAFETY: the function has this one's type, and its caller keeps the contract of its C name; a kernel's
                // handle may stand where a host function stood.
                Ok((Some(function), Ok($kernel))) => unsafe { function($($parameter),*) },
                Ok((Some(_), Err(status))) | Err(status) => status,
                Ok((None, _)) => crate::machine::not_supported(),
            }
        }
        // The compiler's check that the exported function is what the headers declare.
        const _: fn(&mut CudaRuntime) = |table| table.$field = Some($symbol);
    };
}

include!(concat!(env!("OUT_DIR"), "/exports.rs"));
