//! The scan on preprocessed text as gcc and clang write it.

use super::{Kernel, scan};
use crate::BuildError;

fn found(source: &str) -> Vec<Kernel> {
    scan(source, "m_").expect("nothing to refuse").kernels
}

fn refusal(source: &str) -> (String, u32, String) {
    match scan(source, "m_") {
        Err(BuildError::Kernel { file, line, problem }) => (file, line, problem),
        other => panic!("{other:?}"),
    }
}

#[test]
fn kernels_of_several_files() {
    let source = r#"
# 1 "a.cu"
extern "C" cuda_p2p_mark_global void first(float *x) { x[0] = 1; }
inline cuda_p2p_mark_device int helper(int a) { return a; }
# 7 "b.cu" 2
#pragma unroll
extern "C" {
cuda_p2p_mark_global cuda_p2p_mark_launch_bounds(kThreads * f(2, 3), 4) void second() { if (1) { } }
cuda_p2p_mark_global void third(int a);
cuda_p2p_mark_global void cuda_p2p_mark_launch_bounds(64) third(int a) {}
}
namespace user::inner { extern "C" cuda_p2p_mark_launch_bounds(32) cuda_p2p_mark_global __attribute__((cold)) void fourth(void (*f)(int)) {} }
"#;
    let kernel = |name: &str, path: &str, max_threads: Option<&str>| Kernel {
        name: name.into(),
        path: path.into(),
        max_threads: max_threads.map(Into::into),
    };
    assert_eq!(
        found(source),
        [
            kernel("first", "m_first", None),
            kernel("second", "m_second", Some("kThreads * f ( 2 , 3 )")),
            kernel("third", "m_third", Some("64")),
            kernel("fourth", "user::inner::m_fourth", Some("32")),
        ]
    );
}

#[test]
fn text_that_looks_like_a_kernel() {
    let source = r##"
const char *a = "cuda_p2p_mark_global void x(";
const char *b = R"tag(extern "C" cuda_p2p_mark_global void y() {} )" )tag";
const char c = '"', d = '\''; int e = 1'000;
extern "C" cuda_p2p_mark_global void real() { char q = '{'; }
"##;
    assert_eq!(found(source).len(), 1);
}

#[test]
fn a_kernel_without_c_linkage() {
    let (file, line, problem) =
        refusal("# 40 \"dir/k.cu\"\nint a;\n\ncuda_p2p_mark_global void bare(int *p) {}\n");
    assert_eq!((file.as_str(), line), ("dir/k.cu", 42));
    assert!(problem.contains("`bare`") && problem.contains("extern \"C\" __global__"), "{problem}");
}

#[test]
fn what_the_simulator_cannot_run() {
    for (source, part) in [
        ("template <typename T> cuda_p2p_mark_global void t(T *p) {}", "`t` is a template"),
        ("template cuda_p2p_mark_global void t<int>(int *p);", "template"),
        ("extern \"C\" static cuda_p2p_mark_global void s() {}", "is static"),
        ("struct S { cuda_p2p_mark_global void m() {} };", "inside a class"),
        ("void f() { cuda_p2p_mark_shared float s[4]; }", "CUDA_P2P_SHARED(type, name, count)"),
        ("cuda_p2p_mark_constant float c[4];", "parameter"),
        ("cuda_p2p_mark_device int counter;", "__device__ variable"),
        ("cuda_p2p_mark_device float table[4] = {1, 2, 3, 4};", "__device__ variable"),
    ] {
        let (_, _, problem) = refusal(source);
        assert!(problem.contains(part), "{source}: {problem}");
    }
}

#[test]
fn device_functions_and_constants_pass() {
    let source = "cuda_p2p_mark_device const float t[2] = {1, 2};\n\
                  static constexpr cuda_p2p_mark_device int n = 3;\n\
                  template <int N = 4> cuda_p2p_mark_device decltype(N) f(int a = 2) { return a; }\n\
                  struct V { int x; cuda_p2p_mark_device int get() const; };\n\
                  cuda_p2p_mark_device V operator+(V a, V b);";
    assert_eq!(found(source), []);
}

#[test]
fn marks_become_cpp_and_kernels_get_their_prefix() {
    let source = "extern \"C\" cuda_p2p_mark_global void cuda_p2p_mark_launch_bounds(64, 2) k(int a);\n\
                  cuda_p2p_mark_device int k2() { return 1; }\n\
                  extern \"C\" cuda_p2p_mark_global void k(int k) { k2(); }\n";
    assert_eq!(
        scan(source, "m_").expect("nothing to refuse").text,
        "extern \"C\" __attribute__((noinline)) void  m_k(int a);\n \
         int k2() { return 1; }\n\
         extern \"C\" __attribute__((noinline)) void m_k(int k) { k2(); }\n"
    );
}
