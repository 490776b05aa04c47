import Foundation
import TestSupport
import Testing

@testable import Markup

/// Runs html5lib's tree construction tests, which browsers run too. The cases lie in `html5lib/tree-construction` of the
/// folder that `COUNTERSIGN_VECTORS` names.
///
/// Three kinds of cases are left out: fragments, pages that scripts change, and `selectedcontent`, into which a browser
/// copies the chosen option.
@Suite("A page's tree is the standard's", .needsVectors)
struct TreeConstructionVectorTests {
    @Test("the folder has the cases")
    func files() {
        #expect(TreeConstructionVector.files.count > 50)
    }

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
    private static let folder = "html5lib/tree-construction"
    static let files = ((try? Vectors.names(in: folder)) ?? []).filter { $0.hasSuffix(".dat") }

    let source: String
    let tree: [String]

    static func all(in file: String) throws -> [Self] {
        let text = String(decoding: try Vectors.data("\(folder)/\(file)"), as: UTF8.self)
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
        /// Deeper entries are a template's content.
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
