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

    /// Words for a user who asked for details. They may name senders, subjects and people.
    package struct Details: Sendable, Hashable {
        package let title: String
        package let text: String

        package init(title: String, text: String) {
            self.title = title
            self.text = text
        }
    }

    package let kind: Kind
    package let title: String
    package let text: String
    /// Shown instead of title and text when the user asked for details; nil when there is nothing more to say.
    package var details: Details?
    /// The moment at which the meeting of a reminder begins. Quiet hours hold the reminders of meetings within them.
    package var begins: Date?
    /// The mail address that an urgent mail is from. Quiet hours do not hold mail from a sender that the user marked.
    package var sender: String?
    /// The id of what the notice is about, such as a brief's or an alert's.
    package let id: String
    /// The address that a tap opens, such as `alfred://briefs/ID`.
    package let link: String
    /// Devices show one notice of those with the same key: a repeated one replaces the first. At most 64 bytes.
    package let collapseKey: String
    /// The moment after which the notice is of no use.
    package let expires: Date

    package init(
        _ kind: Kind, title: String, text: String, details: Details? = nil, id: String, link: String,
        collapseKey: String, expires: Date, begins: Date? = nil, sender: String? = nil
    ) {
        self.kind = kind
        self.title = title
        self.text = text
        self.details = details
        self.id = id
        self.link = link
        self.collapseKey = collapseKey
        self.expires = expires
        self.begins = begins
        self.sender = sender
    }
}
