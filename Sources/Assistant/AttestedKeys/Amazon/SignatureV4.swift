import Crypto
import Encodings
import Foundation
import Secrets

/// Signs requests to AWS (IAM User Guide, "Create a signed AWS API request", Signature Version 4).
package struct SignatureV4: Sendable {
    /// A request to sign. Its path is `/`.
    package struct Request: Sendable {
        package var method: String
        package var host: String
        /// Names and values as they are meant, not yet percent-encoded.
        package var query: [(name: String, value: String)] = []
        /// Further headers that are signed.
        package var headers: [(name: String, value: String)] = []
        package var body: [UInt8] = []

        package init(_ method: String, host: String) {
            self.method = method
            self.host = host
        }
    }

    private static let algorithm = "AWS4-HMAC-SHA256"

    private let region: String
    private let service: String

    package init(region: String, service: String) {
        self.region = region
        self.service = service
    }

    /// Returns the headers to send besides those of the request: the time, the session's token, and the signature.
    package func headers(
        for request: Request, _ credentials: AmazonCredentials, at now: Date
    ) -> [(name: String, value: Secret)] {
        let time = now.formatted(Self.timeFormat)
        let scope = "\(time.prefix(8))/\(region)/\(service)/aws4_request"
        var headers = [("host", request.host), ("x-amz-date", time)]
        headers += request.headers.map { ($0.name.lowercased(), Self.trimmed($0.value)) }
        if let token = credentials.sessionToken { headers.append(("x-amz-security-token", token.revealed())) }
        headers.sort { $0.0 < $1.0 }
        let names = headers.map(\.0).joined(separator: ";")
        let canonical = [
            request.method, "/", Self.encoded(request.query), headers.map { "\($0):\($1)\n" }.joined(), names,
            Base16.encode(SHA256.hash(data: request.body)),
        ].joined(separator: "\n")
        let text = [Self.algorithm, time, scope, Base16.encode(SHA256.hash(data: Array(canonical.utf8)))]
            .joined(separator: "\n")
        let signature = Base16.encode(
            HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key(credentials, day: time.prefix(8))))
        let authorization =
            "\(Self.algorithm) Credential=\(credentials.accessKeyID)/\(scope), SignedHeaders=\(names), "
            + "Signature=\(signature)"
        var signed = [("x-amz-date", Secret(time)), ("authorization", Secret(authorization))]
        if let token = credentials.sessionToken { signed.append(("x-amz-security-token", token)) }
        return signed
    }

    /// Derives the key of one day, region and service.
    private func key(_ credentials: AmazonCredentials, day: Substring) -> SymmetricKey {
        var seed = Array("AWS4".utf8) + credentials.secretAccessKey.withUnsafeBytes { Array($0) }
        defer { seed.wipe() }
        return [String(day), region, service, "aws4_request"].reduce(SymmetricKey(data: seed)) { key, part in
            SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
        }
    }

    private static func encoded(_ query: [(name: String, value: String)]) -> String {
        query.map { (encoded($0.name), encoded($0.value)) }.sorted { $0 < $1 }.map { "\($0)=\($1)" }
            .joined(separator: "&")
    }

    /// Percent-encodes all but the unreserved characters (RFC 3986, section 2.3).
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            isUnreserved(byte) ? String(UnicodeScalar(byte)) : "%" + Base16.encode([byte]).uppercased()
        }.joined()
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// Removes spaces at the ends, and makes several within one.
    private static func trimmed(_ value: String) -> String {
        value.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }

    /// ISO 8601's basic form, e.g. 20150830T123600Z.
    private static let timeFormat = Date.ISO8601FormatStyle(
        dateSeparator: .omitted, dateTimeSeparator: .standard, timeSeparator: .omitted)
}
