//! Programs that the types must refuse, each in a file of `compile_fail` with what the compiler says of it beside it.
//!
//! Texts change with compilers: `TRYBUILD=overwrite cargo test -p cuda-p2p-model --test compile_fail` writes them anew, and a
//! look at the difference shows whether each is still refused for its reason.

#[test]
fn what_the_types_refuse() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
