import Testing

@testable import WebServing

@Suite("Words from right to left on a page") struct PageDirectionTests {
    /// Hebrew and Arabic words for a bank.
    private static let hebrew = "\u{5D1}\u{5E0}\u{5E7}"
    private static let arabic = "\u{628}\u{646}\u{643}"

    static let isolations: [(String, String)] = [
        ("<h2>\(hebrew), 2026</h2>", "<h2><bdi>\(hebrew)</bdi>, 2026</h2>"),
        ("<p>\(arabic) · 3 Mar</p>", "<p><bdi>\(arabic)</bdi> · 3 Mar</p>"),
        ("<p>of “\(hebrew)”, 6 documents</p>", "<p>of “<bdi>\(hebrew)</bdi>”, 6 documents</p>"),
        ("<p>“\(hebrew)”, “\(arabic)”</p>", "<p>“<bdi>\(hebrew)</bdi>”, “<bdi>\(arabic)</bdi>”</p>"),
        ("<p>\(hebrew) · \(arabic) · 7</p>", "<p><bdi>\(hebrew)</bdi> · <bdi>\(arabic)</bdi> · 7</p>"),
        ("<p>\(hebrew)<b> 5</b></p>", "<p><bdi>\(hebrew)</bdi><b> 5</b></p>"),
        ("\(hebrew)", "<bdi>\(hebrew)</bdi>"),
        ("<p>\(hebrew) &amp; 4</p>", "<p><bdi>\(hebrew)</bdi> &amp; 4</p>"),
        ("<p>\u{10800}1</p>", "<p><bdi>\u{10800}</bdi>1</p>"),
        ("<p>\u{1E900} 1</p>", "<p><bdi>\u{1E900}</bdi> 1</p>"),
        ("<title>\(hebrew)</title><p>\(hebrew) 1</p>", "<title>\(hebrew)</title><p><bdi>\(hebrew)</bdi> 1</p>"),
    ]

    @Test("are isolated, so that numbers, signs and other names around them keep their places", arguments: isolations)
    func isolated(page: String, shown: String) { #expect(PageTemplates.isolating(page) == shown) }

    static let names: [String] = [
        "\(hebrew) 5 \(hebrew)", "\(hebrew) (\(hebrew))", "\(hebrew)-\(arabic)", "\(hebrew)&#39;\(hebrew)",
        "\u{5E9}\u{5C1}\u{5B8}\u{5DC}\u{5D5}\u{5B9}\u{5DD}", "\(arabic)\u{64B}", "\(hebrew)\u{301}", "\u{661}\u{662}",
    ]

    @Test("stay one name with the digits, marks and parentheses that are between them", arguments: names)
    func whole(name: String) {
        #expect(PageTemplates.isolating("<p>Bank \(name) 7</p>") == "<p>Bank <bdi>\(name)</bdi> 7</p>")
    }

    static let pages: [String] = [
        "<input value=\"\(hebrew)\">", "<p title=\"\(hebrew), 2026\">7</p>", "<title>\(hebrew) – Countersign</title>",
        "<select><option value=\"a\">\(hebrew)</option><option>\(arabic) 2</option></select>",
        "<textarea>\(hebrew) 1</textarea>", "<p>Zürich, 2026 · 👩‍💻 “Москва” 東京</p>", "<input value=\"\(hebrew)", "",
    ]

    @Test("stay as they are in attributes and in elements that have text alone, as other pages do", arguments: pages)
    func unchanged(page: String) { #expect(PageTemplates.isolating(page) == page) }
}
