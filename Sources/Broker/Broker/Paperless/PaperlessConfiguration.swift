import Foundation
import Secrets

/// The destination of documents for paperless-ngx.
package enum PaperlessConfiguration: Sendable {
    /// paperless-ngx's API.
    case server(PaperlessServer)
    /// The folder that paperless-ngx watches (its `PAPERLESS_CONSUMPTION_DIR`).
    case folder(URL)
}

/// The address of a paperless-ngx, and the token of one of its users.
package struct PaperlessServer: Sendable {
    /// An `https` address, or `http` on this machine, without a slash at the end.
    package var url: String
    package var token: Secret
    /// A PEM file with a certificate authority to trust besides the system's.
    package var extraCAFile: URL?

    package init(url: String, token: Secret) {
        self.url = url
        self.token = token
    }
}
