use super::*;

fn line(number: u64, message: &Message) -> Vec<u8> {
    serde_json::to_vec(&Line { number, message }).unwrap()
}

fn failed() -> Message {
    Message::Failed { error: String::new() }
}

/// What a parent that takes every message makes of these lines.
fn meanings(lines: &[Vec<u8>]) -> Vec<Meaning> {
    let mut listener = listener(|_| Ok(()));
    lines.iter().map(|line| listener(line)).collect()
}

#[test]
fn numbered_lines_are_progress_until_the_last() {
    let lines = [line(0, &failed()), line(1, &failed()), line(2, &Message::Done)];
    assert_eq!(meanings(&lines), [Meaning::Progress, Meaning::Progress, Meaning::Last]);
}

#[test]
fn a_line_out_of_turn_means_nothing() {
    for (first, second) in [(0, 0), (0, 2)] {
        let lines = [line(first, &failed()), line(second, &failed())];
        assert_eq!(meanings(&lines), [Meaning::Progress, Meaning::Nonsense], "{first}, {second}");
    }
    assert_eq!(meanings(&[line(1, &failed())]), [Meaning::Nonsense]);
    let after_the_last = [line(0, &Message::Done), line(1, &failed())];
    assert_eq!(meanings(&after_the_last), [Meaning::Last, Meaning::Nonsense]);
}

#[test]
fn a_stray_character_makes_nonsense_of_a_line() {
    let whole = line(0, &failed());
    for at in 0..=whole.len() {
        let mut mangled = whole.clone();
        mangled.insert(at, b'\xff');
        assert_eq!(meanings(&[mangled]), [Meaning::Nonsense], "at {at}");
        if at < whole.len() {
            assert_eq!(meanings(&[whole[..at].to_vec()]), [Meaning::Nonsense], "up to {at}");
        }
    }
}

#[test]
fn what_the_receiver_does_not_expect_means_nothing() {
    let mut listener = listener(|_| Err(Unexpected));
    assert_eq!(listener(&line(0, &failed())), Meaning::Nonsense);
}
