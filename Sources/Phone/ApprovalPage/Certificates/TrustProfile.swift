import Crypto
import Encodings
import Foundation

/// A configuration profile that installs an authority on an iPhone, iPad or Mac (Apple, Configuration Profile Reference:
/// the payload `com.apple.security.root`).
package struct TrustProfile: Sendable {
    package static let mediaType = "application/x-apple-aspen-config"
    package static let fileName = "countersign.mobileconfig"

    private let authority: PageAuthority

    package init(_ authority: PageAuthority) {
        self.authority = authority
    }

    /// The profile, an XML property list. The same authority always gives the same identifiers, so that a profile that is
    /// installed again replaces itself.
    package var bytes: [UInt8] {
        get throws {
            let payload: [String: Any] = [
                "PayloadType": "com.apple.security.root", "PayloadVersion": 1,
                "PayloadIdentifier": "countersign.authority.\(authority.hostName).certificate",
                "PayloadUUID": uuid("certificate"), "PayloadDisplayName": authority.name,
                "PayloadCertificateFileName": "countersign-authority.cer", "PayloadContent": Data(authority.der),
            ]
            let profile: [String: Any] = [
                "PayloadType": "Configuration", "PayloadVersion": 1,
                "PayloadIdentifier": "countersign.authority.\(authority.hostName)", "PayloadUUID": uuid("profile"),
                "PayloadDisplayName": authority.name,
                "PayloadDescription":
                    "Lets this device trust the approval page at \(authority.hostName), and no other site. SHA-256: "
                    + authority.fingerprint,
                "PayloadContent": [payload],
            ]
            return Array(try PropertyListSerialization.data(fromPropertyList: profile, format: .xml, options: 0))
        }
    }

    /// Returns an identifier that depends on the authority and the part only (RFC 9562, version 8).
    private func uuid(_ part: String) -> String {
        var bytes = Array(SHA256.hash(data: authority.der + Array(part.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(bytes: bytes).uuidString
    }
}

extension UUID {
    fileprivate init(bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
