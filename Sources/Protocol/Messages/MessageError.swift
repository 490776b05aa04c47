/// The reason why an envelope or a manifest is refused. The message names fields, never values that could be long or
/// secret.
public struct MessageError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable {
        case malformed
        case unknownVersion
        case badSignature
        case expired
        /// The message was issued in the future: a clock is wrong.
        case notYetValid
        case replayed
        /// A parameter is out of range, or the phone cannot do what is asked.
        case unacceptable
        /// This phone has no accepted script for the bank.
        case scriptMissing
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
