import Encodings
import Foundation
import Secrets

/// Google Authenticator's export, `otpauth-migration://offline?data=…`: several tokens in one QR code.
enum MigrationURI {
    static let scheme = "otpauth-migration://"
    /// The maximum length of a URI in bytes. A QR code holds at most 3 KB.
    static let longest = 64 << 10

    /// Reads the tokens of an export.
    ///
    /// - Throws: ``OTPAuthError`` if the text is not such an export. Errors in single tokens are part of the result.
    static func tokens(in uri: Secret, at now: Date) throws -> TokenImport {
        guard uri.count <= longest else {
            throw OTPAuthError(.tooLong, "the export has \(uri.count) bytes; at most \(longest) are allowed")
        }
        guard var bytes = payload(uri), let fields = ProtobufFields.all(of: bytes[...]) else {
            throw OTPAuthError(.invalidEncoding, "the export cannot be read; scan or copy all of it again")
        }
        defer { bytes.wipe() }
        var result = TokenImport()
        for field in fields {
            guard field.number == 1, case .bytes(let parameters) = field.value else { continue }
            result.add {
                try Parameters(parameters).token(at: now)
            } name: {
                Parameters.name(in: parameters)
            }
        }
        guard !result.isEmpty else { throw OTPAuthError(.notOTPAuth, "the export contains no tokens") }
        return result
    }

    /// Decodes Base64 that may be percent-encoded. A `+` is a Base64 character here, not a space.
    private static func payload(_ uri: Secret) -> [UInt8]? {
        let text = uri.revealed().trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.lowercased().hasPrefix(scheme),
            let query = text.split(separator: "?", maxSplits: 1).dropFirst().first
        else { return nil }
        let data = query.prefix { $0 != "#" }.split(separator: "&").first { $0.hasPrefix("data=") }
        guard let base64 = data?.dropFirst("data=".count), let decoded = String(base64).removingPercentEncoding else {
            return nil
        }
        let digits = decoded.trimmingCharacters(in: CharacterSet(charactersIn: "="))
        let padding = String(repeating: "=", count: (4 - digits.count % 4) % 4)
        return Data(base64Encoded: digits + padding).map(Array.init)
    }

    /// The `OtpParameters` message of the export.
    private struct Parameters {
        var secret = Secret("")
        var name = ""
        var issuer = ""
        var algorithm: UInt64 = 0
        var digits: UInt64 = 0
        var type: UInt64 = 0

        init(_ bytes: ArraySlice<UInt8>) throws(OTPAuthError) {
            guard let fields = ProtobufFields.all(of: bytes) else {
                throw OTPAuthError(.invalidEncoding, "the token is cut short")
            }
            for (number, value) in fields {
                switch (number, value) {
                case (1, .bytes(let bytes)): secret = Secret(bytes: bytes)
                case (2, .bytes(let bytes)): name = String(decoding: bytes, as: UTF8.self)
                case (3, .bytes(let bytes)): issuer = String(decoding: bytes, as: UTF8.self)
                case (4, .number(let number)): algorithm = number
                case (5, .number(let number)): digits = number
                case (6, .number(let number)): type = number
                default: break
                }
            }
        }

        static func name(in bytes: ArraySlice<UInt8>) -> String? {
            (try? Parameters(bytes)).flatMap { OTPAuthURI.name($0.name) }
        }

        func token(at now: Date) throws -> Token {
            guard type == 2 else {
                throw OTPAuthError(.unsupportedType, "it is counter-based; only totp is supported")
            }
            let algorithms: [UInt64: TOTPAlgorithm] = [0: .sha1, 1: .sha1, 2: .sha256, 3: .sha512]
            guard let algorithm = algorithms[algorithm] else {
                throw OTPAuthError(.invalidParameter, "its algorithm is not SHA1, SHA256 or SHA512")
            }
            guard digits <= 2 else { throw OTPAuthError(.invalidParameter, "it has neither 6 nor 8 digits") }
            let label = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let prefix = label.count == 2 ? OTPAuthURI.name(String(label[0])) : nil
            let account = OTPAuthURI.name(String(label.last ?? "")) ?? prefix
            guard let service = OTPAuthURI.name(issuer) ?? prefix ?? account else {
                throw OTPAuthError(.missingLabel, "it names neither issuer nor account")
            }
            return try Token(
                issuer: service, account: account ?? service, secret: Base32.encoded(secret),
                digits: digits == 2 ? 8 : 6, algorithm: algorithm, createdAt: now)
        }
    }
}
