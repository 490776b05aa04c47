import Foundation

/// Other ways to send a page's HTML.
enum Spelling {
    /// Encodes a page in Windows-1252, labelled ISO 8859-1 only in its `meta` element, with non-breaking spaces between
    /// some words as content systems insert them. Browsers read that label as Windows-1252 (WHATWG Encoding, section
    /// 4.2).
    static func windows1252(_ html: String) -> [UInt8] {
        let page = html.replacing(
            "<meta charset=\"utf-8\">",
            with: "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=iso-8859-1\">"
        )
        .replacing("Sign in</button>", with: "Sign\u{A0}in</button>")
        .replacing(/(January|February|March|April|May|June|July|August|September|October|November|December) (?=\d{4})/)
        {
            "\($0.output.1)\u{A0}"
        }
        return page.unicodeScalars.flatMap { scalar -> [UInt8] in
            if let byte = String(scalar).data(using: .windowsCP1252)?.first { return [byte] }
            return Array("&#\(scalar.value);".utf8)
        }
    }

    /// Returns the page with its body inserted by a script, so that it is empty without JavaScript.
    static func byScript(_ html: String) -> String {
        guard let open = html.firstRange(of: "<body>"), let close = html.firstRange(of: "</body>"),
            let data = try? JSONEncoder().encode(String(html[open.upperBound..<close.lowerBound]))
        else { return html }
        let text = String(decoding: data, as: UTF8.self).replacing("</", with: "<\\/")
        return html[..<open.upperBound]
            + """
            <div id="app"></div>
            <noscript>Please switch JavaScript on to use Meridian online banking.</noscript>
            <script>document.getElementById("app").innerHTML = \(text);</script>
            """ + html[close.lowerBound...]
    }
}
