import Foundation
import Notifications

extension Notice {
    /// The time for which the alert of a message is of use.
    package static let alertTime: TimeInterval = 12 * 3600

    /// Tells of an urgent message. Sender and subject are in the details only, which the user has to ask for.
    static func urgentMail(_ id: UUID, at created: Date, _ mail: AlertedMail) -> Notice {
        let name = id.uuidString.lowercased()
        return Notice(
            .urgentMail, title: "Urgent mail", text: "You have a message that looks urgent.",
            details: Details(title: mail.from, text: mail.subject), id: name, link: "alfred://alerts/\(name)",
            collapseKey: "alert-\(name)", expires: created.addingTimeInterval(alertTime),
            sender: mail.address)
    }

    /// Tells of several urgent messages at once, and leads to one of them.
    static func urgentMail(_ id: UUID, at created: Date, among count: Int) -> Notice {
        let name = id.uuidString.lowercased()
        return Notice(
            .urgentMail, title: "Urgent mail", text: "You have \(count) messages that look urgent.", id: name,
            link: "alfred://alerts/\(name)", collapseKey: "alert-\(name)",
            expires: created.addingTimeInterval(alertTime))
    }
}
