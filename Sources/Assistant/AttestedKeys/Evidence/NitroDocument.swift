import Encodings
import Foundation

/// The statement of an AWS Nitro enclave about itself, as the Nitro Secure Module signs it (aws-nitro-enclaves-nsm-api,
/// "attestation_process", section 3.2).
struct NitroDocument: Sendable, Hashable {
    let moduleID: String
    let issuedAt: Date
    /// The platform configuration registers that are locked, by their number: 48 bytes each.
    let registers: [Int: [UInt8]]
    /// The certificate of the key that signed the document (DER).
    let certificate: [UInt8]
    /// The certificates from the root, which comes first, to the issuer of ``certificate`` (DER).
    let issuers: [[UInt8]]
    let publicKey: [UInt8]?
    let userData: [UInt8]?
    let nonce: [UInt8]?

    /// Reads the payload of the signed message and checks every field's type and length.
    ///
    /// - Throws: ``EvidenceError/malformed(_:)``.
    init(_ payload: [UInt8]) throws(EvidenceError) {
        let map = try EvidenceError.reading { () throws(CBORError) in try CBOR(payload) }
        guard let moduleID = map[.text("module_id")]?.textValue, !moduleID.isEmpty,
            map[.text("digest")]?.textValue == "SHA384",
            let milliseconds = map[.text("timestamp")]?.integerValue, milliseconds > 0
        else { throw .malformed("the attestation document lacks a module, the digest SHA384 or a time") }
        guard let certificate = map[.text("certificate")]?.bytesValue, (1...1024).contains(certificate.count),
            let issuers = map[.text("cabundle")]?.arrayValue?.map(\.bytesValue), !issuers.isEmpty, issuers.count <= 16,
            issuers.allSatisfy({ (1...1024).contains($0?.count ?? 0) })
        else { throw .malformed("the attestation document's certificates are absent or too long") }
        self.moduleID = moduleID
        issuedAt = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        registers = try Self.registers(map[.text("pcrs")])
        self.certificate = certificate
        self.issuers = issuers.compactMap(\.self)
        publicKey = try Self.optional("public_key", of: map)
        userData = try Self.optional("user_data", of: map)
        nonce = try Self.optional("nonce", of: map)
    }

    /// True when the enclave was started in debug mode: its image, kernel and application registers are then zero.
    var isDebug: Bool {
        (0...2).allSatisfy { number in registers[number]?.allSatisfy { $0 == 0 } ?? true }
    }

    private static func registers(_ item: CBOR?) throws(EvidenceError) -> [Int: [UInt8]] {
        guard case .map(let members)? = item, (1...32).contains(members.count) else {
            throw .malformed("the attestation document has no registers")
        }
        var registers: [Int: [UInt8]] = [:]
        for (number, value) in members {
            guard let number = number.integerValue, (0...31).contains(number), let bytes = value.bytesValue,
                [32, 48, 64].contains(bytes.count)
            else { throw .malformed("the attestation document has a register of an unknown form") }
            registers[number] = bytes
        }
        guard registers[0] != nil else { throw .malformed("the attestation document lacks register 0, the image") }
        return registers
    }

    private static func optional(_ name: String, of map: CBOR) throws(EvidenceError) -> [UInt8]? {
        switch map[.text(name)] {
        case nil, .null?: return nil
        case .bytes(let bytes)? where bytes.count <= 1024: return bytes
        default: throw .malformed("the attestation document's \(name) is longer than 1024 bytes or not bytes")
        }
    }
}
