import BrokerStore
import Clocks
import DeviceTrust
import Foundation
import NIOSSL
import Secrets

import enum Crypto.P256

/// The identity with its private keys, for the running broker alone.
struct BrokerKeys: Sendable {
    let identity: BrokerIdentity
    let agreement: AgreementPrivateKey
    private let certificateKey: Secret

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
    init(_ sealed: SealedIdentity, _ sealing: Sealing) throws {
        identity = sealed.identity
        agreement = try AgreementPrivateKey(secret: sealing.open(sealed.agreement, as: SealedIdentity.agreementPurpose))
        certificateKey = try sealing.open(sealed.certificateKey, as: SealedIdentity.certificatePurpose)
    }

    /// Returns the keys that the database keeps, and makes them at the broker's first start.
    ///
    /// - Parameter host: the host that the broker is bound to, for the certificate's names.
    /// - Throws: ``StoreError``, also when the keys were sealed with another secret.
    static func stored(
        in store: IdentityStore, _ sealing: Sealing, host: String
    ) throws(StoreError) -> BrokerKeys {
        do {
            let sealed = try store.sealedIdentity { now in try BrokerKeys(host: host, at: now).sealed(sealing) }
            return try BrokerKeys(sealed, sealing)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(message: "the broker's identity cannot be read or stored: \(error)")
        }
    }

    func sealed(_ sealing: Sealing) throws -> SealedIdentity {
        SealedIdentity(
            identity: identity, agreement: try sealing.seal(agreement.secret, as: SealedIdentity.agreementPurpose),
            certificateKey: try sealing.seal(certificateKey, as: SealedIdentity.certificatePurpose))
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
