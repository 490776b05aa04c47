import Foundation
import JSON

/// The headers of a message. Its body and its beginning are never fetched.
package struct MailHeaders: Sendable, Hashable {
    package let id: String
    package let from: String
    package let subject: String
    package let receivedAt: Date
    /// Gmail's labels, such as `INBOX`, `IMPORTANT` or `CATEGORY_PROMOTIONS`.
    package let labels: [String]
}

/// New messages since the last look.
package struct MailChanges: Sendable, Hashable {
    package let messageIDs: [String]
    /// The place for the next look.
    package let historyID: String
    /// True when the place was unknown to Google: what came in between is not listed.
    package let isBaseline: Bool
}

/// Reads the headers of new mail (Gmail API v1).
package struct MailClient: Sendable {
    private static let path = "/gmail/v1/users/me"
    /// More pages than this are not read at one look; the rest comes at the next.
    private static let mostPages = 10

    private let api: GoogleAPI

    package init(_ api: GoogleAPI) {
        self.api = api
    }

    /// Returns the messages that came into the inbox since a look. At the first look, and when Google has forgotten the
    /// place (404), it returns none and the place from which the next look goes on.
    ///
    /// - Throws: ``GoogleError``.
    package func changes(since historyID: String?) async throws -> MailChanges {
        guard let historyID else { return try await baseline() }
        var ids: [String] = []
        var latest = historyID
        var page: String?
        let query = [
            ("startHistoryId", historyID), ("historyTypes", "messageAdded"), ("labelId", "INBOX"),
            ("maxResults", "100"),
            ("fields", "history(id,messagesAdded/message/id),historyId,nextPageToken"),
        ]
        do {
            for _ in 0..<Self.mostPages {
                let answer = try await api.get(
                    "\(Self.path)/history", query + (page.map { [("pageToken", $0)] } ?? []))
                for record in answer["history"]?.arrayValue ?? [] {
                    ids += (record["messagesAdded"]?.arrayValue ?? []).compactMap { $0["message"]?["id"]?.stringValue }
                    if let id = record["id"]?.stringValue { latest = id }
                }
                page = answer["nextPageToken"]?.stringValue
                if page == nil {
                    latest = answer["historyId"]?.stringValue ?? latest
                    break
                }
            }
        } catch GoogleError.refused(status: 404, _) {
            return try await baseline()
        }
        var seen: Set<String> = []
        return MailChanges(messageIDs: ids.filter { seen.insert($0).inserted }, historyID: latest, isBaseline: false)
    }

    /// Returns the headers of a message, or nil when it is gone.
    ///
    /// - Throws: ``GoogleError``.
    package func headers(of id: String) async throws -> MailHeaders? {
        guard id.wholeMatch(of: /[0-9A-Za-z]{1,64}/) != nil else { throw GoogleError.malformed("a message's id") }
        let answer: JSONValue
        do {
            answer = try await api.get(
                "\(Self.path)/messages/\(id)",
                [
                    ("format", "metadata"), ("metadataHeaders", "From"), ("metadataHeaders", "Subject"),
                    ("fields", "id,labelIds,internalDate,payload/headers"),
                ])
        } catch GoogleError.refused(status: 404, _) {
            return nil
        }
        guard let text = answer["internalDate"]?.stringValue, let milliseconds = Double(text) else {
            throw GoogleError.malformed("a message without a date")
        }
        let headers = answer["payload"]?["headers"]?.arrayValue ?? []
        func value(_ name: String) -> String {
            headers.first { $0["name"]?.stringValue?.lowercased() == name }?["value"]?.stringValue ?? ""
        }
        return MailHeaders(
            id: id, from: value("from"), subject: value("subject"),
            receivedAt: Date(timeIntervalSince1970: milliseconds / 1000),
            labels: (answer["labelIds"]?.arrayValue ?? []).compactMap(\.stringValue))
    }

    private func baseline() async throws -> MailChanges {
        let profile = try await api.get("\(Self.path)/profile", [("fields", "historyId")])
        guard let id = profile["historyId"]?.stringValue else {
            throw GoogleError.malformed("a profile without a historyId")
        }
        return MailChanges(messageIDs: [], historyID: id, isBaseline: true)
    }
}
