import Foundation
import JSON
import Notifications

/// A notice as devices get it: `{"aps": {"alert": …, "category": KIND}, "id": …, "link": …}`. Browsers get the same.
enum NoticePayload {
    /// The longest title and text, in characters. Devices show less.
    private static let longestTitle = 100
    private static let longestText = 500
    /// The same in bytes of UTF-8: one character can have thousands.
    private static let mostTitleBytes = 400
    private static let mostTextBytes = 2000
    /// The longest payload, in bytes: both channels carry it.
    static let longest = min(APNsMessage.longest, PushSender.longest)

    /// - Parameter showsDetails: whether the user asked for details.
    static func bytes(_ notice: Notice, showsDetails: Bool) -> [UInt8] {
        let details = showsDetails ? notice.details : nil
        let title = cut(clean(details?.title ?? notice.title, atMost: longestTitle), toBytes: mostTitleBytes)
        let words = clean(details?.text ?? notice.text, atMost: longestText)
        var limit = mostTextBytes
        while true {
            let payload: JSONValue = [
                "aps": [
                    "alert": ["title": .string(title), "body": .string(cut(words, toBytes: limit))],
                    "category": .string(notice.kind.rawValue),
                ], "id": .string(notice.id), "link": .string(notice.link),
            ]
            let bytes = payload.compactBytes()
            if bytes.count <= longest || limit == 0 { return bytes }
            limit /= 2
        }
    }

    /// Cuts a text to a number of bytes of UTF-8, between code points.
    private static func cut(_ text: String, toBytes limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var scalars = String.UnicodeScalarView()
        var left = limit - "…".utf8.count
        for scalar in text.unicodeScalars {
            left -= UTF8.width(scalar)
            if left < 0 { break }
            scalars.append(scalar)
        }
        return scalars.isEmpty ? "" : String(scalars) + "…"
    }

    /// Returns a text as a notice may show it. Titles of meetings and subjects of mail are other people's words: characters
    /// that are invisible or change the order of others are left out, and white space is one space.
    static func clean(_ text: String, atMost limit: Int) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: scalars.append(" ")
            // The joiner of emoji is of this category too.
            case .format where scalar.value != 0x200D: continue
            case .privateUse, .unassigned, .surrogate: continue
            default: scalars.append(scalar)
            }
        }
        let words = String(scalars).split(separator: " ").joined(separator: " ")
        return words.count <= limit ? words : words.prefix(max(0, limit - 1)) + "…"
    }
}
