//! What a call answers, and what the model says that it must.

use cuda_p2p::{CopyPath, Disabled, Error, ErrorClass};

/// What an action gave, as far as it can be foretold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Done,
    Bytes(Vec<u8>),
    Path(CopyPath),
    Disabled(Disabled),
    /// One for each question.
    Yes(Vec<bool>),
    /// A status of the runtime, asked around the crate.
    Status(u32),
}

/// An error, as far as it can be foretold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Want {
    /// This very one.
    Error(Error),
    /// A status of the runtime of this class.
    Class(ErrorClass),
    /// A status of the runtime, this one.
    Code(u32),
    /// A condition of a kernel's declaration, of whatever words.
    Precondition,
}

impl From<Error> for Want {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// What the model says of an action.
pub(crate) type Predicted = Result<Answer, Want>;

/// Whether it came as foretold.
pub(crate) fn agree(predicted: &Predicted, found: &cuda_p2p::Result<Answer>) -> bool {
    match (predicted, found) {
        (Ok(predicted), Ok(found)) => predicted == found,
        (Err(Want::Error(predicted)), Err(found)) => predicted == found,
        (Err(Want::Class(class)), Err(error @ Error::Cuda(_))) => error.class() == Some(*class),
        (Err(Want::Code(code)), Err(error @ Error::Cuda(_))) => error.code() == Some(*code),
        (Err(Want::Precondition), Err(Error::Precondition { .. })) => true,
        _ => false,
    }
}

/// The difference, in few words.
pub(crate) fn difference(predicted: &Predicted, found: &cuda_p2p::Result<Answer>) -> String {
    if let (Ok(Answer::Bytes(predicted)), Ok(Answer::Bytes(found))) = (predicted, found)
        && predicted.len() == found.len()
        && let Some(at) = (0..found.len()).find(|&at| predicted[at] != found[at])
    {
        let count = predicted.iter().zip(found).filter(|(a, b)| a != b).count();
        return format!(
            "{count} of {} bytes differ; the first is byte {at}: found {:#04x}, expected {:#04x}",
            found.len(),
            found[at],
            predicted[at]
        );
    }
    format!("found {found:?}, expected {predicted:?}")
}
