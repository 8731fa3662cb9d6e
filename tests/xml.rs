//! A reader for the little XML that JUnit reports use. It refuses whatever is not well formed.

/// An element with its attributes, children and text.
#[derive(Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    pub(crate) text: String,
}

impl Element {
    /// The value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        &found.unwrap_or_else(|| panic!("no attribute {name} in {self:?}")).1
    }

    /// The children of this name.
    pub(crate) fn all(&self, name: &str) -> Vec<&Self> {
        self.children.iter().filter(|child| child.name == name).collect()
    }
}

/// Reads a whole document; panics where it is not well formed.
pub(crate) fn parse(text: &str) -> Element {
    let forbidden = |c: char| (c < ' ' && !"\t\n\r".contains(c)) || "\u{fffe}\u{ffff}".contains(c);
    assert!(!text.chars().any(forbidden), "a character that XML does not allow");
    let rest = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").expect("a prolog");
    let mut reader = Reader { rest };
    let root = reader.element();
    assert_eq!(reader.rest.trim(), "", "nothing follows the root");
    root
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn element(&mut self) -> Element {
        self.expect("<");
        let mut element = Element { name: self.name(), ..Element::default() };
        loop {
            let spaces = self.take_while(char::is_whitespace).len();
            if self.skip("/>") {
                return element;
            }
            if self.skip(">") {
                break;
            }
            assert!(spaces > 0, "attributes are apart: {}", self.near());
            let key = self.name();
            self.expect("=\"");
            let value = self.take_while(|c| c != '"');
            self.expect("\"");
            assert!(!value.contains('<'), "`<` in an attribute");
            assert!(element.attributes.iter().all(|(other, _)| *other != key), "{key} twice");
            element.attributes.push((key, unescape(value)));
        }
        loop {
            let text = self.take_while(|c| c != '<');
            assert!(!text.contains("]]>"), "`]]>` in text");
            element.text.push_str(&unescape(text));
            if self.skip("</") {
                let name = self.name();
                assert_eq!(name, element.name, "tags are closed in order");
                self.expect(">");
                return element;
            }
            element.children.push(self.element());
        }
    }

    fn name(&mut self) -> String {
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        assert!(!name.is_empty(), "a name: {}", self.near());
        name.to_owned()
    }

    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !fits(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn skip(&mut self, token: &str) -> bool {
        self.rest.strip_prefix(token).map(|rest| self.rest = rest).is_some()
    }

    fn expect(&mut self, token: &str) {
        assert!(self.skip(token), "expected {token:?}: {}", self.near());
    }

    fn near(&self) -> String {
        self.rest.chars().take(60).collect()
    }
}

fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut parts = text.split('&');
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (entity, rest) = part.split_once(';').expect("an entity ends with a semicolon");
        plain.push_str(match entity {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "apos" => "'",
            other => panic!("unknown entity {other}"),
        });
        plain.push_str(rest);
    }
    plain
}

#[test]
fn the_reader_refuses_what_is_not_well_formed() {
    let prolog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    let good = parse(&format!("{prolog}<a b=\"&lt;&quot;\"><c/>x &amp; y</a>"));
    assert_eq!((good.attribute("b"), good.text.as_str()), ("<\"", "x & y"));
    for bad in ["<a>", "<a></b>", "<a b=\"<\"/>", "<a>&</a>", "<a/><b/>", "<a b=\"1\" b=\"2\"/>"] {
        let text = format!("{prolog}{bad}");
        assert!(std::panic::catch_unwind(|| parse(&text)).is_err(), "{bad}");
    }
}
