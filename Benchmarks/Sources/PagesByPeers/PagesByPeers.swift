import Markup
import Foundation
import Measuring

/// Compares parsing and selecting with lxml (libxml2's own HTML parser) and selectolax (Lexbor).
///
///     PagesByPeers BENCHMARKS PYTHON
@main
struct PagesByPeers {
    private static let selectors = ["#end", "a.doc", "main td .note", "tbody tr:nth-child(100)", "td + td"]

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { fatalError("usage: PagesByPeers BENCHMARKS PYTHON") }
        let program = URL(filePath: arguments[1]).appending(path: "Peers/pages.py").path
        for (size, rounds) in [(4 << 10, 200), (100 << 10, 60), (1 << 20, 15)] {
            let file = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString).html")
            defer { try? FileManager.default.removeItem(at: file) }
            let page = Array(StatementPage.html(bytes: size).utf8)
            try Data(page).write(to: file)
            for name in ["lxml", "selectolax"] {
                let peer = try TurningProcess([arguments[2], program, name, file.path])
                defer { peer.stop() }
                try compareParsing(page, rounds, peer, name)
                if size == 1 << 20 { try compareSelecting(page, peer, name) }
            }
        }
    }

    private static func compareParsing(_ page: [UInt8], _ rounds: Int, _ peer: TurningProcess, _ name: String) throws {
        let clock = ContinuousClock()
        let (ours, theirs) = try medians(
            rounds: rounds,
            ours: { try clock.measure { _ = try Document.parse(page, contentType: "text/html; charset=utf-8") } },
            theirs: { .nanoseconds(try peer.turn("")[0]) })
        printRow("bytes to tree, a page of \(page.count >> 10) KB, to \(name)", ours, theirs)
    }

    private static func compareSelecting(_ page: [UInt8], _ peer: TurningProcess, _ name: String) throws {
        let document = try Document.parse(page, contentType: "text/html; charset=utf-8")
        let clock = ContinuousClock()
        for selector in selectors {
            var (found, expected) = (0, 0)
            let (ours, theirs) = try medians(
                rounds: 15, ours: { try clock.measure { found = try document.select(css: selector).count } },
                theirs: {
                    let answer = try peer.turn(selector)
                    expected = answer[1]
                    return .nanoseconds(answer[0])
                })
            guard found == expected else { fatalError("\(selector) finds \(found), with \(name) \(expected)") }
            printRow("`\(selector)` on 1 MB, \(found) found, to \(name)", ours, theirs)
        }
    }
}
