import Encodings
import Foundation
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
        let title = cut(ShownText.cleaned(details?.title ?? notice.title, limit: longestTitle), toBytes: mostTitleBytes)
        let words = ShownText.cleaned(details?.text ?? notice.text, limit: longestText)
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
}
