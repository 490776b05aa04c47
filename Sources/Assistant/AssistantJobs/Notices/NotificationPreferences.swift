import AssistantStore
import Encodings
import Foundation
import Secrets

/// A user's wishes about notices.
package struct NotificationPreferences: Sendable, Hashable {
    /// The most senders that a user can mark.
    package static let mostSenders = 100

    /// True if notices may name senders, subjects and meetings.
    package var showsDetails = false
    /// True if reminders of meetings within quiet hours are sent and not held.
    package var remindsInQuietHours = false
    /// Senders whose mail is urgent, also in quiet hours: addresses such as `ada@provider.net`, and domains such as
    /// `@provider.net`, in small letters.
    package var markedSenders: [String] = []
    /// The rules for urgent mail that count.
    package var rules = Set(UrgentMailRule.allCases)
    /// True if urgent mail is looked for.
    package var alertsOfUrgentMail: Bool { !rules.isEmpty }

    package init() {}

    /// Reads a user's wishes.
    ///
    /// - Throws: `AssistantStoreError`, also when the senders cannot be opened.
    package init(of userID: UUID, in database: AssistantDatabase, _ keys: StateKeys) async throws {
        try self.init(await database.notificationPreferences.preferences(of: userID), of: userID, keys)
    }

    package init(_ stored: StoredNotificationPreferences, of userID: UUID, _ keys: StateKeys) throws {
        showsDetails = stored.showsDetails
        remindsInQuietHours = stored.remindsInQuietHours
        rules.subtract(stored.rulesTurnedOff.compactMap(UrgentMailRule.init(rawValue:)))
        guard let sealed = stored.sealedSenders else { return }
        guard let text = try? keys.open(sealed, as: Self.binding(userID)).revealed(),
            let items = (try? JSONReader.read(text))?.arrayValue
        else { throw AssistantStoreError(.damaged, "a user's marked senders cannot be opened") }
        markedSenders = items.compactMap(\.stringValue)
    }

    /// Writes the wishes into a row.
    package func write(to stored: inout StoredNotificationPreferences, of userID: UUID, _ keys: StateKeys) throws {
        stored.showsDetails = showsDetails
        stored.remindsInQuietHours = remindsInQuietHours
        stored.rulesTurnedOff = UrgentMailRule.allCases.filter { !rules.contains($0) }.map(\.rawValue)
        let list = JSONValue.array(markedSenders.map(JSONValue.string))
        stored.sealedSenders =
            markedSenders.isEmpty ? nil : try keys.seal(Secret(bytes: list.compactBytes()), as: Self.binding(userID))
    }

    /// Returns whether the user has marked a mail address, or its domain.
    package func marks(_ sender: String) -> Bool {
        let address = sender.lowercased()
        guard let at = address.lastIndex(of: "@") else { return false }
        return markedSenders.contains(address) || markedSenders.contains(String(address[at...]))
    }

    private static func binding(_ userID: UUID) -> String { "marked senders of \(userID.uuidString)" }
}
