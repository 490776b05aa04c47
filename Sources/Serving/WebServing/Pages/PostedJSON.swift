import Encodings
import HTTPTypes
import Hummingbird
import NIOCore
import Secrets

extension Request {
    /// Returns the JSON that a page's script posted.
    ///
    /// - Parameter limit: the most bytes of the body.
    /// - Returns: nil for a body of another type, or one that is not JSON.
    /// - Throws: when the body is longer, or the connection broke.
    package func postedJSON(upTo limit: Int) async throws -> JSONValue? {
        guard headers[.contentType]?.hasPrefix("application/json") == true else { return nil }
        let buffer = try await body.collect(upTo: limit)
        return try? JSONReader.read(buffer.readableBytesView, limits: JSONLimits(size: limit))
    }

    /// Returns whether a page's script sent the session's form token. The time that it takes tells nothing of the token.
    package func hasFormToken(_ token: String) -> Bool { FormToken.isRight(headers[.csrfToken], token) }
}

/// The token that a page's forms carry, so that another site's form is refused.
package enum FormToken {
    /// Returns whether a form's token is the session's. The time that it takes tells nothing of it.
    package static func isRight(_ sent: String?, _ token: String) -> Bool {
        ConstantTime.isEqual((sent ?? "").utf8, token.utf8)
    }
}
