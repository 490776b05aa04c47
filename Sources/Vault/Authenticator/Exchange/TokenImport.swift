import Encodings
import Foundation
import Secrets

/// The result of reading another program's export: the tokens, and each entry that was refused with its reason.
package struct TokenImport: Sendable {
    package struct Refusal: Sendable, Hashable {
        /// The token's name, or its place in the file.
        package let name: String
        package let reason: String
    }

    /// Largest file that is read, in bytes.
    package static let largest = 32 << 20

    package private(set) var tokens: [Token] = []
    package private(set) var refusals: [Refusal] = []

    package var isEmpty: Bool { tokens.isEmpty && refusals.isEmpty }

    /// Reads this program's encrypted export, an Aegis export (plain or encrypted), a list of `otpauth://` URIs one per
    /// line, or Google Authenticator's `otpauth-migration://`.
    ///
    /// - Parameter passphrase: called only if the file is encrypted.
    /// - Throws: ``SecondFactorError`` if the file has none of these formats, ``OTPAuthError`` if a migration URI is
    ///   cut short.
    package static func read(
        _ content: Secret, at now: Date = Date(), passphrase: () throws -> Secret
    ) throws -> TokenImport {
        guard content.count <= largest else {
            throw SecondFactorError(.tooLarge, "the file has \(content.count) bytes; at most \(largest) are allowed")
        }
        let first = content.withUnsafeBytes { $0.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) } }
        guard first == UInt8(ascii: "{") else { return try lines(of: content, at: now) }
        let json: JSONValue
        do {
            json = try content.withUnsafeBytes {
                try JSONReader.read($0, limits: JSONLimits(depth: 32, size: largest))
            }
        } catch is JSONError {
            throw SecondFactorError(.notAnImport, "the file begins like JSON but is not valid; export it again")
        }
        if TokenExport.isEncrypted(json) { return try TokenExport.opened(json, at: now, passphrase: passphrase()) }
        if AegisExport.isExport(json) { return try AegisExport.tokens(in: json, at: now, passphrase: passphrase) }
        throw SecondFactorError(
            .notAnImport, "the file is JSON in an unknown format; import an export of this program or of Aegis")
    }

    private static func lines(of content: Secret, at now: Date) throws -> TokenImport {
        var result = TokenImport()
        let lines = content.revealed().split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces.union(["\u{FEFF}"]))
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let text = Secret(line)
            if line.lowercased().hasPrefix(MigrationURI.scheme) {
                result.append(try MigrationURI.tokens(in: text, at: now))
            } else {
                result.add {
                    try OTPAuthURI(text).token(at: now)
                } name: {
                    "line \(index + 1)"
                }
            }
        }
        guard !result.isEmpty else { throw SecondFactorError(.notAnImport, "the file is empty") }
        return result
    }

    mutating func add(_ token: () throws -> Token, name: () -> String?) {
        do {
            tokens.append(try token())
        } catch {
            refusals.append(Refusal(name: name() ?? "a token without a name", reason: "\(error)"))
        }
    }

    mutating func append(_ other: TokenImport) {
        tokens += other.tokens
        refusals += other.refusals
    }
}

extension TokenVault {
    /// Adds the tokens that are not in the vault yet. A token with the same account, secret, digits, period and
    /// algorithm gives the same codes, so it counts as the same token even if its id differs.
    ///
    /// - Returns: the tokens that were added.
    package mutating func add(contentsOf tokens: [Token], at now: Date = Date()) throws(SecondFactorError) -> [Token] {
        var known: [String: [Token]] = [:]
        for token in self.tokens { known[token.issuer.lowercased(), default: []].append(token) }
        var added: [Token] = []
        for token in tokens {
            let twins = known[token.issuer.lowercased(), default: []]
            guard self.token(token.id) == nil, !twins.contains(where: { $0.givesSameCodes(as: token) }) else {
                continue
            }
            // A deleted token comes back under another id: otherwise a merge would apply the deletion to it again.
            let new = entries[token.id] == nil ? token : token.underAnotherID
            try add(new, at: now)
            known[new.issuer.lowercased(), default: []].append(new)
            added.append(new)
        }
        return added
    }
}

extension Token {
    fileprivate func givesSameCodes(as other: Token) -> Bool {
        account == other.account && digits == other.digits && period == other.period && algorithm == other.algorithm
            && secret.isEqual(to: other.secret)
    }
}
