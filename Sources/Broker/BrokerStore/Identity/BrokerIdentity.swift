import Clocks
import DeviceTrust
import Foundation

/// The broker's identity, made at its first start: the id and key by which phones know it, and its self-signed certificate.
package struct BrokerIdentity: Sendable {
    package let server: ServerIdentity
    /// DER.
    package let certificate: [UInt8]
    package let createdAt: Timestamp

    package init(server: ServerIdentity, certificate: [UInt8], createdAt: Timestamp) {
        self.server = server
        self.certificate = certificate
        self.createdAt = createdAt
    }

    package var fingerprint: CertificateFingerprint { CertificateFingerprint(ofDER: certificate) }
}

/// The identity with its private keys sealed, as the database keeps it.
package struct SealedIdentity: Sendable {
    package static let agreementPurpose = "identity/agreement"
    package static let certificatePurpose = "identity/certificate"
    package static let receiptPurpose = "identity/receipt"

    package let identity: BrokerIdentity
    package let agreement: Data
    package let certificateKey: Data

    package init(identity: BrokerIdentity, agreement: Data, certificateKey: Data) {
        self.identity = identity
        self.agreement = agreement
        self.certificateKey = certificateKey
    }
}

/// The port and certificate of a running broker, noted when it began to listen.
package struct BrokerListening: Sendable, Hashable {
    package let port: Int
    /// The certificate that it serves with; nil for plain HTTP.
    package let certificate: CertificateFingerprint?

    package init(port: Int, certificate: CertificateFingerprint?) {
        self.port = port
        self.certificate = certificate
    }
}
