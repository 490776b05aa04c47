import BankScript
import Encodings

/// A collection's description of a script, before it is fetched. It helps a person to find it; what the script does is computed from
/// the script itself.
package struct ListedScript: Sendable, Hashable {
    package var bankID: String
    package var name: String
    /// The bank's country as ISO 3166-1 alpha-2 in lower case; empty when the collection does not say.
    package var country: String
    package var kinds: [String]
    package var author: String
    package var origins: [String]
    /// The path in the collection.
    package var path: String
    /// The script's digest in hex; empty when the collection does not say.
    package var digest = ""
    /// The summary of field results that the collection publishes; nil without one.
    package var results: ResultSummary?

    package init(
        bankID: String, name: String, country: String = "", kinds: [String] = [], author: String = "",
        origins: [String] = [], path: String
    ) {
        self.bankID = bankID
        self.name = name
        self.country = country
        self.kinds = kinds
        self.author = author
        self.origins = origins
        self.path = path
    }

    /// Describes a script with what its author says beside it.
    package init(_ script: BankScript, country: String, author: String, path: String) {
        self.init(
            bankID: script.id, name: script.name, country: country, kinds: script.kinds.map(\.rawValue), author: author,
            origins: script.origins, path: path)
        digest = script.digest.hex
    }

    /// True for the path of a script: not of its matrix, and not of anything else.
    package static func isScript(_ path: String) -> Bool {
        (path.hasSuffix(".yaml") || path.hasSuffix(".yml")) && !path.hasSuffix(".test.yaml")
            && !path.hasSuffix(".test.yml")
    }

    /// The members of a target's `custom` object.
    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "bank": .string(bankID), "name": .string(name), "country": .string(country), "author": .string(author),
            "kinds": .array(kinds.map(JSONValue.string)), "origins": .array(origins.map(JSONValue.string)),
        ]
        if !digest.isEmpty { members["digest"] = .string(digest) }
        if let results { members["results"] = results.json }
        return .object(members)
    }

    /// Reads a target's `custom` object. A collection that others made may have none: then the path tells the bank.
    package init(_ json: JSONValue?, path: String) {
        func texts(_ name: String) -> [String] { json?[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let stem = String(file.prefix { $0 != "." })
        self.init(
            bankID: json?["bank"]?.stringValue ?? stem, name: json?["name"]?.stringValue ?? stem,
            country: json?["country"]?.stringValue ?? "", kinds: texts("kinds"),
            author: json?["author"]?.stringValue ?? "", origins: texts("origins"), path: path)
        digest = json?["digest"]?.stringValue.flatMap { Base16.isEncoding($0, ofBytes: 32) ? $0 : nil } ?? ""
        results = ResultSummary(json?["results"])
    }
}
