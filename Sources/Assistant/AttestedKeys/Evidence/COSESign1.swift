import Crypto
import Encodings

/// A message with one signature: COSE_Sign1 (RFC 9052, section 4.2), signed with ES256 or ES384 (RFC 9053, section 2.1).
struct COSESign1: Sendable {
    enum Algorithm: Int, Sendable {
        case es256 = -7
        case es384 = -35
    }

    let algorithm: Algorithm
    let payload: [UInt8]
    private let protectedHeader: [UInt8]
    private let signature: [UInt8]

    /// Reads a message with or without the tag 18. The signature is not checked yet.
    ///
    /// - Throws: ``EvidenceError/malformed(_:)``.
    init(_ bytes: [UInt8]) throws(EvidenceError) {
        let message = try EvidenceError.reading { () throws(CBORError) in
            try CBOR(bytes.first == Self.tag ? Array(bytes.dropFirst()) : bytes)
        }
        guard let parts = message.arrayValue, parts.count == 4, let header = parts[0].bytesValue, case .map = parts[1],
            let payload = parts[2].bytesValue, let signature = parts[3].bytesValue
        else { throw .malformed("the evidence is not a COSE_Sign1 message") }
        let members = try EvidenceError.reading { () throws(CBORError) in try CBOR(header) }
        // A second protected member could be one that must be understood (RFC 9052, section 3.1, "crit").
        guard case .map(let known) = members, known.count == 1,
            let number = members[.integer(1)]?.integerValue, let algorithm = Algorithm(rawValue: number)
        else { throw .malformed("the evidence is not signed with ES256 or ES384") }
        self.algorithm = algorithm
        self.payload = payload
        protectedHeader = header
        self.signature = signature
    }

    /// Signs with ES256.
    init(signing payload: [UInt8], with key: P256.Signing.PrivateKey) throws {
        algorithm = .es256
        self.payload = payload
        protectedHeader = CBOR.map([.integer(1): .integer(Algorithm.es256.rawValue)]).encoded
        signature = Array(try key.signature(for: Self.signedBytes(protectedHeader, payload)).rawRepresentation)
    }

    /// The message without a tag.
    var encoded: [UInt8] {
        CBOR.array([.bytes(protectedHeader), .map([:]), .bytes(payload), .bytes(signature)]).encoded
    }

    func isValid(for key: P256.Signing.PublicKey) -> Bool {
        guard algorithm == .es256, let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
            return false
        }
        return key.isValidSignature(signature, for: Self.signedBytes(protectedHeader, payload))
    }

    func isValid(for key: P384.Signing.PublicKey) -> Bool {
        guard algorithm == .es384, let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else {
            return false
        }
        return key.isValidSignature(signature, for: Self.signedBytes(protectedHeader, payload))
    }

    /// The first byte of the tag 18.
    private static let tag: UInt8 = 0xD2

    /// The bytes that are signed: Sig_structure (RFC 9052, section 4.4), without external data.
    private static func signedBytes(_ header: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        CBOR.array([.text("Signature1"), .bytes(header), .bytes([]), .bytes(payload)]).encoded
    }
}
