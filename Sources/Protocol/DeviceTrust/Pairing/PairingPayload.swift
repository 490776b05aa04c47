import Clocks
import Encodings
import Foundation
import Secrets
import WebURL

/// The content of the QR code (mobile-approvals.md, “Pairing data carried in QR”): the broker's identity, its address
/// and the code. With it the phone knows the right broker before it sends anything.
package struct PairingPayload: Sendable {
    package static let version = "1"
    /// The size limit of a pairing text, in bytes.
    package static let longest = 2048
    /// The longest session, in seconds.
    package static let longestLife: TimeInterval = 300
    /// The tolerated difference between the clocks of broker and phone, in seconds.
    package static let clockTolerance: TimeInterval = 60

    package let server: ServerIdentity
    package let code: PairingCode
    /// Scheme, host and port of the broker, without a path.
    package let endpoint: String
    /// Nil when the broker itself does not serve TLS.
    package let certificate: CertificateFingerprint?
    package let createdAt: Timestamp
    package let expiresAt: Timestamp

    package init(
        server: ServerIdentity, code: PairingCode, endpoint: String, certificate: CertificateFingerprint?,
        createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.server = server
        self.code = code
        self.endpoint = endpoint
        self.certificate = certificate
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Each member with its name in the URI and in JSON. Only the code is a secret: were the others, the redactor would
    /// remove addresses and the session's number from every message.
    private var members: [(uri: String, json: String, value: String)] {
        var members: [(String, String, String)] = [
            ("v", "version", Self.version), ("id", "server_id", server.id.description),
            ("key", "server_pubkey", server.publicKey.description), ("code", "pairing_code", code.code.revealed()),
            ("session", "session", "\(code.session)"), ("at", "endpoint", endpoint),
        ]
        if let certificate { members.append(("tls", "tls_sha256", certificate.hex)) }
        members.append(("from", "created_at", createdAt.description))
        members.append(("until", "expires_at", expiresAt.description))
        return members
    }
}

// MARK: - Texts

extension PairingPayload {
    static let scheme = "countersign://pair?"
    private static let names = [
        "v": "version", "id": "server_id", "key": "server_pubkey", "code": "pairing_code", "session": "session",
        "at": "endpoint", "tls": "tls_sha256", "from": "created_at", "until": "expires_at",
    ]

    package var uri: Secret {
        Secret(
            Self.scheme
                + members.map { name, _, value in "\(name)=\(Self.percentEncoded(value))" }
                .joined(separator: "&"))
    }

    /// The payload as compact JSON.
    package var json: Secret {
        let pairs = members.map { _, name, value in
            (name, name == "session" ? JSONValue.number(Double(code.session)) : .string(value))
        }
        return Secret(JSONValue.object(Dictionary(uniqueKeysWithValues: pairs)).compactText())
    }

    /// Reads the URI or the JSON.
    ///
    /// - Throws: ``TrustError``. Its message quotes no part of the text.
    package init(_ text: Secret) throws(TrustError) {
        guard text.count <= Self.longest else {
            throw TrustError(.malformed, "the pairing text has \(text.count) bytes; at most \(Self.longest) are read")
        }
        let plain = text.revealed().trimmingCharacters(in: .whitespacesAndNewlines)
        if plain.hasPrefix("{") {
            guard let json = try? JSONReader.read(plain), case .object(let members) = json else {
                throw TrustError(.malformed, "the pairing text is not JSON; scan or copy it again")
            }
            try self.init(members: members)
        } else {
            guard plain.lowercased().hasPrefix(Self.scheme) else {
                throw TrustError(.malformed, "the text is not a countersign://pair URI; run: countersign pair")
            }
            try self.init(members: Self.members(ofQuery: plain.dropFirst(Self.scheme.utf8.count)))
        }
    }

    private static func members(ofQuery query: Substring) throws(TrustError) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for pair in query.split(separator: "&", omittingEmptySubsequences: false) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = names[String(parts[0])], let value = parts[1].removingPercentEncoding
            else {
                throw TrustError(.malformed, "the pairing URI has an unknown parameter; copy it again")
            }
            let isNumber = name == "session"
            let json = isNumber ? Int(value).map { JSONValue.number(Double($0)) } : .string(value)
            guard let json, members.updateValue(json, forKey: name) == nil else {
                throw TrustError(.malformed, "“\(name)” of the pairing URI is repeated or not a number; copy it again")
            }
        }
        return members
    }

    private init(members: [String: JSONValue]) throws(TrustError) {
        var names = Set(Self.names.values)
        if members["tls_sha256"] == nil { names.remove("tls_sha256") }
        let fields = try TrustFields(.object(members), "the pairing text", exactly: names)
        try fields.check(version: Self.version)
        let session = try fields.whole("session", in: PairingCode.sessions)
        let endpoint = try fields.read("endpoint", "an address such as https://host:8765", Self.endpoint)
        self.init(
            server: ServerIdentity(
                id: try fields.read("server_id", "a UUID in lower case", ServerID.init),
                publicKey: try fields.read("server_pubkey", "a P-256 public key", AgreementPublicKey.init)),
            code: try fields.read("pairing_code", "a code of 8 characters") { PairingCode(session: session, code: $0) },
            endpoint: endpoint,
            certificate: members["tls_sha256"] == nil
                ? nil : try fields.read("tls_sha256", "a SHA-256 in hexadecimal", CertificateFingerprint.init),
            createdAt: try fields.read("created_at", "an ISO 8601 time", Timestamp.init),
            expiresAt: try fields.read("expires_at", "an ISO 8601 time", Timestamp.init))
        guard certificate == nil || endpoint.hasPrefix("https://") else {
            throw TrustError(.malformed, "the pairing text names a certificate for an address without TLS; pair again")
        }
    }

    /// Returns the address if it can be a broker's: http or https, host, and perhaps a port.
    static func endpoint(_ text: String) -> String? {
        guard let origin = try? Origin(parsing: text), ["http", "https"].contains(origin.scheme), !text.hasSuffix("/")
        else { return nil }
        return text
    }

    private static func percentEncoded(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    /// Checks that the session has time left, by this clock.
    ///
    /// - Throws: ``TrustError/Code/expired`` or ``TrustError/Code/notYetValid``. The message names both times, because
    ///   a wrong clock is the likeliest cause.
    package func checkTime(at now: Date) throws(TrustError) {
        try PairingTime.check(createdAt, expiresAt, at: now)
    }
}

enum PairingTime {
    static func check(_ createdAt: Timestamp, _ expiresAt: Timestamp, at now: Date) throws(TrustError) {
        let tolerance = PairingPayload.clockTolerance
        let life = expiresAt.date.timeIntervalSince(createdAt.date)
        guard life > 0, life <= PairingPayload.longestLife else {
            throw TrustError(.malformed, "the pairing must last between 0 and 5 minutes; pair again")
        }
        guard now < expiresAt.date else {
            throw TrustError(
                .expired,
                "the pairing ended at \(expiresAt), and it is \(Timestamp(now)) here; run countersign pair again, "
                    + "and check the clocks if it was just begun")
        }
        guard now > createdAt.date.addingTimeInterval(-tolerance) else {
            throw TrustError(
                .notYetValid,
                "the pairing begins at \(createdAt), and it is only \(Timestamp(now)) here; check the clocks of both")
        }
    }
}
