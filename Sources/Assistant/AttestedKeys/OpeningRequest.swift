/// The request to open one data key.
package struct OpeningRequest: Sendable {
    /// The data key as the database keeps it.
    package let wrappedDataKey: [UInt8]
    package let binding: TokenBinding
    /// The evidence, which states the nonce of ``DataKeyService/challenge(at:)`` and the key for the answer.
    package let evidence: [UInt8]
    package let nonce: [UInt8]

    package init(wrappedDataKey: [UInt8], binding: TokenBinding, evidence: [UInt8], nonce: [UInt8]) {
        self.wrappedDataKey = wrappedDataKey
        self.binding = binding
        self.evidence = evidence
        self.nonce = nonce
    }
}
