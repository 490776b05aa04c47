import Foundation
import Secrets

/// The destination of documents for paperless-ngx.
public enum PaperlessConfiguration: Sendable {
    /// paperless-ngx's API.
    case server(PaperlessServer)
    /// The folder that paperless-ngx watches (its `PAPERLESS_CONSUMPTION_DIR`).
    case folder(URL)
}

/// The address of a paperless-ngx, and the token of one of its users.
public struct PaperlessServer: Sendable {
    /// An `https` address, or `http` on this machine, without a slash at the end.
    public var url: String
    public var token: Secret
    /// A PEM file with a certificate authority to trust besides the system's.
    public var extraCAFile: URL?

    public init(url: String, token: Secret) {
        self.url = url
        self.token = token
    }
}
