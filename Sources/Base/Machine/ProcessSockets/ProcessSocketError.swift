import Foundation

/// A call to another process that had no result.
package enum ProcessSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The other process refused the call.
    case refused(code: String, message: String)
    /// No process serves the socket, or it ended in the middle of the call.
    case unavailable(String)
    /// The call took longer than allowed.
    case tooSlow
    /// A frame has more bytes than allowed.
    case tooLarge(limit: Int)
    /// The peer sent something that is not a frame of this protocol.
    case malformed(String)
    /// The other side of the socket is run by a user who must not be there.
    case foreignUser(UInt32)
    /// Another process serves this socket already.
    case alreadyServed(String)
    /// The path has more bytes than a socket's address can hold.
    case pathTooLong(String)
    /// The socket cannot be made.
    case cannotServe(String)

    package var description: String {
        switch self {
        case .refused(let code, let message): "\(message) (\(code))"
        case .unavailable(let reason): "the other process does not answer: \(reason)"
        case .tooSlow: "the other process did not answer in time"
        case .tooLarge(let limit): "the message between two processes has more than \(limit) bytes"
        case .malformed(let reason): "the other process does not keep to the protocol: \(reason)"
        case .foreignUser(let user):
            "the process at the other end of the socket is run by the user \(user), who is not expected there"
        case .alreadyServed(let path): "another process serves \(path) already; stop it first"
        case .pathTooLong(let path):
            "\(path) has more than \(UnixSocketAddress.longestPath) bytes, too many for a socket; choose a shorter path"
        case .cannotServe(let reason): "the socket cannot be served: \(reason)"
        }
    }
}

/// The reason for which a handler refuses a call. Its code and its message go to the caller.
package struct ProcessRefusal: Error, Sendable, Hashable {
    package let code: String
    package let message: String

    package init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }
}
