import SwiftASN1

/// A CMS message that is encrypted to one recipient (RFC 5652, section 6), as AWS KMS writes it for an enclave: RSAES-OAEP
/// with SHA-256 for the key, AES-256-CBC for the content. Definite and indefinite lengths are read.
struct EnvelopedData: Sendable, Hashable {
    let encryptedKey: [UInt8]
    let initializationVector: [UInt8]
    let encryptedContent: [UInt8]

    /// - Throws: ``AmazonKeysError``.
    init(_ bytes: [UInt8]) throws(AmazonKeysError) {
        do {
            try self.init(reading: BER.parse(bytes))
        } catch let error as AmazonKeysError {
            throw error
        } catch {
            throw AmazonKeysError("the data key for the enclave is not a CMS message: \(error)")
        }
    }

    private init(reading root: ASN1Node) throws {
        // ContentInfo, then EnvelopedData under the explicit tag 0.
        let info = try Self.children(of: root, .sequence)
        guard info.count == 2, try ASN1ObjectIdentifier(berEncoded: info[0]) == Self.envelopedData,
            let enveloped = try Self.children(of: info[1], Self.context(0)).first
        else { throw AmazonKeysError("the data key for the enclave is not CMS EnvelopedData") }
        let parts = try Self.children(of: enveloped, .sequence)
        // Version, [originator's information], recipients, content, [attributes]. KMS writes neither of the optional parts.
        guard parts.count == 3 else { throw AmazonKeysError("the CMS message has parts that are not expected") }
        let recipients = try Self.children(of: parts[1], .set)
        guard recipients.count == 1 else { throw AmazonKeysError("the CMS message does not have one recipient") }
        // KeyTransRecipientInfo: version, the recipient's id, the algorithm, the encrypted key.
        let recipient = try Self.children(of: recipients[0], .sequence)
        guard recipient.count == 4 else { throw AmazonKeysError("the CMS message's recipient has an unknown form") }
        try Self.checkKeyAlgorithm(recipient[2])
        encryptedKey = Array(try ASN1OctetString(berEncoded: recipient[3]).bytes)
        // EncryptedContentInfo: the content's type, the algorithm, the content under the implicit tag 0.
        let content = try Self.children(of: parts[2], .sequence)
        guard content.count == 3, try ASN1ObjectIdentifier(berEncoded: content[0]) == Self.data else {
            throw AmazonKeysError("the CMS message has no encrypted data")
        }
        let algorithm = try Self.children(of: content[1], .sequence)
        guard algorithm.count == 2, try ASN1ObjectIdentifier(berEncoded: algorithm[0]) == Self.aes256CBC else {
            throw AmazonKeysError("the CMS message is not encrypted with AES-256-CBC")
        }
        initializationVector = Array(try ASN1OctetString(berEncoded: algorithm[1]).bytes)
        guard initializationVector.count == 16 else {
            throw AmazonKeysError("the CMS message's initialization vector does not have 16 bytes")
        }
        encryptedContent = Array(
            try ASN1OctetString(berEncoded: content[2], withIdentifier: Self.context(0)).bytes)
    }

    /// The key must be encrypted with RSAES-OAEP, and SHA-256 in both of its places (RFC 4055, section 4.1).
    private static func checkKeyAlgorithm(_ node: ASN1Node) throws {
        let algorithm = try children(of: node, .sequence)
        guard algorithm.count == 2, try ASN1ObjectIdentifier(berEncoded: algorithm[0]) == rsaOAEP else {
            throw AmazonKeysError("the CMS message's key is not encrypted with RSAES-OAEP")
        }
        // [0] the hash, [1] the mask's function and its hash, [2] the label. SHA-1 and an empty label are the defaults.
        let parameters = try children(of: algorithm[1], .sequence)
        let hasLabel = parameters.count == 3 ? try !isEmptyLabel(parameters[2]) : false
        guard (2...3).contains(parameters.count), !hasLabel,
            let hash = try children(of: parameters[0], context(0)).first,
            let mask = try children(of: parameters[1], context(1)).first
        else { throw AmazonKeysError("the CMS message's key is not encrypted with OAEP over SHA-256") }
        let masking = try children(of: mask, .sequence)
        guard try name(of: hash) == sha256, masking.count == 2,
            try ASN1ObjectIdentifier(berEncoded: masking[0]) == maskGeneration, try name(of: masking[1]) == sha256
        else { throw AmazonKeysError("the CMS message's key is not encrypted with OAEP over SHA-256") }
    }

    /// Returns whether the third parameter is written out and says what is the default: an empty label.
    private static func isEmptyLabel(_ node: ASN1Node) throws -> Bool {
        guard let source = try children(of: node, context(2)).first else { return false }
        let parts = try children(of: source, .sequence)
        guard parts.count == 2 else { return false }
        let (kind, label) = (try ASN1ObjectIdentifier(berEncoded: parts[0]), try ASN1OctetString(berEncoded: parts[1]))
        return kind == specifiedLabel && label.bytes.isEmpty
    }

    /// Returns the algorithm of an AlgorithmIdentifier.
    private static func name(of node: ASN1Node) throws -> ASN1ObjectIdentifier? {
        try children(of: node, .sequence).first.map { try ASN1ObjectIdentifier(berEncoded: $0) }
    }

    private static func children(of node: ASN1Node, _ identifier: ASN1Identifier) throws -> [ASN1Node] {
        guard node.identifier == identifier, case .constructed(let nodes) = node.content else {
            throw AmazonKeysError("the CMS message has a part of an unexpected type")
        }
        return Array(nodes)
    }

    private static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }

    private static let envelopedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 3]
    private static let data: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 1]
    private static let rsaOAEP: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 7]
    private static let maskGeneration: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 8]
    private static let specifiedLabel: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 9]
    private static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
    private static let aes256CBC: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 1, 42]
}
