//! The same for many, as many at once as this machine has processors.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `make` makes of each, in their order.
pub fn map<T: Sync, U: Send>(all: &[T], make: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let (next, made) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((index, one)) = take(all, &next) {
            let one = make(one);
            made.lock().expect("no thread panics with it").push((index, one));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, NonZero::get).min(all.len()) {
            scope.spawn(work);
        }
    });
    let mut made = made.into_inner().expect("no thread panics with it");
    made.sort_by_key(|(index, _)| *index);
    made.into_iter().map(|(_, one)| one).collect()
}

fn take<'a, T>(all: &'a [T], next: &AtomicUsize) -> Option<(usize, &'a T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    all.get(index).map(|one| (index, one))
}

#[cfg(test)]
mod tests {
    #[test]
    fn everything_is_made_once_and_in_order() {
        let all: Vec<u32> = (0..1000).collect();
        assert_eq!(super::map(&all, |one| one * 2), all.iter().map(|one| one * 2).collect::<Vec<_>>());
        assert!(super::map(&[] as &[u32], |one| *one).is_empty());
    }
}
