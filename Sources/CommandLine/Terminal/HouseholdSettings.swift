import Encodings
import Foundation
import Secrets

/// The values that the owner of a household has set for its broker and its phone with `countersign config set`, by the names of the
/// variables that other brokers and phones are configured with.
package struct HouseholdSettings: Sendable, Equatable {
    /// Values that may be shown.
    private(set) var plain: [String: String] = [:]
    private var secrets: [String: Secret] = [:]

    package init() {}

    /// The value of a setting that may be shown.
    package subscript(name: String) -> String? { plain[name] }

    package var names: Set<String> { Set(plain.keys).union(secrets.keys) }

    /// The names with their values, and dots for those that may not be shown.
    package var shown: [(name: String, value: String)] {
        names.sorted().map { ($0, plain[$0] ?? "••••••••") }
    }

    package mutating func set(_ name: String, to value: String) { plain[name] = value }

    package mutating func set(_ name: String, to secret: Secret) { secrets[name] = secret }

    package mutating func remove(_ name: String) { (plain[name], secrets[name]) = (nil, nil) }

    /// The values as variables, for a program that is started with them.
    var variables: [String: String] {
        plain.merging(secrets.mapValues { $0.revealed() }) { $1 }
    }

    /// Returns the settings with the paths that `place` changes.
    func moving(_ place: (URL) -> URL) -> HouseholdSettings {
        var moved = self
        moved.plain = plain.mapValues { value in
            guard value.hasPrefix("/") else { return value }
            let file = URL(filePath: value)
            let new = place(file)
            return new == file ? value : new.path
        }
        return moved
    }

    package static func == (one: HouseholdSettings, other: HouseholdSettings) -> Bool {
        one.plain == other.plain && Set(one.secrets.keys) == Set(other.secrets.keys)
            && one.secrets.allSatisfy { name, secret in other.secrets[name]?.isEqual(to: secret) == true }
    }

    // MARK: In the household's file

    /// - Throws: ``HouseholdFile/Missing`` when a value is not a text, or belongs to no setting: each becomes a variable of a program.
    init(_ json: JSONValue) throws {
        plain = try Self.texts(json, "settings")
        secrets = try Self.texts(json, "secrets").mapValues { Secret($0) }
    }

    private static func texts(_ json: JSONValue, _ part: String) throws -> [String: String] {
        guard let values = json[part] else { return [:] }
        guard let members = values.objectValue else {
            throw HouseholdFile.Missing(description: "\(part) must be an object")
        }
        return try members.reduce(into: [:]) { texts, member in
            guard HouseholdFile.isSetting(member.key) else {
                throw HouseholdFile.Missing(description: "\(part).\(member.key.inLine(limit: 60)) is not a setting")
            }
            guard let text = member.value.stringValue else {
                throw HouseholdFile.Missing(description: "\(part).\(member.key.inLine(limit: 60)) must be a text")
            }
            texts[member.key] = text
        }
    }

    /// The members of the household's file; none for a part without a value.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if !plain.isEmpty { members["settings"] = .object(plain.mapValues(JSONValue.string)) }
        if !secrets.isEmpty { members["secrets"] = .object(secrets.mapValues { .string($0.revealed()) }) }
        return members
    }
}
