import Markup
import Secrets
import Testing
import WebURL

@testable import HTMLEngine

struct SubmissionTests {
    private static let url = "https://bank.example/a/form?old=1"

    private static func submission(
        _ html: String, pressing selector: String = "button", charset: String = "utf-8", state: FormState = FormState()
    ) throws -> Submission {
        let document = try Document.parse(Array(html.utf8), contentType: "text/html; charset=\(charset)", url: url)
        return try submission(in: document, pressing: selector, state: state)
    }

    private static func submission(in document: Document, pressing selector: String, state: FormState) throws
        -> Submission
    {
        let button = try #require(try document.select(css: selector).first)
        let form = try #require(button.formOwner)
        let base = try URLRecord(parsing: document.metadata.baseReference ?? url, base: URLRecord(parsing: url))
        return try Submission(of: form, submitter: button, state: state, url: URLRecord(parsing: url), base: base)
    }

    @Test(
        "uses action, method and base, and the button's own attributes first",
        arguments: [
            ("<form><input name=q value='a b'><button>", "GET https://bank.example/a/form?q=a+b"),
            ("<form action='x?y=1#z'><input name=q value=1><button>", "GET https://bank.example/a/x?q=1#z"),
            ("<form action='x?y=1' method=post><button>", "POST https://bank.example/a/x?y=1"),
            ("<form action='' method=post><button>", "POST https://bank.example/a/form?old=1"),
            ("<base href='/b/'><form action='' method=post><button>", "POST https://bank.example/a/form?old=1"),
            ("<base href='/b/'><form action=x method=POST><button>", "POST https://bank.example/b/x"),
            ("<form action=x method=post><button formaction=y formmethod=get>", "GET https://bank.example/a/y?"),
            ("<form action=x><button formaction='' formmethod=post>", "POST https://bank.example/a/form?old=1"),
            ("<form action=x method=put><button>", "GET https://bank.example/a/x?"),
            ("<form action='//other.example/x' method=post><button>", "POST https://other.example/x"),
        ])
    func targets(html: String, expected: String) throws {
        let submission = try Self.submission(html)
        #expect("\(submission.method) \(submission.url)" == expected)
    }

    @Test(
        "sends the content type that the form or its button names",
        arguments: [
            ("<form method=post><button>", "application/x-www-form-urlencoded"),
            ("<form method=post enctype=text/plain><button>", "text/plain"),
            ("<form method=post enctype=nonsense><button>", "application/x-www-form-urlencoded"),
            (
                "<form method=post enctype=text/plain><button formenctype=multipart/form-data>",
                "multipart/form-data; boundary="
            ),
        ])
    func types(html: String, expected: String) throws {
        #expect(try Self.submission(html).contentType?.hasPrefix(expected) == true)
    }

    @Test(
        "encodes in the form's encoding, else the document's",
        arguments: [
            ("", "windows-1252", "a=%FC%26%23322%3B"),
            ("accept-charset='x-none iso-8859-2 utf-8'", "utf-8", "a=%FC%B3"),
            ("accept-charset=x-none", "windows-1252", "a=%C3%BC%C5%82"), ("", "utf-16le", "a=%C3%BC%C5%82"),
        ])
    func encodings(attribute: String, charset: String, expected: String) throws {
        var html = Array("<form method=post \(attribute)><input name=a value='&uuml;&#322;'><button>".utf8)
        if charset == "utf-16le" { html = html.flatMap { [$0, 0] } }
        let document = try Document.parse(html, contentType: "text/html; charset=\(charset)", url: Self.url)
        let submission = try Self.submission(in: document, pressing: "button", state: FormState())
        #expect(String(decoding: submission.body ?? [], as: UTF8.self) == expected)
    }

    @Test("a secret never enters a URL")
    func secretInURL() throws {
        let html =
            "<form><input name=p type=password><button>Go</button><button formmethod=post id=post>Post</button></form>"
        let document = try Document.parse(Array(html.utf8), url: Self.url)
        let field = try #require(document.controls.first)
        var state = FormState()
        try state.fill(field, with: .secret(Secret("correct horse")))
        let error = #expect(throws: FormError.self) {
            try Self.submission(in: document, pressing: "button", state: state)
        }
        #expect(error?.code == .secretInURL)
        #expect(try Self.submission(in: document, pressing: "#post", state: state).holdsSecret)
    }

    @Test("a dialog's form sends nothing")
    func dialog() {
        #expect(throws: FormError.self) { try Self.submission("<form method=dialog><button>") }
    }

    @Test(
        "is refused where a browser refuses it",
        arguments: [
            ("<input name=a required>", "required"), ("<textarea name=a required></textarea>", "required"),
            ("<input type=checkbox required>", "required"),
            ("<input type=radio name=a required><input type=radio name=a>", "required"),
            ("<select required><option value=''>Please<option>x</select>", "required"),
            ("<select required multiple><option>x</select>", "required"), ("<input type=file required>", "required"),
            ("<input pattern='[0-9]{4}' value=12 title='four digits'>", "four digits"),
            ("<input type=email value=robin>", "e-mail"), ("<input type=url value=nothing>", "URL"),
            ("<input type=number value=5 min=10>", "below 10"),
            ("<input type=date value=2026-02-01 max=2026-01-31>", "above 2026-01-31"),
        ])
    func validity(control: String, words: String) throws {
        let html = "<form method=post>\(control)<button>Go</button><button formnovalidate id=n>Now</button></form>"
        let error = #expect(throws: FormError.self) { try Self.submission(html) }
        #expect(error?.code == .incomplete)
        #expect(error?.message.contains(words) == true)
        _ = try Self.submission(html, pressing: "#n")
        _ = try Self.submission(html.replacing("method=post", with: "method=post novalidate"))
    }

    @Test(
        "is not refused for controls that a person cannot change, or that are exempt",
        arguments: [
            "<input required disabled>", "<input required readonly>", "<input type=hidden required>",
            "<fieldset disabled><input required></fieldset>",
            "<input type=radio name=a required><input type=radio name=a checked>",
            "<select required><option>x</select>", "<input pattern='[' value=x>",
            "<input pattern='(a+)+b' value=\(String(repeating: "a", count: 60))>", "<input minlength=5 value=abc>",
            "<input type=button required>", "<input type=range required>",
        ])
    func noObjection(control: String) throws {
        _ = try Self.submission("<form method=post>\(control)<button>Go</button></form>")
    }
}
