import Signer

/// Why the other side, or what it sent, is not trusted. The message says what to do, and holds no secret.
public struct TrustError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case malformed
        case unknownVersion
        /// The pairing's time is over, or a clock is wrong.
        case expired
        case notYetValid
        /// A broker with another identity than the one that was scanned or is pinned.
        case otherServer
        /// A certificate that is not the one that was promised.
        case otherCertificate
        /// An answer that belongs to another pairing.
        case otherSession
        /// What was promised first is not what was sent then.
        case brokenCommitment
        case wrongCode
        /// Whoever sent the public key does not have the private one.
        case wrongKey
        /// The other side does not know what only the right one can.
        case wrongProof
        case badSignature
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: MessageError) {
        self.init(error.code == .unknownVersion ? .unknownVersion : .malformed, error.message)
    }

    public var description: String { message }
}
