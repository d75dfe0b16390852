//! The field on the host: how it begins, and what it must become. Both ranks' cells lie in a ring, those of rank 0 first.

/// The whole ring before the first step.
pub(crate) fn start(cells: usize) -> Vec<u32> {
    (0..2 * cells as u32).map(|cell| cell.wrapping_mul(2_654_435_761)).collect()
}

/// The whole ring after so many steps.
pub(crate) fn after(steps: usize, cells: usize) -> Vec<u32> {
    let mut before = start(cells);
    let mut after = before.clone();
    for _ in 0..steps {
        let length = before.len();
        for (cell, value) in after.iter_mut().enumerate() {
            let (left, right) = (before[(cell + length - 1) % length], before[(cell + 1) % length]);
            *value = left.wrapping_add(before[cell].wrapping_mul(3)).wrapping_add(right).wrapping_add(1);
        }
        std::mem::swap(&mut before, &mut after);
    }
    before
}
