//! Where the process lives: namespaces and shared memory.

use std::fs;
use std::path::Path;

use super::super::snapshot::Container;

/// Numbers that the kernel gives the namespaces that it starts with (PROC_IPC_INIT_INO, PROC_PID_INIT_INO).
const FIRST_IPC: u64 = 0xefff_ffff;
const FIRST_PID: u64 = 0xefff_fffc;

/// Reads the process's namespaces and the size of /dev/shm.
pub(super) fn read() -> Container {
    Container {
        own_pid_namespace: own("pid", FIRST_PID),
        own_ipc_namespace: own("ipc", FIRST_IPC),
        shm_bytes: shm_bytes(Path::new("/dev/shm")),
    }
}

fn own(name: &str, first: u64) -> Option<bool> {
    let link = fs::read_link(format!("/proc/self/ns/{name}")).ok()?;
    Some(number(link.to_str()?)? != first)
}

/// The number in "pid:[4026531836]".
fn number(link: &str) -> Option<u64> {
    link.split_once(":[")?.1.strip_suffix(']')?.parse().ok()
}

/// Bytes that the file system there can hold.
fn shm_bytes(path: &Path) -> Option<u64> {
    let info = rustix::fs::statvfs(path).ok()?;
    Some(info.f_blocks.saturating_mul(info.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_namespace_is_read() {
        assert_eq!(number("pid:[4026531836]"), Some(FIRST_PID));
        assert_eq!(number("ipc:[4026531839]"), Some(FIRST_IPC));
        assert_eq!(number("pid:4026531836"), None);
    }

    #[test]
    fn a_file_system_has_a_size_and_nothing_has_none() {
        assert!(shm_bytes(Path::new("/proc/self/../..")).is_some());
        assert_eq!(shm_bytes(Path::new("/no/such/folder")), None);
    }
}
