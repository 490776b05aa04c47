import Crypto
import Encodings
import Foundation
import Machine

/// The contact that a push service is given: a mail or web address of the person who runs this program (RFC 8292, section
/// 2.1).
///
/// Apple's service answers 403 to every message whose contact is not a public address, and says so nowhere else. So such a
/// contact is refused when the program starts.
package struct VAPIDSubject: Sendable, Hashable {
    package let text: String

    /// - Throws: ``WebPushError`` with what is wrong and what to write instead.
    package init(_ text: String) throws(WebPushError) {
        let advice = "; give a real address of yours, such as mailto:name@provider.net or https://your-site.net"
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased() else {
            throw WebPushError("VAPID_SUBJECT must begin with mailto: or https:" + advice)
        }
        let host: String
        switch scheme {
        case "mailto":
            let parts = text.dropFirst("mailto:".count).split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !text.contains(where: \.isWhitespace) else {
                throw WebPushError("VAPID_SUBJECT names no mail address" + advice)
            }
            host = parts[1].lowercased()
        case "https": host = url.host()?.lowercased() ?? ""
        default: throw WebPushError("VAPID_SUBJECT must begin with mailto: or https:, not \(scheme):" + advice)
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ $0.wholeMatch(of: /[a-z0-9]([a-z0-9-]*[a-z0-9])?/) != nil }), let last = labels.last,
            last.wholeMatch(of: /[0-9]+/) == nil
        else { throw WebPushError("VAPID_SUBJECT names no public host" + advice) }
        let reserved = ["localhost", "local", "internal", "invalid", "test", "home", "lan"]
        guard labels.count > 1, !reserved.contains(String(last)) else {
            throw WebPushError(
                "VAPID_SUBJECT names “\(host)”, which is not a public host, so that Apple's push service refuses every message"
                    + advice)
        }
        self.text = text
    }

    /// Takes a contact that push services may refuse, such as one at localhost.
    ///
    /// - Returns: nil for a text that does not begin with `mailto:` or `https:`.
    package init?(unverified text: String) {
        guard ["mailto:", "https:"].contains(where: { text.lowercased().hasPrefix($0) }) else { return nil }
        self.text = text
    }
}

/// This program as push services know it: a key pair, and a contact (VAPID, RFC 8292).
package struct ApplicationServer: Sendable {
    /// The lifetime of a token; a push service accepts 24 hours at most (RFC 8292, section 2).
    static let tokenLifetime: TimeInterval = 12 * 3600

    /// The line before the key in its file (RFC 7468, section 2, allows such text), without which the version is 1.
    private static let versionLine = "Countersign-Key-Version: "
    private static let mostVersions = 65_535

    /// 1 for the first key, and one more at each change.
    package let version: Int
    private let key: P256.Signing.PrivateKey
    private let subject: VAPIDSubject?

    /// Reads the key pair, or makes one at the first start. Browsers subscribe to its public half, so it stays the same.
    ///
    /// - Parameters:
    ///   - file: in a folder that only this user can read.
    ///   - subject: nil to name no contact, which a push service may refuse.
    /// - Throws: ``WebPushError`` when the file is there and holds something else; ``FileError``.
    package init(keyFile file: URL, subject: VAPIDSubject?) throws {
        if FileManager.default.fileExists(atPath: file.path) {
            guard let bytes = try? OpenedFile(file).bytes(atMost: 4096),
                let (version, key) = Self.read(String(decoding: bytes, as: UTF8.self))
            else {
                throw WebPushError("\(file.path) is not a private key; move it away, and every browser subscribes anew")
            }
            self.init(version, key, subject)
        } else {
            self.init(1, P256.Signing.PrivateKey(), subject)
            try AtomicFile.write((key.pemRepresentation + "\n").utf8, to: file)
        }
    }

    private init(_ version: Int, _ key: P256.Signing.PrivateKey, _ subject: VAPIDSubject?) {
        self.version = version
        self.key = key
        self.subject = subject
    }

    /// Puts another key pair into the file of this one, with the next version. Push services take no message that this one
    /// signs to browsers that subscribe to the other, and none that the other signs to browsers that subscribed to this one.
    ///
    /// The caller holds the lock under which alone the file is written, such as the page's claim.
    ///
    /// - Throws: ``FileError``; the earlier key is then still there.
    package func replaced(in file: URL) throws -> ApplicationServer {
        let next = ApplicationServer(min(version + 1, Self.mostVersions), P256.Signing.PrivateKey(), subject)
        try AtomicFile.replaceUnderLock(
            Array((Self.versionLine + "\(next.version)\n" + next.key.pemRepresentation + "\n").utf8), to: file)
        return next
    }

    private static func read(_ text: String) -> (version: Int, key: P256.Signing.PrivateKey)? {
        var (version, pem) = (1, text[...])
        if text.hasPrefix(versionLine), let end = text.firstIndex(of: "\n") {
            guard let stated = Int(text[..<end].dropFirst(versionLine.count)), (1...mostVersions).contains(stated)
            else { return nil }
            (version, pem) = (stated, text[text.index(after: end)...])
        }
        return (try? P256.Signing.PrivateKey(pemRepresentation: String(pem))).map { (version, $0) }
    }

    /// The public key that browsers subscribe to, in base64url.
    package var publicKey: String { Base64URL.encode(key.publicKey.x963Representation) }

    /// Returns the header `Authorization` for a push service (RFC 8292, section 3).
    func authorization(for origin: String, at now: Date) throws -> String {
        let header: JSONValue = ["alg": "ES256", "typ": "JWT"]
        var members: [String: JSONValue] = [
            "aud": .string(origin), "exp": .number((now.timeIntervalSince1970 + Self.tokenLifetime).rounded(.down)),
        ]
        members["sub"] = subject.map { .string($0.text) }
        let claims = JSONValue.object(members)
        let text = Base64URL.encode(try header.canonicalBytes()) + "." + Base64URL.encode(try claims.canonicalBytes())
        let signature = try key.signature(for: Array(text.utf8)).rawRepresentation
        // Without the space after the comma, which RFC 9110 allows and some readers do not.
        return "vapid t=\(text).\(Base64URL.encode(signature)),k=\(publicKey)"
    }
}
