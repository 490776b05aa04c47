import Crypto
import Encodings
import Foundation
import GRDB
import Secrets

/// A one-time code that the phone's owner reads at the terminal and gives to the approval page.
///
/// Anyone who knows it can read the phone's folder, which other users cannot. The store keeps only a hash.
package struct TerminalCode: Sendable {
    package enum Purpose: String, Sendable {
        /// Lets one browser reach the form for signing in.
        case openPage = "open-page"
        /// Lets a browser that knows the passphrase add one passkey.
        case addPasskey = "add-passkey"
        /// Lets a browser that knows the passphrase remove one passkey.
        case removePasskey = "remove-passkey"
    }

    /// The code as it is printed: four groups of four letters and digits, 80 bits.
    package let text: Secret

    init() {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        for position in 0..<16 {
            if position > 0, position.isMultiple(of: 4) { bytes.append(UInt8(ascii: "-")) }
            bytes.append(digits[Int.random(in: 0..<32, using: &generator)])
        }
        text = Secret(bytes: bytes)
    }

    /// Returns the hash under which the store knows a code, however a person typed it.
    static func hash(_ code: Secret, for purpose: Purpose) -> String? {
        guard let digits = Base32.normalised(code), digits.count == 16 else { return nil }
        return digits.withUnsafeBytes { bytes in
            var hash = SHA256()
            hash.update(data: Data("countersign terminal code 1 \(purpose.rawValue) ".utf8))
            hash.update(bufferPointer: bytes)
            return Base16.encode(hash.finalize())
        }
    }
}

extension PhoneDatabase {
    /// Makes a code that can be used once, for a limited time.
    package func makeTerminalCode(
        for purpose: TerminalCode.Purpose, lifetime: TimeInterval, at now: Date = Date()
    ) async throws -> TerminalCode {
        let code = TerminalCode()
        guard let hash = TerminalCode.hash(code.text, for: purpose) else { return code }
        try await database.write { database in
            try database.execute(
                sql: "DELETE FROM terminal_codes WHERE expires_at <= ?", arguments: [StoreTime.text(now)])
            try database.execute(
                sql: "INSERT INTO terminal_codes VALUES (?, ?, ?)",
                arguments: [hash, purpose.rawValue, StoreTime.text(now.addingTimeInterval(lifetime))])
        }
        return code
    }

    /// Tells whether a code would be taken now. It stays unused.
    package func isValid(_ code: Secret, for purpose: TerminalCode.Purpose, at now: Date = Date()) async throws -> Bool
    {
        guard let hash = TerminalCode.hash(code, for: purpose) else { return false }
        return try await database.read {
            try Bool.fetchOne(
                $0, sql: "SELECT EXISTS (SELECT 1 FROM terminal_codes WHERE hash = ? AND expires_at > ?)",
                arguments: [hash, StoreTime.text(now)]) ?? false
        }
    }

    /// Uses a code up.
    ///
    /// - Returns: false if it is not a code for this purpose, was used, or is too old.
    package func use(_ code: Secret, for purpose: TerminalCode.Purpose, at now: Date = Date()) async throws -> Bool {
        guard try await isValid(code, for: purpose, at: now), let hash = TerminalCode.hash(code, for: purpose) else {
            return false
        }
        return try await database.write { database in
            try database.execute(
                sql: "DELETE FROM terminal_codes WHERE hash = ? AND expires_at > ?",
                arguments: [hash, StoreTime.text(now)])
            return database.changesCount == 1
        }
    }
}
