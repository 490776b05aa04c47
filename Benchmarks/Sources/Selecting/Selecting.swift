import CBareTree
import Markup
import Measuring

/// Compares a CSS selector on a page of 1 MB with the same selector as XPath in libxml2. The limit is 1.
@main
struct Selecting {
    private static let selectors = [
        ("td", "//td"),
        ("#end", "//*[@id='end']"),
        (".num", "//*[contains(concat(' ', normalize-space(@class), ' '), ' num ')]"),
        ("a.doc", "//a[contains(concat(' ', normalize-space(@class), ' '), ' doc ')]"),
        ("a[href]", "//a[@href]"),
        ("a[href^='/documents/']", "//a[starts-with(@href, '/documents/')]"),
        ("table > tbody > tr", "//table/tbody/tr"),
        ("main td .note", "//main//td//*[contains(concat(' ', normalize-space(@class), ' '), ' note ')]"),
        ("tr.booking--credit > td:first-child", "//tr[contains(@class, 'booking--credit')]/*[1][self::td]"),
        ("tbody tr:nth-child(100)", "//tbody/*[100][self::tr]"),
        ("td + td", "//td/following-sibling::*[1][self::td]"),
        ("input:not([type=hidden])", "//input[not(@type='hidden')]"),
    ]

    static func main() throws {
        let page = Array(StatementPage.html(bytes: 1 << 20).utf8)
        let document = try Document.parse(page, contentType: "text/html; charset=utf-8")
        let bare = page.withUnsafeBytes { bytes in
            let text = bytes.bindMemory(to: CChar.self)
            return bare_tree_parse(text.baseAddress, text.count)
        }
        for (css, xpath) in selectors {
            var found = 0
            var expected = 0
            let (ours, theirs) = try medians(
                rounds: 40, ours: { found = try document.select(css: css).count },
                theirs: { expected = bare_tree_count(bare, xpath) })
            guard found == expected else { fatalError("\(css) finds \(found), \(xpath) \(expected)") }
            printRow(
                "`\(css)` on 1 MB, \(found) found, to `\(xpath.replacing("|", with: "\\|"))`", ours, theirs, atMost: 1)
        }
        bare_tree_free(bare)
    }
}
