import Foundation
import Secrets

/// The parameters of a call in `application/x-www-form-urlencoded` (RFC 6749, appendix B). One that comes twice refuses the
/// call (section 3.1).
struct OAuthParameters {
    private let values: [String: String]

    /// - Throws: ``OAuthError``.
    init(_ text: String) throws(OAuthError) {
        var values: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = halves.compactMap { $0.replacing("+", with: " ").removingPercentEncoding }
            guard decoded.count == halves.count, let name = decoded.first else {
                throw OAuthError(.invalidRequest, "the parameters are not percent-encoded UTF-8")
            }
            guard values.updateValue(decoded.count > 1 ? decoded[1] : "", forKey: name) == nil else {
                throw OAuthError(.invalidRequest, "a parameter comes twice")
            }
        }
        self.values = values
    }

    /// Returns a parameter; nil for one that is missing or empty, which counts as missing (section 3.1).
    subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    func text(_ name: String, atMost limit: Int = 2_048) throws(OAuthError) -> String {
        guard let text = self[name] else { throw OAuthError(.invalidRequest, "\(name) is missing") }
        guard text.utf8.count <= limit else { throw OAuthError(.invalidRequest, "\(name) is too long") }
        return text
    }

    func secret(_ name: String) throws(OAuthError) -> Secret { Secret(try text(name, atMost: 256)) }
}
