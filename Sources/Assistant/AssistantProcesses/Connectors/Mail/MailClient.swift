import Encodings
import Foundation

/// The headers of a message. Its body and its beginning are never fetched.
package struct MailHeaders: Sendable, Hashable {
    /// The headers that are asked for.
    package static let names = [
        "From", "To", "Cc", "Subject", "Importance", "Priority", "X-Priority", "X-MSMail-Priority", "List-Id",
        "List-Unsubscribe", "Precedence", "Auto-Submitted", "Authentication-Results",
    ]

    package let id: String
    /// The conversation to which the message belongs.
    package let threadID: String?
    package let receivedAt: Date
    /// Gmail's labels, such as `INBOX`, `IMPORTANT` or `CATEGORY_PROMOTIONS`.
    package let labels: [String]
    /// The first header of each name, by the name in lower case.
    package let values: [String: String]

    package var from: String { values["from"] ?? "" }
    package var subject: String { values["subject"] ?? "" }
}

/// A message that came since the last look.
package struct NewMessage: Sendable, Hashable {
    package let id: String
    /// Gmail's labels at that time; nil when Google does not tell.
    package let labels: [String]?

    package init(id: String, labels: [String]? = nil) {
        self.id = id
        self.labels = labels
    }

    /// False for a message that has none of these labels, and for a draft, spam and trash.
    package func mayHave(_ wanted: Set<String>) -> Bool {
        guard let labels else { return true }
        return !wanted.isDisjoint(with: labels) && labels.allSatisfy { !["DRAFT", "SPAM", "TRASH"].contains($0) }
    }
}

/// New messages since the last look.
package struct MailChanges: Sendable, Hashable {
    package let messages: [NewMessage]
    /// The place for the next look.
    package let historyID: String
    /// True when the place was unknown to Google: what came in between is not listed.
    package let isBaseline: Bool

    /// The messages that came into the inbox.
    package var messageIDs: [String] { messages.filter { $0.mayHave(["INBOX"]) }.map(\.id) }
}

/// Reads the headers of new mail (Gmail API v1).
package struct MailClient: Sendable {
    private static let path = "/gmail/v1/users/me"
    /// More pages than this are not read at one look; the rest comes at the next.
    private static let mostPages = 1

    /// The end of the year 9999, in milliseconds since 1970: a later time has no text in ISO 8601.
    private static let lastDate: Int64 = 253_402_300_799_999

    private let api: GoogleAPI

    package init(_ api: GoogleAPI) {
        self.api = api
    }

    /// Returns the messages that came since a look, those that the user sent among them. At the first look, and when Google has forgotten the
    /// place (404), it returns none and the place from which the next look goes on.
    ///
    /// - Throws: ``GoogleError``.
    package func changes(since historyID: String?) async throws -> MailChanges {
        guard let historyID else { return try await baseline() }
        var messages: [NewMessage] = []
        var latest = historyID
        var page: String?
        let query = [
            ("startHistoryId", historyID), ("historyTypes", "messageAdded"), ("maxResults", "50"),
            ("fields", "history(id,messagesAdded/message(id,labelIds)),historyId,nextPageToken"),
        ]
        do {
            for _ in 0..<Self.mostPages {
                let answer = try await api.get(
                    "\(Self.path)/history", query + (page.map { [("pageToken", $0)] } ?? []))
                for record in answer["history"]?.arrayValue ?? [] {
                    messages += (record["messagesAdded"]?.arrayValue ?? []).compactMap { Self.message($0["message"]) }
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
        return MailChanges(
            messages: messages.filter { seen.insert($0.id).inserted }, historyID: latest, isBaseline: false)
    }

    /// Returns the ids of the newest messages with a label, such as `INBOX` or `SENT`.
    ///
    /// - Parameters:
    ///   - start: a message may be up to two seconds older, because Gmail searches by whole seconds.
    ///   - limit: 1…500.
    /// - Throws: ``GoogleError``.
    package func messageIDs(labelled label: String, since start: Date, atMost limit: Int) async throws -> [String] {
        let answer = try await api.get(
            "\(Self.path)/messages",
            [
                ("labelIds", label), ("q", "after:\(Int(start.timeIntervalSince1970) - 1)"), ("maxResults", "\(limit)"),
                ("fields", "messages(id)"),
            ])
        return (answer["messages"]?.arrayValue ?? []).prefix(limit).compactMap { $0["id"]?.stringValue }
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
                [("format", "metadata")] + MailHeaders.names.map { ("metadataHeaders", $0) } + [
                    ("fields", "id,threadId,labelIds,internalDate,payload/headers")
                ])
        } catch GoogleError.refused(status: 404, _) {
            return nil
        }
        guard let text = answer["internalDate"]?.stringValue, let milliseconds = Int64(text),
            (0...Self.lastDate).contains(milliseconds)
        else {
            throw GoogleError.malformed("a message without a date")
        }
        // Only what was asked for: another program at this address may answer with more.
        let wanted = Set(MailHeaders.names.map { $0.lowercased() })
        var values: [String: String] = [:]
        for header in answer["payload"]?["headers"]?.arrayValue ?? [] {
            guard let name = header["name"]?.stringValue?.lowercased(), wanted.contains(name), values[name] == nil
            else {
                continue
            }
            values[name] = header["value"]?.stringValue
        }
        return MailHeaders(
            id: id, threadID: answer["threadId"]?.stringValue,
            receivedAt: Date(timeIntervalSince1970: Double(milliseconds) / 1000),
            labels: (answer["labelIds"]?.arrayValue ?? []).compactMap(\.stringValue), values: values)
    }

    private static func message(_ json: JSONValue?) -> NewMessage? {
        guard let id = json?["id"]?.stringValue else { return nil }
        return NewMessage(id: id, labels: json?["labelIds"]?.arrayValue?.compactMap(\.stringValue))
    }

    private func baseline() async throws -> MailChanges {
        let profile = try await api.get("\(Self.path)/profile", [("fields", "historyId")])
        guard let id = profile["historyId"]?.stringValue else {
            throw GoogleError.malformed("a profile without a historyId")
        }
        return MailChanges(messages: [], historyID: id, isBaseline: true)
    }
}
