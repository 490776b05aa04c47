import Foundation

/// A setting of the server for programs elsewhere that cannot be used.
package struct RemoteAccessError: Error, Sendable, CustomStringConvertible {
    package let message: String

    package var description: String { message }
}

/// The place of the server for programs elsewhere. It listens on this machine only; a proxy with TLS brings it elsewhere.
package struct RemoteAccessConfiguration: Sendable {
    /// The port on 127.0.0.1; 0 picks a free one.
    package let port: Int
    /// The https origin under which a proxy on this machine serves it; nil without one.
    package let proxyOrigin: String?

    /// - Throws: ``RemoteAccessError`` for a text that is not an https origin in lower case.
    package init(port: Int, behindProxy origin: String? = nil) throws(RemoteAccessError) {
        guard (0...65_535).contains(port) else { throw RemoteAccessError(message: "the port must be from 0 to 65535") }
        if let origin {
            guard let match = origin.wholeMatch(of: /https:\/\/([a-z0-9]([a-z0-9.\-]*[a-z0-9])?)(:([1-9][0-9]{0,4}))?/),
                match.4 != "443", Int(match.4 ?? "443") ?? 0 <= 65_535
            else {
                throw RemoteAccessError(
                    message:
                        "“\(origin)” is not an origin such as https://mcp.example or https://mcp.example:8443; give "
                        + "what programs call, without a path and without the usual port")
            }
        }
        self.port = port
        proxyOrigin = origin
    }
}
