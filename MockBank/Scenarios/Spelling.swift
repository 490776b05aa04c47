import Foundation

/// How a page's HTML becomes bytes.
enum Spelling {
    /// Windows-1252 under the name of ISO 8859-1 (which browsers read as the former; WHATWG Encoding, section 4.2),
    /// said by the page alone, with the non-breaking spaces that content systems put between words.
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

    /// The same page, put there by its script: empty for whoever does not run it.
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
