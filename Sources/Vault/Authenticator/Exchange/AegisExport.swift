import Crypto
import Encodings
import Foundation
import KeyVault
import Secrets

/// The vault that the Aegis authenticator exports, plain or encrypted
/// (https://github.com/beemdevelopment/Aegis/blob/master/docs/vault.md).
enum AegisExport {
    static func isExport(_ json: JSONValue) -> Bool {
        json["db"] != nil && json["header"]?.objectValue != nil
    }

    static func tokens(in json: JSONValue, at now: Date, passphrase: () throws -> Secret) throws -> TokenImport {
        guard json["version"]?.intValue == 1 else {
            throw SecondFactorError(.unsupportedVersion, "the Aegis export does not have version 1")
        }
        var database = json["db"] ?? .null
        if let sealed = database.stringValue {
            database = try opened(sealed, header: json["header"] ?? .null, passphrase: passphrase())
        }
        guard let version = database["version"]?.intValue, (1...3).contains(version),
            let entries = database["entries"]?.arrayValue
        else { throw SecondFactorError(.unsupportedVersion, "the entries of the Aegis export have an unknown version") }
        var result = TokenImport()
        for entry in entries {
            result.add {
                try token(entry, at: now)
            } name: {
                entry["name"]?.stringValue
            }
        }
        return result
    }

    private static func token(_ entry: JSONValue, at now: Date) throws -> Token {
        guard entry["type"]?.stringValue == "totp" else {
            throw OTPAuthError(.unsupportedType, "it is not a totp token; only totp is supported")
        }
        guard let info = entry["info"], let secret = info["secret"]?.stringValue,
            let digits = info["digits"]?.intValue, let period = info["period"]?.intValue,
            let algorithm = (info["algo"]?.stringValue).flatMap(TOTPAlgorithm.init(named:))
        else { throw OTPAuthError(.invalidParameter, "a field is missing, or the algorithm is not supported") }
        let account = OTPAuthURI.name(entry["name"]?.stringValue)
        guard let issuer = OTPAuthURI.name(entry["issuer"]?.stringValue) ?? account else {
            throw OTPAuthError(.missingLabel, "it names neither issuer nor account")
        }
        return try Token(
            issuer: issuer, account: account ?? issuer, secret: Secret(secret), digits: digits, period: period,
            algorithm: algorithm, createdAt: now)
    }

    // MARK: Encryption

    private static func opened(_ sealed: String, header: JSONValue, passphrase: Secret) throws -> JSONValue {
        guard let ciphertext = Data(base64Encoded: sealed), let slots = header["slots"]?.arrayValue,
            let parameters = header["params"]
        else { throw SecondFactorError(.damaged, "the encrypted Aegis export has no valid header") }
        let passwordSlots = slots.filter { $0["type"]?.intValue == 1 }
        guard !passwordSlots.isEmpty else {
            throw SecondFactorError(
                .wrongPassphrase, "the Aegis export has no password; export it again with a password")
        }
        for slot in passwordSlots {
            guard let key = try key(of: slot, passphrase: passphrase) else { continue }
            let plaintext = try decrypted(Array(ciphertext), parameters, under: key)
            guard let plaintext else { break }
            return try plaintext.withUnsafeBytes {
                try JSONReader.read($0, limits: JSONLimits(depth: 32, size: TokenImport.largest))
            }
        }
        throw SecondFactorError(.wrongPassphrase, "the password of the Aegis export is wrong, or the file was changed")
    }

    private static func key(of slot: JSONValue, passphrase: Secret) throws -> SymmetricKey? {
        guard let cost = slot["n"]?.intValue, let blockSize = slot["r"]?.intValue,
            let parallelism = slot["p"]?.intValue,
            let salt = bytes(slot["salt"]), let sealed = bytes(slot["key"]), let parameters = slot["key_params"]
        else { throw SecondFactorError(.damaged, "a slot of the Aegis export has a missing field") }
        // Limit what a hostile file can cost to 1 GiB and half a minute.
        guard cost.nonzeroBitCount == 1, (2...(1 << 20)).contains(cost), blockSize == 8, (1...4).contains(parallelism)
        else { throw SecondFactorError(.tooLarge, "the Aegis export needs too much memory or time to open") }
        let scrypt = ScryptParameters(cost: cost, blockSize: blockSize, parallelism: parallelism)
        let wrapping = try scrypt.key(from: passphrase, salt: salt)
        return try decrypted(sealed, parameters, under: wrapping)?.withUnsafeBytes { SymmetricKey(data: $0) }
    }

    /// - Returns: nil if the authentication tag does not match.
    private static func decrypted(
        _ ciphertext: [UInt8], _ parameters: JSONValue, under key: SymmetricKey
    ) throws -> Secret? {
        guard let nonce = bytes(parameters["nonce"]), let tag = bytes(parameters["tag"]), nonce.count == 12,
            tag.count == 16, key.bitCount == 256
        else { throw SecondFactorError(.damaged, "the Aegis export has no valid nonce or tag") }
        guard var plaintext = try? AES.GCM.open(AES.GCM.SealedBox(combined: nonce + ciphertext + tag), using: key)
        else {
            return nil
        }
        defer { plaintext.resetBytes(in: 0..<plaintext.count) }
        return Secret(bytes: plaintext)
    }

    private static func bytes(_ hex: JSONValue?) -> [UInt8]? {
        guard let digits = hex?.stringValue.map({ Array($0.utf8) }), digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}
