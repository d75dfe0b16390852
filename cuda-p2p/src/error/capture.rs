//! What can be wrong with a capture, and with the graph that comes of it.

/// Why something was not recorded into a graph, or no graph came of a capture. The stream can be used as before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// Something that no graph can hold. Nothing happened, and the capture goes on.
    #[error("{what} cannot be recorded into a graph; do it before the capture, or after it")]
    Refused {
        /// What.
        what: &'static str,
    },

    /// The stream takes part in a capture already, this one's own or another.
    #[error("the stream is being captured already; end that capture first, or use another stream")]
    OtherCapture,

    /// An event of work that is not in the graph. Nothing happened, and the capture goes on.
    #[error(
        "a captured stream cannot wait for an event that was not recorded in the same capture; launch the graph on a stream \
         that waits for it"
    )]
    OutsideEvent,

    /// An event of a capture that has ended: it marks a point of a graph, which no stream reaches.
    #[error(
        "the event was last recorded in a capture that has ended; record it again, behind the launch of the graph"
    )]
    EndedEvent,

    /// A stream that takes no part in the capture cannot be joined to it.
    #[error("the stream takes no part in the capture; take it in by Capture::fork first")]
    NotForked,

    /// A stream was taken into the capture, and not brought back.
    #[error(
        "work of a stream that was taken into the capture does not end before the end of the captured stream; call \
         Capture::join with it, or let the captured stream use what it wrote"
    )]
    Unjoined,

    /// Something broke the capture: code that this crate does not see waited for the stream, say; or another thread began to wait for
    /// the stream or its device just when the capture began.
    #[error(
        "the capture was broken by a call that does not go with one: of code outside of this crate, or a wait that began just when the \
         capture did"
    )]
    Broken,
}

/// What is wrong with a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Memory that the graph uses was given away by `into_raw`, or was borrowed and the loan has ended.
    #[error(
        "memory that the graph uses is not this crate's any more: it was given away, or was borrowed and the value is dropped; \
         capture again with other memory"
    )]
    MemoryGone,

    /// The host has a reference to pinned memory, from [`read`](crate::PinnedBuffer::read) or [`write`](crate::PinnedBuffer::write), that
    /// the graph writes; or that it reads, and the host may write. Nothing was launched.
    #[error(
        "the host has pinned memory that the graph uses: drop what PinnedBuffer::read or PinnedBuffer::write gave, and launch again"
    )]
    MemoryLent,

    /// The graph is so different that the executable graph cannot be changed to it (910). It can still be launched, as it was.
    #[error("the executable graph cannot be changed to that graph: {change}; instantiate it instead")]
    NotUpdated {
        /// What differs too much.
        change: GraphChange,
    },
}

/// What keeps an executable graph from being changed to another graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum GraphChange {
    /// The number of nodes, or what follows what.
    #[error("it has other nodes, or they follow each other otherwise")]
    Topology,
    /// A node is of another type: a copy where a kernel was.
    #[error("a node is of another type")]
    NodeType,
    /// A node launches another kernel, in a way that the runtime does not support.
    #[error("a node launches another kernel")]
    Function,
    /// A node's parameters changed in a way that the runtime does not support: the devices of a copy, say.
    #[error("a node's parameters changed in a way that the runtime does not support")]
    Parameters,
    /// Either graph copies memory of a pool between devices, or virtual memory, or between devices that the other has no copy between.
    /// The runtime is not asked, whatever changed: how it has such memory reached is settled when a graph is instantiated.
    #[error(
        "the way of a copy is settled for good: of a pool's memory between devices, of virtual memory, or between other devices"
    )]
    Way,
    /// Attributes of a node changed in a way that the runtime does not support.
    #[error("a node's attributes changed in a way that the runtime does not support")]
    Attributes,
    /// Something else of the node is not supported.
    #[error("something of a node is not supported")]
    NotSupported,
    /// The runtime does not say what.
    #[error("the runtime does not say why")]
    Unknown,
}
