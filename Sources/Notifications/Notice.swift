import Foundation

/// A message to a user, shown on their devices.
///
/// Title and text name no sender, subject, person or amount unless the user asked for details.
package struct Notice: Sendable, Hashable {
    /// The category of a push message; the app knows them by these names.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case meetingReminder = "MEETING_REMINDER"
        case morningBrief = "MORNING_BRIEF"
        case urgentMail = "URGENT_MAIL"
        case reconnect = "RECONNECT"
        case heldNotices = "HELD_NOTICES"
        case statement = "STATEMENT"
        case confirmation = "CONFIRMATION"
    }

    package let kind: Kind
    package let title: String
    package let text: String
    /// The id of what the notice is about, such as a brief's or an alert's.
    package let id: String
    /// The address that a tap opens, such as `alfred://briefs/ID`.
    package let link: String
    /// Devices show one notice of those with the same key: a repeated one replaces the first. At most 64 bytes.
    package let collapseKey: String
    /// The moment after which the notice is of no use.
    package let expires: Date

    package init(
        _ kind: Kind, title: String, text: String, id: String, link: String, collapseKey: String, expires: Date
    ) {
        self.kind = kind
        self.title = title
        self.text = text
        self.id = id
        self.link = link
        self.collapseKey = collapseKey
        self.expires = expires
    }
}
