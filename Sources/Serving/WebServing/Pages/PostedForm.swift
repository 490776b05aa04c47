import Foundation
import Hummingbird
import NIOCore
import Secrets

/// A body of `application/x-www-form-urlencoded`; the first of several fields with one name counts.
package struct PostedForm: Sendable {
    private let fields: [String: String]

    /// - Parameter limit: the most bytes of the body.
    /// - Returns: nil for a body of another type.
    /// - Throws: when the body is longer, or the connection broke.
    package init?(_ request: Request, upTo limit: Int) async throws {
        guard request.headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true else { return nil }
        let buffer = try await request.body.collect(upTo: limit)
        self.init(String(buffer: buffer))
    }

    private init(_ text: String) {
        let pairs = text.split(separator: "&").map { pair -> (String, String) in
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = halves.map { $0.replacing("+", with: " ").removingPercentEncoding ?? "" }
            return (decoded[0], decoded.count > 1 ? decoded[1] : "")
        }
        fields = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    package subscript(name: String) -> String? { fields[name] }

    /// Returns a field as a secret.
    package func secret(_ name: String) -> Secret { Secret(fields[name] ?? "") }

    /// Returns whether a checkbox was ticked.
    package func isOn(_ name: String) -> Bool { fields[name] == "on" }
}
