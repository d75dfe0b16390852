//! Boxes of elements in linear memory: rows, and slices of rows, with gaps between them.

use crate::error::{Result, ShapeError};

/// How a box of elements lies in memory: `depth` slices of `height` rows of `width` elements. A row begins `row_pitch` elements
/// behind the one before, a slice `slice_height` rows behind the one before. All numbers are of elements and rows, none of bytes.
///
/// C: `cudaExtent`, `cudaPitchedPtr`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(alias = "cudaExtent")]
#[doc(alias = "cudaPitchedPtr")]
pub struct Shape {
    extent: [usize; 3],
    row_pitch: usize,
    slice_height: usize,
}

impl Shape {
    /// `height` rows of `width` elements, without gaps.
    pub const fn new_2d(width: usize, height: usize) -> Self {
        Self::new_3d(width, height, 1)
    }

    /// `depth` slices of `height` rows of `width` elements, without gaps.
    ///
    /// C: `make_cudaExtent`.
    #[doc(alias = "make_cudaExtent")]
    pub const fn new_3d(width: usize, height: usize, depth: usize) -> Self {
        Self { extent: [width, height, depth], row_pitch: width, slice_height: height }
    }

    /// The same box in rows that are `elements` apart.
    #[must_use]
    pub const fn with_row_pitch(self, elements: usize) -> Self {
        Self { row_pitch: elements, ..self }
    }

    /// The same box in slices that are `rows` apart.
    #[must_use]
    pub const fn with_slice_height(self, rows: usize) -> Self {
        Self { slice_height: rows, ..self }
    }

    /// Elements of a row.
    pub const fn width(&self) -> usize {
        self.extent[0]
    }

    /// Rows of a slice.
    pub const fn height(&self) -> usize {
        self.extent[1]
    }

    /// Slices.
    pub const fn depth(&self) -> usize {
        self.extent[2]
    }

    /// Elements from the beginning of a row to that of the next.
    pub const fn row_pitch(&self) -> usize {
        self.row_pitch
    }

    /// Rows from the beginning of a slice to that of the next.
    pub const fn slice_height(&self) -> usize {
        self.slice_height
    }

    /// Whether it has no elements.
    pub const fn is_empty(&self) -> bool {
        self.extent[0] == 0 || self.extent[1] == 0 || self.extent[2] == 0
    }

    /// The place of an element of the box, counted from its first; `None` if no address space holds it.
    pub fn index_of(&self, [x, y, z]: [usize; 3]) -> Option<usize> {
        let rows = z.checked_mul(self.slice_height)?.checked_add(y)?;
        rows.checked_mul(self.row_pitch)?.checked_add(x)
    }

    /// Elements from the first of the box to behind the last, gaps included; `None` if no address space holds them.
    pub fn span(&self) -> Option<usize> {
        if self.is_empty() {
            return Some(0);
        }
        self.index_of(self.extent.map(|count| count - 1))?.checked_add(1)
    }

    /// The box of `extent` elements that begins at `offset` in this one, in the same memory.
    ///
    /// # Errors
    /// [`ShapeError::Window`] if it is not inside.
    pub(crate) fn window(&self, offset: [usize; 3], extent: [usize; 3]) -> Result<(usize, Self)> {
        let inside =
            |axis: usize| offset[axis].checked_add(extent[axis]).is_some_and(|end| end <= self.extent[axis]);
        let window = Self { extent, ..*self };
        let begin = if window.is_empty() { Some(0) } else { self.index_of(offset) };
        match begin.filter(|_| (0..3).all(inside)) {
            Some(begin) => Ok((begin, window)),
            None => Err(ShapeError::Window { offset, extent, outer: self.extent }.into()),
        }
    }

    /// Refuses a shape whose rows or slices overlap, or that does not fit into `len` elements.
    pub(crate) fn check(&self, len: usize) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let [width, height, depth] = self.extent;
        if self.row_pitch < width && (height > 1 || depth > 1) {
            return Err(ShapeError::RowPitch { width, row_pitch: self.row_pitch }.into());
        }
        if self.slice_height < height && depth > 1 {
            return Err(ShapeError::SliceHeight { height, slice_height: self.slice_height }.into());
        }
        match self.span() {
            Some(span) if span <= len => Ok(()),
            span => Err(ShapeError::Beyond { span, len }.into()),
        }
    }

    /// Refuses boxes of different sizes, for a copy.
    pub(crate) fn check_same(&self, source: &Shape) -> Result<()> {
        if self.extent == source.extent {
            return Ok(());
        }
        Err(ShapeError::Differ { destination: self.extent, source_extent: source.extent }.into())
    }

    /// Whether its elements lie side by side.
    pub(crate) fn is_packed(&self) -> bool {
        let [width, height, depth] = self.extent;
        (self.row_pitch == width || height * depth <= 1) && (self.slice_height == height || depth <= 1)
    }

    /// Elements of the box. It has been checked, so they can be counted.
    pub(crate) fn elements(&self) -> usize {
        self.extent.iter().product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_ends_behind_the_last_element() {
        let shape = Shape::new_3d(3, 2, 2).with_row_pitch(5).with_slice_height(4);
        assert_eq!((shape.index_of([1, 1, 1]), shape.span()), (Some(26), Some(28)));
        assert_eq!(Shape::new_2d(0, 9).span(), Some(0));
        assert_eq!(Shape::new_2d(2, usize::MAX).span(), None);
        assert!(Shape::new_3d(3, 2, 2).is_packed() && !shape.is_packed());
        assert!(Shape::new_2d(3, 1).with_row_pitch(9).is_packed());
    }

    #[test]
    fn a_shape_that_does_not_fit_is_refused_with_its_numbers() {
        let shape = Shape::new_2d(4, 3).with_row_pitch(6);
        assert_eq!(shape.check(16), Ok(()));
        assert_eq!(shape.check(15), Err(ShapeError::Beyond { span: Some(16), len: 15 }.into()));
        let narrow = ShapeError::RowPitch { width: 4, row_pitch: 3 };
        assert_eq!(shape.with_row_pitch(3).check(99), Err(narrow.into()));
        let low = ShapeError::SliceHeight { height: 3, slice_height: 2 };
        assert_eq!(Shape::new_3d(4, 3, 2).with_slice_height(2).check(99), Err(low.into()));
    }

    #[test]
    fn a_window_is_inside() {
        let shape = Shape::new_2d(4, 3).with_row_pitch(6);
        let (begin, window) = shape.window([1, 2, 0], [3, 1, 1]).expect("inside");
        assert_eq!((begin, window.span()), (13, Some(3)));
        assert!(shape.window([2, 0, 0], [3, 1, 1]).is_err());
        assert!(shape.window([usize::MAX, 0, 0], [2, 1, 1]).is_err());
        assert_eq!(shape.window([4, 3, 1], [0, 0, 0]).map(|(begin, _)| begin), Ok(0));
    }
}
