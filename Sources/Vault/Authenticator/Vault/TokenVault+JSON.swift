import Clocks
import Encodings
import Foundation
import Secrets

/// Reads and writes the vault's plaintext: JSON with the fields of the data model, dates in ISO 8601 with milliseconds.
///
/// It adds `tombstones` to the data model: the ids of deleted tokens with the time of their deletion. A reader that
/// does not know `tombstones` still reads the tokens. Optional fields of the vault and of tokens that a later program adds are kept; a
/// program that changes one of a token sets `updatedAt`, by which copies are merged.
enum TokenVaultJSON {
    /// The maximum size of the plaintext in bytes, enough for some 50,000 tokens.
    static let largest = 16 << 20

    /// Converts an older vault's JSON to ``TokenVault/currentVersion``, one version at a time.
    struct Migration: Sendable {
        let current: Int
        /// The steps by the version that each one starts from. Never edit a step after its release.
        let steps: [Int: @Sendable (JSONValue) throws -> JSONValue]

        static let standard = Migration(current: TokenVault.currentVersion, steps: [:])

        func migrated(_ json: JSONValue) throws -> JSONValue {
            guard let version = json["version"]?.intValue, version > 0 else {
                throw SecondFactorError(.invalidVersion, "the vault has no version; restore it from a backup")
            }
            guard version <= current else {
                throw SecondFactorError(
                    .unsupportedVersion,
                    "the vault has version \(version), but this program reads up to \(current); update the program. "
                        + "Nothing was changed")
            }
            return try (version..<current).reduce(json) { json, version in
                guard let step = steps[version] else {
                    throw SecondFactorError(
                        .unsupportedVersion, "this program cannot convert version \(version) of the vault")
                }
                return try step(json)
            }
        }
    }

    static func encoded(_ vault: TokenVault) throws -> [UInt8] {
        let deletions = vault.entries.compactMap { id, entry in
            if case .deleted(let date) = entry { (id.uuidString, date) } else { nil }
        }
        let members: [String: JSONValue] = [
            "version": .number(Double(vault.version)), "lastModified": date(vault.lastModified),
            "tokens": .array(
                vault.tokens.map { one in
                    .object(
                        (vault.unknownOfTokens[one.id] ?? [:]).merging(token(one).objectValue ?? [:]) { $1 })
                }),
            "tombstones": .array(
                deletions.sorted { $0.0 < $1.0 }.map { .object(["id": .string($0.0), "deletedAt": date($0.1)]) }),
        ]
        let bytes = try JSONValue.object(vault.unknown.merging(members) { $1 }).canonicalBytes()
        guard bytes.count <= largest else {
            throw SecondFactorError(
                .tooLarge, "the vault would have \(bytes.count) bytes; at most \(largest) are allowed")
        }
        return bytes
    }

    static func decoded(_ bytes: some Sequence<UInt8>, migration: Migration = .standard) throws -> TokenVault {
        let json: JSONValue
        do {
            json = try migration.migrated(JSONReader.read(bytes, limits: JSONLimits(depth: 8, size: largest)))
        } catch is JSONError {
            // Drop the reader's message: it could quote the vault.
            throw SecondFactorError(.damaged, "the vault is not valid JSON; restore it from a backup")
        }
        guard let tokens = json["tokens"]?.arrayValue, let lastModified = date(json["lastModified"]) else {
            throw SecondFactorError(.damaged, "the vault has no list of tokens or no date; restore it from a backup")
        }
        var entries: [UUID: TokenVault.Entry] = [:]
        var unknownOfTokens: [UUID: [String: JSONValue]] = [:]
        entries.reserveCapacity(tokens.count)
        for value in tokens {
            let token = try token(value)
            let unknown = (value.objectValue ?? [:]).filter { !known.contains($0.key) }
            if !unknown.isEmpty { unknownOfTokens[token.id] = unknown }
            guard entries.updateValue(.token(token), forKey: token.id) == nil else {
                throw SecondFactorError(.duplicateTokens, "two tokens in the vault have the same id")
            }
        }
        for value in json["tombstones"]?.arrayValue ?? [] {
            guard let id = id(value), let deletedAt = date(value["deletedAt"]) else {
                throw SecondFactorError(.damaged, "a deletion in the vault has no id or no date")
            }
            guard entries.updateValue(.deleted(deletedAt), forKey: id) == nil else {
                throw SecondFactorError(.duplicateTokens, "a token in the vault is both present and deleted")
            }
        }
        return TokenVault(
            entries: entries,
            unknown: (json.objectValue ?? [:]).filter {
                !["version", "lastModified", "tokens", "tombstones"].contains($0.key)
            }, unknownOfTokens: unknownOfTokens, lastModified: lastModified)
    }

    // MARK: One token

    private static let known: Set<String> = [
        "id", "issuer", "account", "secret", "digits", "period", "algorithm", "createdAt", "updatedAt",
    ]

    static func token(_ token: Token) -> JSONValue {
        [
            "id": .string(token.id.uuidString), "issuer": .string(token.issuer), "account": .string(token.account),
            "secret": .string(token.secret.revealed()), "digits": .number(Double(token.digits)),
            "period": .number(Double(token.period)), "algorithm": .string(token.algorithm.rawValue),
            "createdAt": date(token.createdAt), "updatedAt": date(token.updatedAt),
        ]
    }

    static func token(_ json: JSONValue) throws -> Token {
        guard let id = id(json), let issuer = json["issuer"]?.stringValue, let account = json["account"]?.stringValue,
            let secret = json["secret"]?.stringValue, let digits = json["digits"]?.intValue,
            let period = json["period"]?.intValue,
            let algorithm = json["algorithm"]?.stringValue.flatMap(TOTPAlgorithm.init(rawValue:)),
            let createdAt = date(json["createdAt"]), let updatedAt = date(json["updatedAt"])
        else { throw SecondFactorError(.damaged, "a token in the vault has a missing field or one of the wrong type") }
        do {
            return try Token(
                id: id, issuer: issuer, account: account, secret: Secret(secret), digits: digits, period: period,
                algorithm: algorithm, createdAt: createdAt, updatedAt: updatedAt)
        } catch {
            throw SecondFactorError(.damaged, "a token in the vault is invalid: \(error.message)")
        }
    }

    private static func id(_ json: JSONValue) -> UUID? {
        json["id"]?.stringValue.flatMap(UUID.init(uuidString:))
    }

    // MARK: Dates

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    private static func date(_ date: Date) -> JSONValue {
        // Add half a millisecond: the style truncates, so a rounding error just below a millisecond would lose it.
        .string(Date(timeIntervalSince1970: (Double(date.milliseconds) + 0.5) / 1000).formatted(style))
    }

    private static func date(_ json: JSONValue?) -> Date? {
        guard let text = json?.stringValue, text.utf8.count <= 32, let date = try? style.parse(text) else { return nil }
        return Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1000).rounded() / 1000)
    }
}
