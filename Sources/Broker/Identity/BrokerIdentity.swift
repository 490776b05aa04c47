import Clocks
import DeviceTrust
import Foundation
import NIOSSL
import Secrets

import enum Crypto.P256

/// The broker's identity, made at its first start: the id and key by which phones know it, and a certificate of its own.
public struct BrokerIdentity: Sendable {
    public let server: ServerIdentity
    /// DER.
    public let certificate: [UInt8]
    public let createdAt: Timestamp

    public var fingerprint: CertificateFingerprint { CertificateFingerprint(ofDER: certificate) }
}

/// The identity with its private keys, for the running broker alone.
struct BrokerKeys: Sendable {
    /// The identity with its private keys sealed, as the database keeps it.
    struct Sealed: Sendable {
        let identity: BrokerIdentity
        let agreement: Data
        let certificateKey: Data
    }

    let identity: BrokerIdentity
    let agreement: AgreementPrivateKey
    private let certificateKey: Secret

    static let agreementPurpose = "identity/agreement"
    static let certificatePurpose = "identity/certificate"

    /// Makes new keys and a certificate.
    ///
    /// - Parameter host: the host that the broker is bound to, for the certificate's names.
    init(host: String, at now: Date) throws {
        agreement = AgreementPrivateKey()
        let key = P256.Signing.PrivateKey()
        var raw = Array(key.rawRepresentation)
        defer { raw.wipe() }
        certificateKey = Secret(bytes: raw)
        identity = BrokerIdentity(
            server: ServerIdentity(id: ServerID(), publicKey: agreement.publicKey),
            certificate: try BrokerCertificate.make(for: key, host: host, at: now), createdAt: Timestamp(now))
    }

    /// - Throws: ``StoreError`` when the keys were sealed with another secret.
    init(_ sealed: Sealed, _ sealing: Sealing) throws {
        identity = sealed.identity
        agreement = try AgreementPrivateKey(secret: sealing.open(sealed.agreement, as: Self.agreementPurpose))
        certificateKey = try sealing.open(sealed.certificateKey, as: Self.certificatePurpose)
    }

    func sealed(_ sealing: Sealing) throws -> Sealed {
        Sealed(
            identity: identity, agreement: try sealing.seal(agreement.secret, as: Self.agreementPurpose),
            certificateKey: try sealing.seal(certificateKey, as: Self.certificatePurpose))
    }

    /// Returns TLS with the broker's own certificate. Its key is in memory only.
    func tls() throws -> BrokerTLS {
        let key = try certificateKey.withUnsafeBytes { try P256.Signing.PrivateKey(rawRepresentation: $0) }
        var der = Array(key.derRepresentation)
        defer { der.wipe() }
        return try BrokerTLS(
            certificate: NIOSSLCertificate(bytes: identity.certificate, format: .der),
            key: NIOSSLPrivateKey(bytes: der, format: .der))
    }
}

/// The port and certificate of a running broker, noted when it began to listen.
public struct BrokerListening: Sendable, Hashable {
    public let port: Int
    /// The certificate that it serves with; nil for plain HTTP.
    public let certificate: CertificateFingerprint?
}
