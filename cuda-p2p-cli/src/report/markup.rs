//! Text as HTML and SVG take it.

/// `text` with what means something to a browser taken out of it.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
    out
}

/// A figure in as many digits as say something.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A size in bytes as people write it.
pub(super) fn size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let whole = units.iter().find(|(shift, _)| bytes >= 1 << shift && bytes.is_multiple_of(1 << shift));
    match whole {
        Some((shift, unit)) => format!("{} {unit}", bytes >> shift),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_taken_for_markup() {
        assert_eq!(escaped("<a href='x'>&\"b\""), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;b&quot;");
    }

    #[test]
    fn numbers_have_three_digits_and_sizes_a_unit() {
        assert_eq!([396.61, 38.44, 1.288, 0.5].map(number), ["397", "38.4", "1.29", "0.50"]);
        assert_eq!([4, 4096, 4097, 1 << 20, 1 << 30].map(size), ["4 B", "4 KiB", "4097 B", "1 MiB", "1 GiB"]);
    }
}
