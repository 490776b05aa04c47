import CBareTree
import Markup
import Measuring

/// Compares parsing from bytes to libxml2's tree with Gumbo and a bare conversion in C of the same page. The limit is 1.25.
@main
struct Parsing {
    static func main() throws {
        for (size, rounds) in [(4 << 10, 400), (100 << 10, 100), (1 << 20, 20)] {
            let page = Array(StatementPage.html(bytes: size).utf8)
            let (ours, theirs) = try medians(
                rounds: rounds, ours: { _ = try Document.parse(page, contentType: "text/html; charset=utf-8") },
                theirs: {
                    page.withUnsafeBytes { bytes in
                        let text = bytes.bindMemory(to: CChar.self)
                        bare_tree_free(bare_tree_parse(text.baseAddress, text.count))
                    }
                })
            printRow(
                "bytes to tree, a page of \(size >> 10) KB, to Gumbo and a bare conversion in C", ours, theirs,
                atMost: 1.25)
        }
    }
}
