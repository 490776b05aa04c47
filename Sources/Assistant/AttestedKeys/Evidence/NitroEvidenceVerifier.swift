import Crypto
import Encodings
import Foundation
@_spi(FixedExpiryValidationTime) import X509

/// Checks the attestation documents of AWS Nitro enclaves: the signature, and the certificates up to the pinned root.
package struct NitroEvidenceVerifier: EvidenceVerifier {
    package static let runtime = EvidenceKind.nitro.rawValue

    /// SHA-256 of the root certificate (DER) that AWS publishes for Nitro enclaves (`aws-nitro-enclaves`, valid from
    /// 2019 to 2049).
    package static let rootDigest = "641a0321a3e244efe456463195d606317ed7cdcc3c1756e09893f3c68f79bb5b"

    private let rootDigest: String

    /// - Parameter rootDigest: SHA-256 of the only accepted root certificate (DER), in lower-case hex.
    package init(rootDigest: String = NitroEvidenceVerifier.rootDigest) {
        self.rootDigest = rootDigest
    }

    /// Returns the digest of an enclave's image, register 0, as its document states it. Nothing is checked.
    ///
    /// - Throws: ``EvidenceError/malformed(_:)``.
    package static func measurement(in document: [UInt8]) throws(EvidenceError) -> String {
        Base16.encode(try NitroDocument(COSESign1(document).payload).registers[0] ?? [])
    }

    package func examine(_ evidence: [UInt8], at now: Date) async -> ExaminedEvidence {
        let message: COSESign1
        let document: NitroDocument
        do throws(EvidenceError) {
            message = try COSESign1(evidence)
            document = try NitroDocument(message.payload)
        } catch {
            return ExaminedEvidence(claims: nil, flaw: error)
        }
        let claims = EvidenceClaims(
            runtime: Self.runtime, measurement: Base16.encode(document.registers[0] ?? []),
            registers: document.registers.mapValues { Base16.encode($0) },
            issuedAt: document.issuedAt, nonce: document.nonce ?? [], publicKey: document.publicKey ?? [])
        do throws(EvidenceError) {
            let key = try await signingKey(of: document, at: now)
            guard message.isValid(for: key) else { throw .badSignature }
            guard !document.isDebug else { throw .debugMode }
            return ExaminedEvidence(claims: claims, flaw: nil)
        } catch {
            return ExaminedEvidence(claims: claims, flaw: error)
        }
    }

    /// Returns the key of the document's certificate, when its issuers lead to the pinned root.
    private func signingKey(of document: NitroDocument, at now: Date) async throws(EvidenceError)
        -> P384.Signing.PublicKey
    {
        guard let root = document.issuers.first, Base16.encode(SHA256.hash(data: root)) == rootDigest else {
            throw .untrustedCertificate("the first certificate is not the pinned root")
        }
        let leaf = try Self.certificate(document.certificate)
        var issuers: [Certificate] = []
        for bytes in document.issuers { issuers.append(try Self.certificate(bytes)) }
        guard let usage = try? leaf.extensions.keyUsage, usage.digitalSignature else {
            throw .untrustedCertificate("it may not sign")
        }
        guard issuers.allSatisfy({ (try? $0.extensions.keyUsage)?.keyCertSign == true }) else {
            throw .untrustedCertificate("an issuer may not sign certificates")
        }
        var verifier = Verifier(rootCertificates: CertificateStore(issuers.prefix(1))) {
            RFC5280Policy(fixedExpiryValidationTime: now)
        }
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(issuers.dropFirst()))
        guard case .validCertificate = result else {
            throw .untrustedCertificate("no valid chain leads to the pinned root at \(now.formatted(.iso8601))")
        }
        guard let key = P384.Signing.PublicKey(leaf.publicKey) else {
            throw .untrustedCertificate("its key is not on P-384")
        }
        return key
    }

    private static func certificate(_ bytes: [UInt8]) throws(EvidenceError) -> Certificate {
        do {
            return try Certificate(derEncoded: bytes)
        } catch {
            throw .malformed("a certificate of the attestation document cannot be read: \(error)")
        }
    }
}
