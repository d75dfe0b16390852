//! GPU architectures: which to compile for, and how nvcc is told.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::BuildError;

/// What is compiled when nobody says otherwise, as far as the nvcc at hand knows it: machine code for each generation
/// since Turing.
const DEFAULT: [u32; 7] = [75, 80, 86, 89, 90, 100, 120];

/// `90`, or `90a`: with the features of one architecture alone, or (`100f`) of its family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Arch {
    number: u32,
    suffix: Option<char>,
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number)?;
        self.suffix.map_or(Ok(()), |suffix| write!(f, "{suffix}"))
    }
}

impl FromStr for Arch {
    type Err = BuildError;

    fn from_str(text: &str) -> Result<Self, BuildError> {
        let invalid = || BuildError::InvalidArch { text: text.to_owned() };
        let digits = text.strip_prefix("sm_").unwrap_or(text);
        let (digits, suffix) = match digits.strip_suffix(['a', 'f']) {
            Some(rest) => (rest, digits.chars().last()),
            None => (digits, None),
        };
        if !(2..=3).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(invalid());
        }
        let number = digits.parse().map_err(|_| invalid())?;
        if number < 50 {
            return Err(invalid());
        }
        Ok(Self { number, suffix })
    }
}

/// `90;100`, `sm_90,sm_100`, `90a`.
pub(crate) fn parse_list(text: &str) -> Result<Vec<Arch>, BuildError> {
    let mut archs = text
        .split([';', ',', ' '])
        .filter(|part| !part.is_empty())
        .map(str::parse)
        .collect::<Result<Vec<Arch>, _>>()?;
    if archs.is_empty() {
        return Err(BuildError::InvalidArch { text: text.to_owned() });
    }
    archs.sort();
    archs.dedup();
    Ok(archs)
}

/// The numbers in the answer of `nvcc --list-gpu-arch`: a line `compute_90` for each.
pub(crate) fn parse_supported(answer: &str) -> Vec<u32> {
    answer.lines().filter_map(|line| line.trim().strip_prefix("compute_")?.parse().ok()).collect()
}

/// `asked` if anything was asked for, else the default; only what `nvcc` supports.
pub(crate) fn select(asked: &[Arch], supported: &[u32], nvcc: &Path) -> Result<Vec<Arch>, BuildError> {
    if asked.is_empty() {
        let known = DEFAULT.into_iter().filter(|number| supported.contains(number));
        return Ok(known.map(|number| Arch { number, suffix: None }).collect());
    }
    match asked.iter().find(|arch| !supported.contains(&arch.number)) {
        None => Ok(asked.to_vec()),
        Some(arch) => Err(BuildError::UnsupportedArch {
            arch: format!("sm_{arch}"),
            nvcc: nvcc.to_owned(),
            supported: supported.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// nvcc's arguments: machine code for each, and PTX of the newest for GPUs that come later. PTX of `90a` runs on
/// nothing later, so only plain architectures count for that.
pub(crate) fn flags(archs: &[Arch]) -> Vec<String> {
    let newest = archs.iter().filter(|arch| arch.suffix.is_none()).max();
    archs
        .iter()
        .map(|arch| format!("-gencode=arch=compute_{arch},code=sm_{arch}"))
        .chain(newest.map(|arch| format!("-gencode=arch=compute_{arch},code=compute_{arch}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> String {
        parse_list(text).expect("well formed").iter().map(Arch::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn spellings_of_a_list() {
        assert_eq!(list("90;100"), "90 100");
        assert_eq!(list("sm_100, sm_90,90"), "90 100");
        assert_eq!(list("90a;100f"), "90a 100f");
    }

    #[test]
    fn junk_is_an_error_that_repeats_it() {
        for junk in
            ["", ";", "hopper", "9", "9.0", "sm_", "90b", "1200", "native", "90;x", "-90", "compute_90", "07"]
        {
            let error = parse_list(junk).expect_err(junk);
            let BuildError::InvalidArch { text } = error else { panic!("{junk}: {error}") };
            assert!(junk.contains(&text), "{junk}: {text}");
        }
    }

    #[test]
    fn the_default_is_cut_to_what_nvcc_knows() {
        let twelve =
            parse_supported("compute_50\ncompute_75\ncompute_80\ncompute_86\ncompute_89\ncompute_90\n");
        let archs = select(&[], &twelve, Path::new("nvcc")).expect("a default always works");
        assert_eq!(
            flags(&archs),
            [
                "-gencode=arch=compute_75,code=sm_75",
                "-gencode=arch=compute_80,code=sm_80",
                "-gencode=arch=compute_86,code=sm_86",
                "-gencode=arch=compute_89,code=sm_89",
                "-gencode=arch=compute_90,code=sm_90",
                "-gencode=arch=compute_90,code=compute_90",
            ]
        );
    }

    #[test]
    fn what_is_asked_for_must_be_supported() {
        let asked = parse_list("100").expect("well formed");
        let error = select(&asked, &[80, 90], Path::new("/x/nvcc")).expect_err("it is too old");
        let text = error.to_string();
        assert!(text.contains("sm_100") && text.contains("80, 90") && text.contains("/x/nvcc"), "{text}");
    }

    #[test]
    fn no_ptx_of_a_single_architecture() {
        let archs = parse_list("90a").expect("well formed");
        assert_eq!(flags(&archs), ["-gencode=arch=compute_90a,code=sm_90a"]);
    }
}
