//! The forms of a call in a case: what it must answer. `context` has what they stand on.
//!
//! ```text
//! answers!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 1), 0);     must answer 0
//! refuses!(cx.cudaDeviceCanAccessPeer(&mut answer, 0, 99), 101);  must answer 101 and leave it as the last error
//! fails!(cx.cudaMemset(null, 0, 16));                             must fail; hardware has not told us how yet
//! record!(cx.cudaDeviceReset());                                  may answer anything; goes into the transcript
//! must!(cx.cudaMalloc(&mut pointer, bytes));                      set-up: the case stops if it fails
//! quiet!(cx.cudaMemset(slot, 0, bytes));                          set-up, one of thousands: not in the transcript
//! ```

/// One call through the table, reported and held against a [`Want`]. The forms that cases use stand below it.
macro_rules! call {
    ($want:expr, $text:expr, $cx:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        let text: &str = $text;
        match $cx.table.$function {
            Some(function) => {
                $cx.trying(text);
                // SAFETY: the arguments are valid for the call, or wrong in a way that the runtime itself has to answer for:
                // that is what cases are about, and the process is theirs alone.
                let status = unsafe { function($($argument),*) };
                $cx.answered(text, status, $want)
            }
            None => $cx.absent(stringify!($function)),
        }
    }};
}

/// A call as its source has it.
macro_rules! as_written {
    ($function:ident($($argument:expr),*)) => {
        concat!(stringify!($function), "(", stringify!($($argument),*), ")")
    };
}

/// The call must answer this code.
macro_rules! answers {
    ($cx:ident.$function:ident($($argument:expr),* $(,)?), $code:expr) => {
        $crate::calls::call!(
            $crate::context::Want::Code($code),
            $crate::calls::as_written!($function($($argument),*)),
            $cx.$function($($argument),*)
        )
    };
}

/// The call must fail with this code, and leave it as the last error, which is cleared.
macro_rules! refuses {
    ($cx:ident.$function:ident($($argument:expr),* $(,)?), $code:expr) => {{
        let status = $crate::calls::answers!($cx.$function($($argument),*), $code);
        $cx.last($code);
        status
    }};
}

/// The call must fail; which code hardware gives has not been recorded yet.
macro_rules! fails {
    ($cx:ident.$function:ident($($argument:expr),* $(,)?)) => {
        $crate::calls::call!(
            $crate::context::Want::Failure,
            $crate::calls::as_written!($function($($argument),*)),
            $cx.$function($($argument),*)
        )
    };
}

/// The call is made and recorded.
macro_rules! record {
    ($cx:ident.$function:ident($($argument:expr),* $(,)?)) => {
        $crate::calls::call!(
            $crate::context::Want::Anything,
            $crate::calls::as_written!($function($($argument),*)),
            $cx.$function($($argument),*)
        )
    };
}

/// The call is set-up: the case stops if it fails. A text of its own may show what the source does not, the values of
/// variables: `must!(cx.cudaSetDevice(device), "cudaSetDevice({device})")`.
macro_rules! must {
    ($cx:ident.$function:ident($($argument:expr),* $(,)?)) => {
        $crate::calls::call!(
            $crate::context::Want::Success,
            $crate::calls::as_written!($function($($argument),*)),
            $cx.$function($($argument),*)
        )
    };
    ($cx:ident.$function:ident($($argument:expr),* $(,)?), $text:literal) => {
        $crate::calls::call!($crate::context::Want::Success, &format!($text), $cx.$function($($argument),*))
    };
}

/// The call is one of very many in set-up: not in the transcript, and the case stops if it fails.
macro_rules! quiet {
    ($cx:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        let Some(function) = $cx.table.$function else { $cx.absent(stringify!($function)) };
        // SAFETY: as for `call!`.
        let status = unsafe { function($($argument),*) };
        assert!(status.0 == 0, "{} -> {}", stringify!($function), status.0);
    }};
}

pub(crate) use {answers, as_written, call, fails, must, quiet, record, refuses};
