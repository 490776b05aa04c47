import Foundation
import Markup
import Secrets
import TestSupport
import Testing

@testable import HTMLEngine

struct EntryListTests {
    private struct Case: Decodable {
        enum Value: Decodable {
            case text(String)
            case file(String)

            init(from decoder: any Decoder) throws {
                if let text = try? decoder.singleValueContainer().decode(String.self) {
                    self = .text(text)
                } else {
                    let fields = try decoder.singleValueContainer().decode([String: String].self)
                    self = .file(fields["file"] ?? "")
                }
            }
        }

        var name: String
        var value: Value
        var encoding: String
        var expected: String
    }

    @Test(
        "encodes as the web platform tests expect",
        .needsVectors)
    func webPlatformTests() throws {
        let data = try Vectors.data("forms/wpt-urlencoded-submission.json")
        let cases = try JSONDecoder().decode([Case].self, from: data)
        #expect(cases.count == 30)
        for item in cases {
            let encoding = try #require(CharacterEncoding(label: item.encoding))
            let value: EntryList.Value =
                switch item.value {
                case .text(let text): .text(text)
                case .file(let name): .file(name: name, content: [])
                }
            let list = EntryList([.init(name: item.name, value: value)])
            #expect(String(decoding: list.urlEncoded(encoding), as: UTF8.self) == item.expected)
        }
    }

    /// Returns the URL-encoded entry list of the page's first form, submitted with the button that a selector finds.
    private static func entries(_ html: String, pressing selector: String? = nil) throws -> String {
        let document = try Document.parse(Array(html.utf8), contentType: "text/html; charset=utf-8")
        let form = try #require(document.forms.first)
        let button = try selector.flatMap { try document.select(css: $0).first }
        let list = EntryList(of: form, submitter: button, state: FormState(), encoding: .utf8)
        return String(decoding: list.urlEncoded(.utf8), as: UTF8.self)
    }

    @Test(
        "includes the controls that the standard includes",
        arguments: [
            ("<input name=a value=1><input value=2><input name='' value=3>", "a=1"),
            ("<input name=a type=unknown value=1>", "a=1"),
            (
                "<input name=a disabled value=1><fieldset disabled><legend><input name=b value=2></legend><input name=c></fieldset>",
                "b=2"
            ),
            ("<fieldset disabled><legend></legend><legend><input name=b></legend></fieldset><input name=z>", "z="),
            ("<fieldset disabled><p><legend><input name=b></legend></p></fieldset>", ""),
            ("<datalist><input name=a value=1><select name=s><option>x</select></datalist>", ""),
            (
                "<button name=a value=1>x</button><input type=submit name=b value=2><input type=reset name=c value=3>",
                ""
            ),
            (
                "<input type=checkbox name=a><input type=checkbox name=b checked><input type=checkbox name=c value='' checked>",
                "b=on&c="
            ),
            ("<input type=radio name=a value=1 checked><input type=radio name=a value=2 checked>", "a=2"),
            ("<input type=radio name=a value=1><input type=radio name=b value=2>", ""),
            ("<select name=a><option>x<option>y</select>", "a=x"),
            ("<select name=a><option disabled>x<optgroup disabled><option>y</optgroup><option>z</select>", "a=z"),
            ("<select name=a><option value=1 selected disabled>x<option value=2>y</select>", ""),
            ("<select name=a><option selected>x<option selected>y</select>", "a=y"),
            ("<select name=a size=2><option>x<option>y</select>", ""),
            ("<select name=a multiple><option selected>x<option>y<option selected value=3>z</select>", "a=x&a=3"),
            ("<select name=a><option value=''>Please<option>y</select>", "a="),
            ("<select name=a><option>  two \n words&nbsp;</select>", "a=two+words%C2%A0"),
            ("<textarea name=a>\n\none\ntwo</textarea>", "a=%0D%0Aone%0D%0Atwo"),
            ("<textarea name=a><b>x</b></textarea>", "a=%3Cb%3Ex%3C%2Fb%3E"),
            ("<textarea name=a wrap=hard cols=3>abcdefg\nhi</textarea>", "a=abc%0D%0Adef%0D%0Ag%0D%0Ahi"),
            ("<input type=file name=a>", "a="),
            (
                "<input type=hidden name=_charset_ value=x><input type=hidden name=_CHARSET_><input name=_charset_ value=y>",
                "_charset_=UTF-8&_CHARSET_=UTF-8&_charset_=y"
            ),
            ("<input name=a value=x dirname=a.dir><input name=b dir=rtl dirname=b.dir>", "a=x&a.dir=ltr&b=&b.dir=rtl"),
            (
                "<input name=a value='שלום' dir=auto dirname=d><input type=checkbox name=c checked dirname=e>",
                "a=%D7%A9%D7%9C%D7%95%D7%9D&d=rtl&c=on"
            ),
            (
                "<input type=number name=a value=abc><input type=date name=b value=2026-02-30><input type=date name=c value=2024-02-29>",
                "a=&b=&c=2024-02-29"
            ),
            (
                "<input type=range name=a><input type=range name=b min=10 max=20><input type=color name=c value=nope>",
                "a=50&b=15&c=%23000000"
            ),
            (
                "<input type=email name=a value=' x@y '><input type=url name=b value=' https://x '><input name=c value=' x '>",
                "a=x%40y&b=https%3A%2F%2Fx&c=+x+"
            ),
            ("<input name='a b' value='*-._~!()'>", "a+b=*-._%7E%21%28%29"),
            ("<object name=a></object><output name=b>1</output><meter name=c></meter>", ""),
        ])
    func controls(inner: String, expected: String) throws {
        #expect(try Self.entries("<form>\(inner)</form>") == expected)
    }

    @Test(
        "includes the submitter, and no other button",
        arguments: [
            ("<button name=a value=1>x</button><button name=b>y</button>", "[name=a]", "a=1"),
            ("<button name=a value=1>x</button><button name=b>y</button>", "[name=b]", "b="),
            ("<input type=submit name=a><input type=submit name=b value=2>", "[name=b]", "b=2"),
            ("<input type=image name=a><input name=z>", "[name=a]", "a.x=0&a.y=0&z="),
            ("<input type=image value=v id=i>", "#i", "x=0&y=0"),
            ("<input type=submit value=2 id=i>", "#i", ""),
        ])
    func submitters(inner: String, selector: String, expected: String) throws {
        #expect(try Self.entries("<form>\(inner)</form>", pressing: selector) == expected)
    }

    @Test(
        "finds each control's form",
        arguments: [
            ("<form id=f></form><input form=f name=a value=1><input name=b>", "a=1"),
            ("<form id=f><input form=g name=a><input form='' name=b><input name=c></form><form id=g></form>", "c="),
            ("<form><div><p><input name=a></p></div></form><form><input name=b></form>", "a="),
            ("<table><form><tr><td><input name=a value=1></td></tr></form></table><input name=b>", "a=1"),
            ("<table><tr><form><td><input name=a value=1></td></form></tr></table>", "a=1"),
            ("<form id=x><input name=a></form><table><form id=y><tr><td><input name=b></table>", "a="),
            ("<form><form><input name=a></form><input name=b></form>", "a="),
        ])
    func owners(html: String, expected: String) throws {
        #expect(try Self.entries(html) == expected)
    }

    @Test("multipart bodies quote names, separate files and break lines with CR LF")
    func multipart() throws {
        let list = EntryList([
            .init(name: "a\"b\nc", value: .text("1\n2")),
            .init(name: "f", value: .file(name: "x\r\"y", content: [0, 10])),
            .init(name: "g", value: .file(name: "", content: [])),
        ])
        let body = list.multipart(.utf8, boundary: "B")
        let expected =
            "--B\r\nContent-Disposition: form-data; name=\"a%22b%0D%0Ac\"\r\n\r\n1\r\n2\r\n"
            + "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x%0D%22y\"\r\n"
            + "Content-Type: application/octet-stream\r\n\r\n\0\n\r\n"
            + "--B\r\nContent-Disposition: form-data; name=\"g\"; filename=\"\"\r\n"
            + "Content-Type: application/octet-stream\r\n\r\n\r\n--B--\r\n"
        #expect(body == Array(expected.utf8))
    }

    @Test("plain text has a line for each entry")
    func plainText() throws {
        let list = EntryList([.init(name: "a", value: .text("x y")), .init(name: "b", value: .text("ü€"))])
        let latin = try #require(CharacterEncoding(label: "iso-8859-2"))
        #expect(list.plainText(latin) == Array("a=x y\r\nb=".utf8) + [0xFC] + Array("&#8364;\r\n".utf8))
    }

    @Test("a form that a table has emptied is submitted completely")
    func emptied() throws {
        let html = "<table><form method=post><tr><td><input name=a value=1><td><input name=b value=2><button name=c>"
        let document = try Document.parse(Array(html.utf8), contentType: "text/html; charset=utf-8")
        let form = try #require(document.forms.first)
        #expect(form.children.isEmpty)
        let list = EntryList(
            of: form, submitter: document.controls.last, state: FormState(), encoding: .utf8)
        #expect(String(decoding: list.urlEncoded(.utf8), as: UTF8.self) == "a=1&b=2&c=")
    }
}
