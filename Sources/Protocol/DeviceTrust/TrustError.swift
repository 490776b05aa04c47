import Messages

/// The reason why the other side or its message is not trusted. The error's message says what to do and holds no
/// secret.
package struct TrustError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case malformed
        case unknownVersion
        /// The pairing has expired, or a clock is wrong.
        case expired
        case notYetValid
        /// The broker has another identity than the scanned or pinned one.
        case otherServer
        /// The certificate is not the one that the broker named.
        case otherCertificate
        /// The message belongs to another pairing.
        case otherSession
        /// The hello is not the one that the phone committed to.
        case brokenCommitment
        case wrongCode
        /// The sender of a public key does not have its private key.
        case wrongKey
        /// The other side cannot prove that it is the right one.
        case wrongProof
        case badSignature
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: MessageError) {
        self.init(error.code == .unknownVersion ? .unknownVersion : .malformed, error.message)
    }

    package var description: String { message }
}
