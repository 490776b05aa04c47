import Foundation

/// A ProVerif model of docs/proofs: what it says about the code, and its terms.
///
/// The block between the lines `model` and `end` says what the terms stand for: one statement in each line, such as
/// `members hello: device_id device_name` or `text purpose: countersign pairing`.
package struct ProofModel {
    /// The member of a message. Its name in the terms may end with `_`, where the language reserves it.
    package struct Member: Sendable, Hashable {
        package let name: String
        /// The member may be absent.
        package let isOptional: Bool
    }

    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    private let file: String
    private let statements: [(kind: String, name: String, value: String)]
    /// The file without its comments and the declarations of functions.
    private let terms: String

    /// - Parameter file: its name in docs/proofs.
    /// - Throws: ``Problem`` for a file without a block, or with a line in it that is not a statement.
    package init(_ file: String) throws {
        self.file = file
        let text = try String(contentsOf: Repository.file("docs/proofs/\(file)"), encoding: .utf8)
        guard let block = text.firstMatch(of: #/(?s)\n   model\n(.*?)\n   end \*\)/#) else {
            throw Problem(description: "docs/proofs/\(file) has no block from “model” to “end”")
        }
        statements = try block.1.split(separator: "\n").map { line in
            guard let parts = line.wholeMatch(of: #/   ([a-z]+) ([a-z_0-9]+): (.+)/#) else {
                throw Problem(description: "docs/proofs/\(file): “\(line)” is not a statement")
            }
            return (String(parts.1), String(parts.2), String(parts.3))
        }
        terms = text.replacing(/(?s)\(\*.*?\*\)/, with: " ").replacing(/\bfun [^.]*\./, with: " ")
    }

    /// The names of all statements of one kind, in order.
    package func names(_ kind: String) -> [String] { statements.filter { $0.kind == kind }.map(\.name) }

    private func value(_ kind: String, _ name: String) throws -> String {
        guard let found = statements.first(where: { $0.kind == kind && $0.name == name }) else {
            throw Problem(description: "docs/proofs/\(file) has no line “\(kind) \(name): …”")
        }
        return found.value
    }

    /// Returns a text that the terms use, with `\0` and `\n` as the characters that they stand for.
    ///
    /// - Parameter kind: `text`, `info` or `prefix`.
    /// - Throws: ``Problem`` for a text that no term uses.
    package func text(_ kind: String, _ name: String) throws -> String {
        let value = try value(kind, name)
        let uses = terms.replacing(/const [^.]*\./, with: " ").matches(of: try Regex("\\b\(name)\\b"))
        guard !uses.isEmpty else { throw Problem(description: "docs/proofs/\(file) does not use “\(name)”") }
        return value.replacingOccurrences(of: #"\0"#, with: "\0").replacingOccurrences(of: #"\n"#, with: "\n")
    }

    /// Returns the bytes of a fixed form, as the model describes them.
    package func form(_ name: String) throws -> String { try value("bytes", name) }

    /// Returns the members of a message, in their order.
    ///
    /// - Parameter kind: `members` for a JSON object or a map, `order` for a list.
    /// - Throws: ``Problem`` unless each term that stands for the message has these members in this order: an argument's
    ///   name begins with that of its member.
    package func members(of message: String, _ kind: String = "members") throws -> [Member] {
        let members = try value(kind, message).split(separator: " ").map {
            Member(name: $0.replacingOccurrences(of: "?", with: ""), isOptional: $0.hasSuffix("?"))
        }
        let uses = try arguments(of: message)
        guard !uses.isEmpty else { throw Problem(description: "docs/proofs/\(file) has no term \(message)(…)") }
        for arguments in uses {
            let fit = arguments.count == members.count && zip(arguments, members).allSatisfy { $0.hasPrefix($1.name) }
            guard fit else {
                throw Problem(
                    description:
                        "docs/proofs/\(file): \(message)(\(arguments.joined(separator: ", "))) does not have the "
                        + "members \(members.map(\.name).joined(separator: ", "))")
            }
        }
        return members
    }

    private func arguments(of function: String) throws -> [[String]] {
        try terms.matches(of: Regex("\\b\(function)\\(")).map { found in
            var depth = 1
            var arguments = [""]
            for character in terms[found.range.upperBound...] {
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                if depth == 0 { break }
                if depth == 1, character == "," {
                    arguments.append("")
                } else {
                    arguments[arguments.count - 1].append(character)
                }
            }
            return arguments.map { $0.filter { !$0.isWhitespace && $0 != "=" } }
        }
    }
}
