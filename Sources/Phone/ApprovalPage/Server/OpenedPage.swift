import Foundation
import Secrets

/// An approval page that can be opened.
package struct OpenedPage: Sendable {
    /// The scheme, the host name and the port.
    package let origin: String
    /// The port at which the page listens on this machine; behind a proxy the origin has another one.
    package let port: Int
    /// The address to open in one browser. Its fragment holds a code that works once; browsers do not send a fragment to
    /// any server, and the page removes it from the address bar.
    package let address: Secret
    /// Remarks for the owner about this start.
    package let notices: [String]

    /// Returns the address at which a browser shows a code.
    package static func address(at origin: String, with code: Secret) -> Secret {
        code.map { "\(origin)/#code=\($0)" }
    }
}
