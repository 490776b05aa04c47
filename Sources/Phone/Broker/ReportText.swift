import Foundation
import Secrets

/// Makes a text from elsewhere fit to be shown, stored and sent on.
package enum ReportText {
    /// Without secrets, control and formatting characters (a right-to-left override can make a name read as another),
    /// with folded white space, at most `limit` characters.
    package static func cleaned(_ text: String, limit: Int = 300) -> String {
        let bounded = text.count > 4 * limit ? String(text.prefix(4 * limit)) : text
        let folded = Redactor.redact(bounded)
            .replacingOccurrences(of: #"[\s\p{Cc}\p{Cf}\p{Co}]+"#, with: " ", options: .regularExpression)
            .trimmingCharacters(in: .whitespaces)
        return folded.count > limit ? folded.prefix(limit - 1) + "…" : folded
    }
}
