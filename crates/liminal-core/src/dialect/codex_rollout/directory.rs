//! The directory a line names. Owns that it may be written as a path or as a `file:` address.

/// The path; `None` if the address is not of a file, or not of one with a name in UTF-8.
pub(super) fn path(text: &str) -> Option<String> {
    let Some(address) = text.strip_prefix("file://") else {
        return Some(text.to_owned()).filter(|path| !path.is_empty());
    };
    let path = address.get(address.find('/')?..)?;
    String::from_utf8(decoded(path.as_bytes())).ok()
}

/// Puts bytes in the place of what stands for them, such as a blank for `%20`.
fn decoded(mut rest: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(rest.len());
    while let [first, after @ ..] = rest {
        if let Some((byte, after)) = escaped(rest) {
            bytes.push(byte);
            rest = after;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    bytes
}

fn escaped(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let [b'%', high, low, rest @ ..] = bytes else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some((digit(high)? * 16 + digit(low)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_the_path_it_stands_for() {
        for (text, expected) in [
            ("/home/dev/project", Some("/home/dev/project")),
            ("/home/dev/100%25", Some("/home/dev/100%25")),
            ("file:///home/dev/project", Some("/home/dev/project")),
            ("file://localhost/home/dev", Some("/home/dev")),
            ("file:///home/dev/my%20project/%C3%9Cn%c3%af", Some("/home/dev/my project/Ünï")),
            ("file:///a%2", Some("/a%2")),
            ("file:///a%zz%", Some("/a%zz%")),
            ("file:///%ff", None),
            ("file://", None),
            ("", None),
        ] {
            assert_eq!(path(text).as_deref(), expected, "{text}");
        }
    }
}
