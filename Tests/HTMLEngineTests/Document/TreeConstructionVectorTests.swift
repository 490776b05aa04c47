import Foundation
import Testing

@testable import HTMLEngine

/// The tree construction tests of html5lib, which are the browsers’ own: `COUNTERSIGN_HTML5LIB` names their folder
/// (`tree-construction` of html5lib-tests up to June 2026, of web-platform-tests since). Left out are fragments, pages
/// that scripts change, and `selectedcontent`, into which a browser copies the option that is chosen.
@Suite("A page’s tree is the standard’s", .enabled(if: TreeConstructionVector.folder != nil))
struct TreeConstructionVectorTests {
    @Test("in every case that is a whole page", arguments: TreeConstructionVector.files)
    func cases(file: String) throws {
        let vectors = try TreeConstructionVector.all(in: file)
        var wrong: [String] = []
        for vector in vectors {
            let document = try Document.parse(Array(vector.source.utf8), contentType: "text/html; charset=utf-8")
            let lines = TreeLines.of(document)
            if lines != vector.tree {
                wrong.append("\(vector.source)\n- \(vector.tree)\n+ \(lines)")
            }
        }
        #expect(wrong.isEmpty, "\(file): \(wrong.count) of \(vectors.count):\n\(wrong.joined(separator: "\n\n"))")
    }
}

private struct TreeConstructionVector {
    static let folder = ProcessInfo.processInfo.environment["COUNTERSIGN_HTML5LIB"].map {
        URL(filePath: $0, directoryHint: .isDirectory)
    }
    static let files: [String] = {
        guard let folder else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".dat") }.sorted()
    }()

    let source: String
    let tree: [String]

    static func all(in file: String) throws -> [Self] {
        let text = try String(contentsOf: #require(folder).appending(path: file), encoding: .utf8)
        return ("\n" + text).components(separatedBy: "\n#data\n").dropFirst().compactMap(Self.init)
    }

    private init?(_ text: String) {
        guard let errors = text.range(of: "#errors\n"), let start = text.range(of: "#document\n"),
            !text.contains("#document-fragment"), !text.contains("#script-on"),
            !text.contains("<selectedcontent>")
        else { return nil }
        source = String(text[..<errors.lowerBound].dropLast())
        var lines: [String] = []
        var attributes: [String] = []
        /// What stands deeper is a template's content.
        var hidden = Int.max
        var entries: [String] = []
        for line in text[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("| ") {
                entries.append(String(line.dropFirst(2)))
            } else if !entries.isEmpty {
                entries[entries.count - 1] += "\n" + line
            }
        }
        while entries.last?.hasSuffix("\n") == true { entries[entries.count - 1].removeLast() }
        func endAttributes() {
            lines += attributes.sorted()
            attributes = []
        }
        for entry in entries {
            let depth = entry.prefix { $0 == " " }.count / 2
            let rest = entry.drop { $0 == " " }
            if depth > hidden { continue }
            hidden = .max
            if rest == "content" {
                hidden = depth
            } else if rest.hasPrefix("<!") {
                endAttributes()
            } else if rest.hasPrefix("<"), rest.hasSuffix(">") {
                endAttributes()
                let name = rest.dropFirst().dropLast().split(separator: " ").last ?? ""
                lines.append("\(depth) <\(name.lowercased())>")
            } else if rest.hasPrefix("\"") {
                endAttributes()
                lines.append("\(depth) \(rest)")
            } else {
                let parts = rest.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = parts[0].replacing("xlink ", with: "xlink:").replacing("xml ", with: "xml:")
                    .replacing("xmlns ", with: "xmlns:")
                attributes.append("\(depth) \(name)=\(parts.count > 1 ? parts[1] : "")")
            }
        }
        endAttributes()
        tree = lines
    }
}
