import Foundation
import Notifications
import Terminal

/// The variables that configure a phone whose page is served.
package enum PhoneSetting {
    private static let pushSubject = "VAPID_SUBJECT"
    private static let retentionDays = "PHONE_RETENTION_DAYS"
    private static let days = 1...36_500

    static let all = [
        Setting(
            pushSubject,
            purpose:
                "a mail or web address of yours, such as mailto:name@provider.net, which push services ask for; with it, "
                + "browsers can be notified of requests"),
        Setting(
            retentionDays,
            purpose: "after how many days records of the phone's audit log are removed; without it, they stay"
        ),
    ]

    /// Reads the contact for push services; nil where it is not set.
    ///
    /// - Throws: ``CommandFailure`` with status 2 when it is something else.
    package static func pushSubject(in environment: [String: String]) throws(CommandFailure) -> VAPIDSubject? {
        guard let text = environment[pushSubject], !text.isEmpty else { return nil }
        do {
            return try VAPIDSubject(text)
        } catch {
            throw CommandFailure(error.description, status: 2)
        }
    }

    /// Reads the days that records of the audit log stay; nil where they stay for ever.
    ///
    /// - Throws: ``CommandFailure`` with status 2 for anything but a number of days.
    package static func retentionDays(in environment: [String: String]) throws(CommandFailure) -> Int? {
        guard let text = environment[retentionDays], !text.isEmpty else { return nil }
        guard let number = Int(text), days.contains(number) else {
            throw CommandFailure(
                "\(retentionDays) is “\(text.inLine())”; write a number of days from \(days.lowerBound) to "
                    + "\(days.upperBound), or leave it out to keep the log for ever", status: 2)
        }
        return number
    }
}
