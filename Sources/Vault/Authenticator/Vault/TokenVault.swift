import Encodings
import Foundation

/// All tokens of a person, including the record of deleted ones.
///
/// ``merged(with:)`` combines two copies that different devices changed: the later change of each token wins, in
/// whichever order and however often copies are merged.
package struct TokenVault: Sendable {
    /// The version of the vault's JSON that this program writes.
    package static let currentVersion = 1

    /// The state of one token. Deletions are kept: otherwise an older copy would bring the token back.
    enum Entry: Sendable, Equatable {
        case token(Token)
        case deleted(Date)

        var changedAt: Date {
            switch self {
            case .token(let token): token.updatedAt
            case .deleted(let date): date
            }
        }
    }

    var entries: [UUID: Entry]
    /// Members of the vault's JSON that a newer program wrote. They are kept and written again.
    var unknown: [String: JSONValue]
    /// Such members of tokens, by the token's id.
    var unknownOfTokens: [UUID: [String: JSONValue]]
    package let version: Int
    /// In whole milliseconds.
    package internal(set) var lastModified: Date

    package init(at now: Date = Date()) {
        self.init(entries: [:], lastModified: now.inMilliseconds)
    }

    init(
        entries: [UUID: Entry], unknown: [String: JSONValue] = [:],
        unknownOfTokens: [UUID: [String: JSONValue]] = [:], lastModified: Date
    ) {
        self.entries = entries
        self.unknown = unknown
        self.unknownOfTokens = unknownOfTokens
        self.lastModified = lastModified
        version = Self.currentVersion
    }

    /// The tokens, sorted by issuer and account.
    package var tokens: [Token] {
        entries.values.compactMap { if case .token(let token) = $0 { token } else { nil } }.sorted(by: Self.isBefore)
    }

    package var count: Int {
        entries.values.count { if case .token = $0 { true } else { false } }
    }

    /// The number of remembered deletions.
    package var tombstoneCount: Int { entries.count - count }

    package func token(_ id: UUID) -> Token? {
        if case .token(let token) = entries[id] { token } else { nil }
    }

    /// Adds a token.
    ///
    /// - Throws: `exists` if the vault has, or had, a token with this id.
    package mutating func add(_ token: Token, at now: Date = Date()) throws(SecondFactorError) {
        guard entries[token.id] == nil else {
            throw SecondFactorError(.exists, "the vault already has a token with this id")
        }
        entries[token.id] = .token(token)
        touch(now)
    }

    /// Changes the names of a token.
    package mutating func rename(
        _ id: UUID, issuer: String? = nil, account: String? = nil, at now: Date = Date()
    ) throws {
        guard let token = token(id) else { throw SecondFactorError(.unknownToken, "the vault has no such token") }
        entries[id] = .token(try token.renamed(issuer: issuer, account: account, at: now))
        touch(now)
    }

    package mutating func delete(_ id: UUID, at now: Date = Date()) throws(SecondFactorError) {
        guard let token = token(id) else { throw SecondFactorError(.unknownToken, "the vault has no such token") }
        entries[id] = .deleted(now.after(token.updatedAt))
        unknownOfTokens[id] = nil
        touch(now)
    }

    private mutating func touch(_ now: Date) {
        lastModified = now.after(lastModified)
    }

    private static func isBefore(_ left: Token, _ right: Token) -> Bool {
        let names = (left.issuer.lowercased(), left.account.lowercased())
        let others = (right.issuer.lowercased(), right.account.lowercased())
        return names == others ? left.id.uuidString < right.id.uuidString : names < others
    }
}
