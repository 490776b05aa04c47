import Foundation
import Secrets

/// Cleans foreign text so that the phone can show, store and forward it.
enum ReportText {
    /// Removes secrets, control characters and formatting characters (a right-to-left override can disguise a name),
    /// folds white space, and cuts the text to `limit` characters.
    static func cleaned(_ text: String, limit: Int = 300) -> String {
        let bounded = text.count > 4 * limit ? String(text.prefix(4 * limit)) : text
        let folded = Redactor.redact(bounded)
            .replacingOccurrences(of: #"[\s\p{Cc}\p{Cf}\p{Co}]+"#, with: " ", options: .regularExpression)
            .trimmingCharacters(in: .whitespaces)
        return folded.count > limit ? folded.prefix(limit - 1) + "…" : folded
    }
}
