//! Launches: what is refused before, and what the kernels do.

use cuda_p2p::{Error, ErrorClass};

use super::{DONE, Model, ordinal, same_device};
use crate::action::{Kernel, Part, Shape, View};
use crate::answer::{Predicted, Want};
use crate::pattern::pattern;

/// Bytes of a word.
const WORD: usize = 4;

impl Model {
    pub(super) fn predict_launch(
        &mut self,
        kernel: Kernel,
        to: &View,
        from: Option<&View>,
        stream: usize,
        shape: Shape,
    ) -> Predicted {
        let words = matches!(
            kernel,
            Kernel::Add { .. } | Kernel::Store { .. } | Kernel::Count { .. } | Kernel::CountHere { .. }
        );
        // The views are made in this order.
        self.check_view(to, words, matches!(kernel, Kernel::Count { .. }))?;
        if let Some(from) = from {
            self.check_view(from, words, false)?;
        }
        let size = if words { WORD } else { 1 };
        let has = |view: &View| (view.part.range.len() / size) as u64;
        let (fits, enough) = match kernel {
            Kernel::Fill { amount, .. } => (amount <= has(to), true),
            Kernel::Copy { amount } | Kernel::Fetch { amount } | Kernel::Add { amount } => {
                (amount <= has(to), from.is_none_or(|from| amount <= has(from)))
            }
            Kernel::Store { .. } | Kernel::Count { .. } | Kernel::CountHere { .. } => (has(to) > 0, true),
        };
        if !(fits && enough) {
            return Err(Want::Precondition);
        }
        for view in [Some(to), from].into_iter().flatten() {
            self.check_for(view, stream)?;
        }
        if !shape.is_possible() {
            return Err(Want::Class(ErrorClass::InvalidArgument));
        }
        self.launch(kernel, &to.part, from.map(|view| &view.part), shape);
        DONE
    }

    /// The errors of slicing, casting and asking for a peer slice.
    pub(super) fn check_view(&self, view: &View, words: bool, atomic: bool) -> Result<(), Want> {
        let Part { buffer, range } = &view.part;
        self.check_part(&view.part)?;
        let (bytes, misalignment) = (range.len(), range.start % WORD);
        if words && (!bytes.is_multiple_of(WORD) || misalignment != 0) {
            return Err(Error::BadCast { bytes, misalignment, size: WORD, align: WORD }.into());
        }
        let Some((accessor, owner)) = view.token.and_then(|token| self.tokens[token]) else { return Ok(()) };
        if atomic && !self.machine.atomics {
            let (accessor, owner) = (ordinal(accessor), ordinal(owner));
            return Err(Error::NoNativeAtomics { accessor, owner }.into());
        }
        same_device("the memory to view", owner, self.buffer(*buffer).device)?;
        self.check_granted(accessor, *buffer)
    }

    /// The error of a view that the launching device may not use.
    pub(super) fn check_for(&self, view: &View, stream: usize) -> Result<(), Want> {
        match view.token.and_then(|token| self.tokens[token]) {
            Some((accessor, _)) => same_device("the peer slice's accessor", self.stream(stream), accessor),
            None => self.check_own(&view.part, stream),
        }
    }

    fn launch(&mut self, kernel: Kernel, to: &Part, from: Option<&Part>, shape: Shape) {
        let threads = shape.blocks * shape.threads;
        match kernel {
            Kernel::Fill { amount, seed } => {
                let bytes = pattern(seed, as_len(amount));
                self.bytes_of(to)[..bytes.len()].copy_from_slice(&bytes);
            }
            Kernel::Copy { amount } | Kernel::Fetch { amount } => {
                if let Some(from) = from {
                    self.copy(&first(to, as_len(amount)), &first(from, as_len(amount)));
                }
            }
            Kernel::Add { amount } => {
                if let Some(from) = from {
                    let sums =
                        self.sums(&first(to, as_len(amount) * WORD), &first(from, as_len(amount) * WORD));
                    self.bytes_of(to)[..sums.len()].copy_from_slice(&sums);
                }
            }
            Kernel::Store { value, .. } => self.change_word(to, |_| value),
            Kernel::Count { times } | Kernel::CountHere { times } => {
                self.change_word(to, |word| word.wrapping_add(threads * times));
            }
        }
    }

    /// The sums of two parts of equal length, as floats.
    pub(super) fn sums(&self, to: &Part, from: &Part) -> Vec<u8> {
        let floats = |part: &Part| -> Vec<f32> {
            let bytes = &self.buffer(part.buffer).bytes[part.range.clone()];
            bytes.chunks_exact(WORD).map(|it| f32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect()
        };
        let sums = floats(to).into_iter().zip(floats(from)).map(|(y, x)| y + x);
        sums.flat_map(f32::to_le_bytes).collect()
    }

    fn change_word(&mut self, to: &Part, change: impl FnOnce(u32) -> u32) {
        if let Some(word) = self.bytes_of(to).first_chunk_mut::<WORD>() {
            *word = change(u32::from_le_bytes(*word)).to_le_bytes();
        }
    }
}

fn as_len(amount: u64) -> usize {
    usize::try_from(amount).expect("amounts are those of small buffers")
}

/// The first bytes of a part.
fn first(part: &Part, bytes: usize) -> Part {
    Part { buffer: part.buffer, range: part.range.start..part.range.start + bytes }
}
