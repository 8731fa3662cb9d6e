//! Files that a person cannot review, recognised by name or content.

/// What a file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opaque {
    /// Programs, libraries and byte code.
    Code,
    /// Files inside a file.
    Archive,
    /// A document whose reader runs macros or scripts.
    Document,
    /// Stored objects that run code when a program loads them.
    Objects,
}

/// Documents that are archives of text and pictures.
const ZIPPED_DOCUMENTS: [&str; 14] = [
    "docx", "dotx", "xlsx", "xltx", "pptx", "potx", "odt", "ods", "odp", "odg", "epub", "key",
    "pages", "numbers",
];

/// By the bytes that a file starts with.
static STARTS: [(Opaque, &[u8]); 19] = [
    (Opaque::Code, b"\x7fELF"),
    (Opaque::Code, &[0xfe, 0xed, 0xfa, 0xce]),
    (Opaque::Code, &[0xfe, 0xed, 0xfa, 0xcf]),
    (Opaque::Code, &[0xce, 0xfa, 0xed, 0xfe]),
    (Opaque::Code, &[0xcf, 0xfa, 0xed, 0xfe]),
    (Opaque::Code, &[0xca, 0xfe, 0xba, 0xbe]),
    (Opaque::Code, b"\0asm"),
    (Opaque::Code, b"dex\n03"),
    (Opaque::Code, b"\x1bLua"),
    (Opaque::Code, b"!<arch>\n"),
    (Opaque::Code, b"FasdUAS"),
    (Opaque::Archive, &[0x1f, 0x8b, 8]),
    (Opaque::Archive, &[0xfd, b'7', b'z', b'X', b'Z', 0]),
    (Opaque::Archive, &[0x28, 0xb5, 0x2f, 0xfd]),
    (Opaque::Archive, &[b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c]),
    (Opaque::Archive, b"Rar!\x1a\x07"),
    (Opaque::Archive, b"xar!"),
    (Opaque::Archive, b"MSCF\0\0\0\0"),
    (Opaque::Archive, b"BZh91AY&SY"),
];

/// Bytes of the longest ending below.
const LONGEST_ENDING: usize = 6;

/// By the end of a file's name, in lower case. Validation asks about every file, and a match is faster
/// than a search through a list.
fn of_ending(ending: &[u8]) -> Option<Opaque> {
    Some(match ending {
        b"exe" | b"dll" | b"so" | b"dylib" | b"pyc" | b"pyo" | b"pyd" | b"class" | b"wasm"
        | b"node" | b"msi" | b"dex" => Opaque::Code,
        b"zip" | b"tar" | b"gz" | b"tgz" | b"bz2" | b"tbz2" | b"xz" | b"txz" | b"zst" | b"7z"
        | b"rar" | b"jar" | b"war" | b"ear" | b"aar" | b"whl" | b"egg" | b"apk" | b"ipa"
        | b"deb" | b"rpm" | b"dmg" | b"iso" | b"cab" | b"skill" | b"mcpb" | b"dxt" | b"crx"
        | b"xpi" | b"vsix" | b"nupkg" | b"gem" | b"asar" => Opaque::Archive,
        b"docm" | b"dotm" | b"xlsm" | b"xltm" | b"xlam" | b"xlsb" | b"pptm" | b"potm" | b"ppam"
        | b"ppsm" | b"sldm" | b"hta" | b"chm" => Opaque::Document,
        b"pkl" | b"pickle" | b"joblib" => Opaque::Objects,
        _ => return None,
    })
}

/// What the name of a file says.
pub fn by_name(name: &[u8]) -> Option<Opaque> {
    let mut lower = [0; LONGEST_ENDING];
    let ending = ending(name)?;
    let lower = lower.get_mut(..ending.len())?;
    lower.copy_from_slice(ending);
    lower.make_ascii_lowercase();
    // Names that are not UTF-8 are reported as such.
    of_ending(lower).filter(|_| std::str::from_utf8(name).is_ok())
}

/// The kind by the bytes of a file, regardless of its name.
pub fn by_bytes(name: &[u8], bytes: &[u8]) -> Option<Opaque> {
    if let Some((kind, _)) = STARTS.iter().find(|(_, start)| bytes.starts_with(start)) {
        return Some(*kind);
    }
    let holds = |needle: &[u8]| memchr::memmem::find(bytes, needle).is_some();
    match bytes {
        [b'P', b'K', 3, 4, ..] => {
            let is_document = ending(name).is_some_and(|end| {
                ZIPPED_DOCUMENTS.iter().any(|known| end.eq_ignore_ascii_case(known.as_bytes()))
            });
            match is_document {
                true => (holds(b"vbaProject.bin") || holds(b"Basic/")).then_some(Opaque::Document),
                false => Some(Opaque::Archive),
            }
        }
        [b'M', b'Z', ..] => is_windows_program(bytes).then_some(Opaque::Code),
        // Documents of older versions of Office.
        [0xd0, 0xcf, 0x11, 0xe0, ..] => {
            holds(b"_\0V\0B\0A\0_\0P\0R\0O\0J\0E\0C\0T\0").then_some(Opaque::Document)
        }
        [b'%', b'P', b'D', b'F', b'-', ..] => {
            (holds(b"/JavaScript") || holds(b"/Launch")).then_some(Opaque::Document)
        }
        // Byte code of Python: a version that ends with a line break, then flags.
        [_, 0x0d, b'\r', b'\n', _, 0, 0, 0, ..] => Some(Opaque::Code),
        _ => (bytes.get(257..262) == Some(b"ustar")).then_some(Opaque::Archive),
    }
}

/// The last part of a name. That of a library may be followed by its version.
fn ending(name: &[u8]) -> Option<&[u8]> {
    let last = name.iter().rposition(|byte| *byte == b'.')?;
    let is_library = |part: &[u8]| part.eq_ignore_ascii_case(b".so.");
    if name[..last].contains(&b'.') && name.windows(".so.".len()).any(is_library) {
        return Some(b"so");
    }
    (last > 0).then(|| &name[last + 1..])
}

/// Whether the header of a program for DOS leads to one for Windows, as in every program today.
fn is_windows_program(bytes: &[u8]) -> bool {
    let Some(&[a, b, c, d]) = bytes.get(60..64) else { return false };
    let header = usize::try_from(u32::from_le_bytes([a, b, c, d])).unwrap_or(usize::MAX);
    bytes.get(header..).is_some_and(|rest| rest.starts_with(b"PE\0\0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_most_of_them() {
        assert_eq!(by_name(b"tool.EXE"), Some(Opaque::Code));
        assert_eq!(by_name(b"libx.so.1.2"), Some(Opaque::Code));
        assert_eq!(by_name(b"data.tar.gz"), Some(Opaque::Archive));
        assert_eq!(by_name(b"form.xlsm"), Some(Opaque::Document));
        assert_eq!(by_name(b"model.pkl"), Some(Opaque::Objects));
        for name in ["zip", ".zip", "form.docx", "a.png", "font.ttf", "run.sh", "data.sqlite"] {
            assert_eq!(by_name(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn content_reveals_a_misleading_name() {
        let mut program = vec![0; 80];
        program[..2].copy_from_slice(b"MZ");
        program[60] = 64;
        program[64..68].copy_from_slice(b"PE\0\0");
        assert_eq!(by_bytes(b"helper", &program), Some(Opaque::Code));
        assert_eq!(by_bytes(b"helper", b"\x7fELF\x02"), Some(Opaque::Code));
        assert_eq!(by_bytes(b"cache", b"\xa7\x0d\r\n\0\0\0\0"), Some(Opaque::Code));
        assert_eq!(by_bytes(b"picture.png", b"PK\x03\x04..."), Some(Opaque::Archive));
        let macros = b"PK\x03\x04 word/vbaProject.bin";
        assert_eq!(by_bytes(b"form.docx", macros), Some(Opaque::Document));
        assert_eq!(by_bytes(b"form.pdf", b"%PDF-1.7 /JavaScript"), Some(Opaque::Document));
    }

    #[test]
    fn text_pictures_and_documents_are_fine() {
        for (name, bytes) in [
            ("form.docx", b"PK\x03\x04 word/document.xml".as_slice()),
            ("form.pdf", b"%PDF-1.7 plain"),
            (
                "MZ.txt",
                b"MZ is what programs start with, and this text is long enough for a header",
            ),
            ("a.png", b"\x89PNG\r\n\x1a\n"),
            ("notes.md", b"a\r\r\n"),
            ("empty", b""),
        ] {
            assert_eq!(by_bytes(name.as_bytes(), bytes), None, "{name}");
        }
    }
}
