//! What can be wrong with the shape of a copy.

/// Why a box of elements was not taken. Extents are width, height and depth, in elements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// Rows that overlap.
    #[error(
        "rows of {width} elements that begin every {row_pitch} elements overlap; give a row pitch of at least the width"
    )]
    RowPitch {
        /// Elements of a row.
        width: usize,
        /// Elements from the beginning of a row to that of the next.
        row_pitch: usize,
    },

    /// Slices that overlap.
    #[error(
        "slices of {height} rows that begin every {slice_height} rows overlap; give a slice height of at least the height"
    )]
    SliceHeight {
        /// Rows of a slice.
        height: usize,
        /// Rows from the beginning of a slice to that of the next.
        slice_height: usize,
    },

    /// A box that is longer than the memory.
    #[error(
        "the shape reaches over {} elements, and the memory has {len}; give a smaller shape, or more memory",
        span.map_or_else(|| "more than 2^64".to_owned(), |span| span.to_string())
    )]
    Beyond {
        /// Elements from the first to behind the last, gaps included; `None` if no address space holds them.
        span: Option<usize>,
        /// Length of the memory, in elements.
        len: usize,
    },

    /// A window that is not inside its box.
    #[error("the window of {extent:?} elements at {offset:?} is not within a box of {outer:?}")]
    Window {
        /// Where it begins.
        offset: [usize; 3],
        /// Its extent.
        extent: [usize; 3],
        /// That of the box.
        outer: [usize; 3],
    },

    /// Source and destination of a copy differ.
    #[error(
        "the destination is a box of {destination:?} elements and the source one of {source_extent:?}; take windows of one size"
    )]
    Differ {
        /// Extent of the destination.
        destination: [usize; 3],
        /// Extent of the source.
        source_extent: [usize; 3],
    },
}
