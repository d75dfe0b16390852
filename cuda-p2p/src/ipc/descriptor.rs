//! What travels to another process: a raw handle, and all that it does not say.

use std::fmt;
use std::ops::RangeBounds;
use std::str::FromStr;

use bytemuck::Pod;

use super::encoding::{Reader, Writer, from_text, to_text};
use crate::bounds::resolve;
use crate::error::{Error, IpcError, Result};
use crate::uuid::Uuid;

/// The process that made a descriptor. Numbers of processes repeat in containers and over time, so a random one goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Maker {
    pub(super) process: u32,
    pub(super) nonce: u64,
}

/// Memory of one process for another to open: `cudaIpcMemHandle_t`, and with it the offset and length that it lacks, the element
/// type, the GPU by its UUID, and the process that it is from.
///
/// Plain data, to be carried by any means: as bytes, as text ([`Display`](fmt::Display) and [`FromStr`]), or by `serde` with the
/// feature of that name. Whoever carries it sees to it that the memory is not freed while the other process has it open; a
/// [`LeasedMemHandle`](super::LeasedMemHandle) does that by itself.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IpcMemHandle {
    pub(super) raw: [u8; 64],
    pub(super) uuid: Uuid,
    pub(super) maker: Maker,
    /// Bytes of the allocation behind the raw handle; 0 if nobody could tell.
    pub(super) allocation: u64,
    /// Of the first element within the allocation, in bytes.
    pub(super) offset: u64,
    pub(super) len: u64,
    pub(super) element: Element,
    /// Whether `raw` is of a piece of a pool (`cudaMemPoolPtrExportData`).
    pub(super) pooled: bool,
}

/// An event of one process for another to open: `cudaIpcEventHandle_t`, and with it the GPU by its UUID, and the process that
/// it is from. Plain data, as [`IpcMemHandle`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IpcEventHandle {
    pub(super) raw: [u8; 64],
    pub(super) uuid: Uuid,
    pub(super) maker: Maker,
}

/// The element type of a descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Element {
    name: String,
    size: u32,
    align: u32,
}

impl Element {
    pub(super) fn of<T>() -> Self {
        // A type of 4 GiB is of no use here, and would be refused as another size.
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let name = std::any::type_name::<T>().to_owned();
        Self { name, size: number(size_of::<T>()), align: number(align_of::<T>()) }
    }
}

const MEMORY: u8 = 1;
const EVENT: u8 = 2;

impl IpcMemHandle {
    /// The GPU whose memory it is.
    pub fn uuid(&self) -> Uuid {
        self.uuid
    }

    /// Number of the process that made it, as that process sees itself.
    pub fn process_id(&self) -> u32 {
        self.maker.process
    }

    /// Length in elements.
    pub fn len(&self) -> usize {
        usize::try_from(self.len).unwrap_or(usize::MAX)
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Length in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.len.saturating_mul(u64::from(self.element.size))
    }

    /// Where the first element is in the allocation, in bytes: the raw handle opens at the start of that.
    pub fn offset_bytes(&self) -> u64 {
        self.offset
    }

    /// Name of the element type, as the compiler of the maker writes it.
    pub fn element_name(&self) -> &str {
        &self.element.name
    }

    /// Whether it is memory of a pool, which is opened by the pool's descriptor.
    pub fn is_pooled(&self) -> bool {
        self.pooled
    }

    /// `cudaIpcMemHandle_t`, or `cudaMemPoolPtrExportData` of memory of a pool, for code that opens it by hand.
    #[doc(alias = "cudaIpcMemHandle_t")]
    #[doc(alias = "cudaMemPoolPtrExportData")]
    pub fn as_raw(&self) -> &[u8; 64] {
        &self.raw
    }

    /// The elements of `range` alone.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self> {
        let (start, len) = resolve(range, self.len())?;
        let offset = self.offset + start as u64 * u64::from(self.element.size);
        Ok(Self { offset, len: len as u64, ..self.clone() })
    }

    /// The same bytes as elements of another type: of one that has another name in the other program, say.
    ///
    /// # Errors
    /// [`Error::BadCast`] if they are no whole number of aligned elements.
    pub fn cast<T: Pod>(&self) -> Result<Self> {
        let (size, align) = (size_of::<T>(), align_of::<T>());
        let bytes = usize::try_from(self.size_bytes()).unwrap_or(usize::MAX);
        // Allocations are aligned to more than any element is.
        let misalignment = (self.offset % align as u64) as usize;
        if size == 0 || !bytes.is_multiple_of(size) || misalignment != 0 {
            return Err(Error::BadCast { bytes, misalignment, size, align });
        }
        Ok(Self { len: (bytes / size) as u64, element: Element::of::<T>(), ..self.clone() })
    }

    /// Refuses to be opened as elements of another type.
    pub(super) fn check_element<T>(&self) -> Result<()> {
        let wanted = Element::of::<T>();
        if self.element == wanted {
            return Ok(());
        }
        let found = &self.element;
        Err(IpcError::ElementType {
            found: format!("{} ({} bytes, aligned to {})", found.name, found.size, found.align),
            wanted: format!("{} ({} bytes, aligned to {})", wanted.name, wanted.size, wanted.align),
        }
        .into())
    }

    /// As bytes, which [`from_bytes`](Self::from_bytes) reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(MEMORY, &self.raw, &self.uuid, self.maker);
        writer.number(u64::from(self.pooled));
        writer.number(self.allocation);
        writer.number(self.offset);
        writer.number(self.len);
        writer.number(u64::from(self.element.size));
        writer.number(u64::from(self.element.align));
        writer.text(&self.element.name);
        writer.finish()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote, of this version of the format.
    ///
    /// # Errors
    /// [`IpcError::Descriptor`] for anything else: cut short, changed, of an event or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes, MEMORY)?;
        let (raw, uuid, maker) = reader.head()?;
        let pooled = reader.number()? != 0;
        let (allocation, offset, len) = (reader.number()?, reader.number()?, reader.number()?);
        let (size, align) = (reader.small()?, reader.small()?);
        let element = Element { name: reader.text()?, size, align };
        reader.finish()?;
        let bytes = len.checked_mul(u64::from(size)).and_then(|bytes| bytes.checked_add(offset));
        if !bytes.is_some_and(|end| i64::try_from(end).is_ok() && (allocation == 0 || end <= allocation)) {
            return Err(IpcError::Descriptor { problem: "its elements do not lie in its allocation" }.into());
        }
        Ok(Self { raw, uuid, maker, allocation, offset, len, element, pooled })
    }
}

impl IpcEventHandle {
    /// The GPU whose event it is.
    pub fn uuid(&self) -> Uuid {
        self.uuid
    }

    /// Number of the process that made it, as that process sees itself.
    pub fn process_id(&self) -> u32 {
        self.maker.process
    }

    /// `cudaIpcEventHandle_t`, for code that opens it by hand.
    #[doc(alias = "cudaIpcEventHandle_t")]
    pub fn as_raw(&self) -> &[u8; 64] {
        &self.raw
    }

    /// As bytes, which [`from_bytes`](Self::from_bytes) reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        Writer::new(EVENT, &self.raw, &self.uuid, self.maker).finish()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote, of this version of the format.
    ///
    /// # Errors
    /// [`IpcError::Descriptor`] for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes, EVENT)?;
        let (raw, uuid, maker) = reader.head()?;
        reader.finish()?;
        Ok(Self { raw, uuid, maker })
    }
}

macro_rules! text_form {
    ($($name:ident),*) => {$(
        /// Hexadecimal digits, which [`FromStr`] reads.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&to_text(&self.to_bytes()))
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                Self::from_bytes(&from_text(text)?)
            }
        }

        /// As text where the format is one for people, else as bytes.
        #[cfg(feature = "serde")]
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                super::with_serde::serialize(&self.to_bytes(), serializer)
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
                let bytes = super::with_serde::deserialize(deserializer)?;
                Self::from_bytes(&bytes).map_err(serde::de::Error::custom)
            }
        }
    )*};
}
text_form!(IpcMemHandle, IpcEventHandle);

impl fmt::Debug for IpcMemHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "IpcMemHandle({} of {}, {} bytes into memory of {} of process {})",
            self.len, self.element.name, self.offset, self.uuid, self.maker.process
        )
    }
}

impl fmt::Debug for IpcEventHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IpcEventHandle(of {} of process {})", self.uuid, self.maker.process)
    }
}
