//! What can be wrong with memory and events that processes share.

use crate::uuid::Uuid;

/// Why memory or an event was not shared, opened or taken back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IpcError {
    /// Bytes that are no descriptor.
    #[error(
        "this is no descriptor of memory or an event: {problem}; send it whole, and by the same version of cuda-p2p"
    )]
    Descriptor {
        /// What is wrong with it.
        problem: &'static str,
    },

    /// Elements of another type than the maker said.
    #[error(
        "the memory was shared as elements of {found}, and is opened as {wanted}; open it as that, or cast the handle if the two \
         are the same by another name"
    )]
    ElementType {
        /// The maker's type.
        found: String,
        /// The type that was asked for.
        wanted: String,
    },

    /// The GPU is none of this process's devices.
    #[error(
        "{uuid}, whose memory this is, is none of this process's {visible} devices; add it to CUDA_VISIBLE_DEVICES, or \
         open the memory by even_if_hidden()"
    )]
    HiddenDevice {
        /// Which GPU.
        uuid: Uuid,
        /// How many devices this process has.
        visible: u32,
    },

    /// The process opens what it made itself.
    #[error(
        "this was made by this very process ({process}), which uses it as it is; handles are for other processes"
    )]
    SameProcess {
        /// Its number.
        process: u32,
    },

    /// No elements, so no address.
    #[error("there are no elements to share; share a buffer with at least one")]
    Empty,

    /// The runtime gives no handle for this memory (1).
    #[error(
        "this memory has no handle for other processes: memory of a device has (alloc_zeroed, alloc_from), and memory of a pool that was \
         made with MemPoolOptions {{ shareable: true, .. }}"
    )]
    NotExportable,

    /// The pool did not come along.
    #[error(
        "memory of a pool is opened by the descriptor of its pool, which a bare handle does not carry; send the memory over a Unix socket, \
         by SharedBuffer::send"
    )]
    PoolMissing,

    /// Nobody can say where the allocation begins.
    #[error(
        "where the allocation begins in which this borrowed memory lies is not to be known here; share it where it was allocated"
    )]
    UnknownBase,

    /// The runtime did not open the handle: what it stands for is gone, or the two processes do not see each other.
    #[error(
        "{uuid}: the handle of process {process} was not opened ({code}); see that the process lives and has not freed it, and that \
         both are of one user, in one PID and IPC namespace (containers: --pid and --ipc)"
    )]
    NotOpened {
        /// Which GPU.
        uuid: Uuid,
        /// The process that made it.
        process: u32,
        /// The runtime's status code.
        code: u32,
    },

    /// Others may still have it open.
    #[error("{count} other process(es) may still have it open; wait_until_closed, or let them drop it")]
    StillOpen {
        /// How many did not say that they closed it.
        count: usize,
    },

    /// A handle was given out of which nobody says when it is closed.
    #[error(
        "a bare handle of it was given out, of which nobody learns when it is closed; send it instead of handing out the handle, or \
         take it back by take_back_unchecked"
    )]
    HandleGivenOut,

    /// Memory of another process is reached by the device alone that opened it.
    #[error(
        "memory of another process is reached by the device alone that opened it, device {opened_on}, and peer access of device \
         {accessor} does not cover it; open the handle on device {accessor} too"
    )]
    OpenedForOneDevice {
        /// The device that opened it.
        opened_on: u32,
        /// The device that was to reach it.
        accessor: u32,
    },

    /// Memory of another GPU where a kernel takes memory of its own, to write to.
    #[error(
        "the kernel takes memory of its own device here, and may update it atomically, and this is another GPU's; declare the \
         parameter as PeerSliceMut, PeerAtomicSlice or KernelSliceMut"
    )]
    RemoteMemory,

    /// The event was not made for other processes.
    #[error("the event was not made for other processes; make it by new_event_interprocess()")]
    EventNotShareable,

    /// A stream of another device would wait for an event that processes share: the driver crashes at that.
    #[error(
        "an event that processes share is waited for by streams of its own device alone, device {event}, and this stream is of device \
         {stream}; open it on that device too, or let a stream of device {event} wait for it and record a plain event"
    )]
    EventOfOtherDevice {
        /// The event's device.
        event: u32,
        /// The stream's.
        stream: u32,
    },

    /// The socket failed.
    #[error("{what} the other process: {problem}")]
    Socket {
        /// Sending to or receiving from.
        what: &'static str,
        /// The system's words.
        problem: String,
    },
}
