//! What differs between the headers of CUDA releases, found by looking at the bindings: one named `cfg` a fact.
//!
//! A plain text search, since the pre-generated files are read where there is no syn; both come from the same formatter, which
//! puts each item and each field on a line of its own.

/// Where a fact shows.
enum Shape {
    /// The table has this entry.
    Function(&'static str),
    /// This type has this field under its plain name.
    Field(&'static str, &'static str),
    /// This entry has a parameter of this name.
    Parameter(&'static str, &'static str),
}

use Shape::{Field, Function, Parameter};

/// Every fact: the name of its `cfg`, and where it shows.
const FACTS: &[(&str, Shape)] = &[
    // With `cudaAtomicOperation`.
    ("cuda_has_atomic_capabilities", Function("cudaDeviceGetP2PAtomicCapabilities")),
    // `cudaMemGetMemPool` and its kin: the pools of a location rather than of a device.
    ("cuda_has_pools_of_locations", Function("cudaMemGetMemPool")),
    // Where it once told which copy of the batch was wrong.
    ("cuda_batch_copies_tell_failure", Parameter("cudaMemcpyBatchAsync", "failIdx")),
    ("cuda_has_batch_prefetch", Function("cudaMemPrefetchBatchAsync")),
    // A location, not the ordinal of a device.
    ("cuda_prefetch_takes_location", Parameter("cudaMemPrefetchAsync", "location")),
    // Edges of graphs carry data, and so do the functions that tell or set them.
    ("cuda_graph_edges_have_data", Parameter("cudaGraphGetEdges", "edgeData")),
    // `id` stands in the struct itself, not in an unnamed union.
    ("cuda_mem_location_is_flat", Field("cudaMemLocation", "id")),
    // The most bytes that a pool may take.
    ("cuda_mem_pool_has_max_size", Field("cudaMemPoolProps", "maxSize")),
    // The larger `cudaPointerAttributes`, 88 bytes.
    ("cuda_pointer_attributes_reserve", Field("cudaPointerAttributes", "reserved")),
    // `clockRate` and the other fields that only `cudaDeviceGetAttribute` has elsewhere.
    ("cuda_device_prop_has_clock_rate", Field("cudaDeviceProp", "clockRate")),
];

/// Every fact's name, and whether the bindings in `source` have it.
pub(crate) fn of(source: &str) -> impl Iterator<Item = (&'static str, bool)> {
    FACTS.iter().map(|(name, shape)| (*name, shows(source, shape)))
}

fn shows(source: &str, shape: &Shape) -> bool {
    match shape {
        Function(name) => entry(source, name).is_some(),
        Field(owner, field) => block(source, &format!("pub struct {owner} {{"), "\n}")
            .is_some_and(|fields| has_word(fields, &format!("pub {field}:"))),
        Parameter(function, parameter) => {
            entry(source, function).is_some_and(|signature| has_word(signature, &format!("{parameter}:")))
        }
    }
}

/// The type of an entry of the table.
fn entry<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    let table = block(source, "pub struct CudaRuntime {", "\n}")?;
    // Entries begin with their documentation.
    block(table, &format!("pub {name}: Option<"), "///")
        .or_else(|| table.split_once(&format!("pub {name}: Option<")).map(|(_, last)| last))
}

fn block<'a>(source: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = source.split_once(begin)?;
    rest.split_once(end).map(|(inside, _)| inside)
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || c == '(' || c == ',')
        .collect::<Vec<_>>()
        .windows(word.split(' ').count())
        .any(|words| words.join(" ") == word)
}
