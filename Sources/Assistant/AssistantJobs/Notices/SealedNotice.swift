import Encodings
import Foundation
import Notifications
import Secrets

/// A notice as the database keeps it until quiet hours end: sealed, because it may name people and subjects.
enum SealedNotice {
    static func seal(_ notice: Notice, of userID: UUID, _ digest: [UInt8], _ keys: StateKeys) throws -> [UInt8] {
        var members: [String: JSONValue] = [
            "kind": .string(notice.kind.rawValue), "title": .string(notice.title), "text": .string(notice.text),
            "id": .string(notice.id), "link": .string(notice.link), "collapse_key": .string(notice.collapseKey),
            "expires": .number(notice.expires.timeIntervalSince1970),
        ]
        if let details = notice.details {
            members["details"] = ["title": .string(details.title), "text": .string(details.text)]
        }
        return try keys.seal(Secret(bytes: JSONValue.object(members).compactBytes()), as: binding(userID, digest))
    }

    /// - Returns: nil when it was changed, or belongs to another user.
    static func open(_ sealed: [UInt8], of userID: UUID, _ digest: [UInt8], _ keys: StateKeys) -> Notice? {
        guard let text = try? keys.open(sealed, as: binding(userID, digest)).revealed(),
            let json = try? JSONReader.read(text),
            let kind = json["kind"]?.stringValue.flatMap(Notice.Kind.init(rawValue:)),
            let title = json["title"]?.stringValue, let words = json["text"]?.stringValue,
            let id = json["id"]?.stringValue, let link = json["link"]?.stringValue,
            let collapseKey = json["collapse_key"]?.stringValue, let expires = json["expires"]?.numberValue
        else { return nil }
        let details = json["details"].flatMap { details -> Notice.Details? in
            guard let title = details["title"]?.stringValue, let text = details["text"]?.stringValue else { return nil }
            return Notice.Details(title: title, text: text)
        }
        return Notice(
            kind, title: title, text: words, details: details, id: id, link: link, collapseKey: collapseKey,
            expires: Date(timeIntervalSince1970: expires))
    }

    private static func binding(_ userID: UUID, _ digest: [UInt8]) -> String {
        "held notice of \(userID.uuidString), \(digest)"
    }
}
