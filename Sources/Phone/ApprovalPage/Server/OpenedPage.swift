import Foundation
import Secrets

/// An approval page that can be opened.
public struct OpenedPage: Sendable {
    /// The scheme, the host name and the port.
    public let origin: String
    /// The port at which the page listens on this machine; behind a proxy the origin has another one.
    public let port: Int
    /// The address to open in one browser. Its fragment holds a code that works once; browsers do not send a fragment to
    /// any server, and the page removes it from the address bar.
    public let address: Secret
    /// Remarks for the owner about this start.
    public let notices: [String]

    /// Returns the address at which a browser shows a code.
    public static func address(at origin: String, with code: Secret) -> Secret {
        code.map { "\(origin)/#code=\($0)" }
    }
}
