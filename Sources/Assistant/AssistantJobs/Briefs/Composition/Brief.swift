import Clocks
import Encodings
import Foundation

/// A morning brief. It is made at its time, and kept sealed until the user reads it, once, or an hour has passed.
package struct Brief: Sendable, Hashable {
    package struct Meeting: Sendable, Hashable {
        package let title: String
        package let start: Date
        package let end: Date

        package init(title: String, start: Date, end: Date) {
            self.title = title
            self.start = start
            self.end = end
        }
    }

    package struct UrgentMail: Sendable, Hashable {
        package let from: String
        package let subject: String
        package let receivedAt: Date

        package init(from: String, subject: String, receivedAt: Date) {
            self.from = from
            self.subject = subject
            self.receivedAt = receivedAt
        }
    }

    /// A statement that waits for the user, or has arrived.
    package struct Statement: Sendable, Hashable {
        package enum Status: String, Sendable, Hashable {
            /// The assistant may ask for it once the user has confirmed.
            case waitsForConfirmation = "WAITS_FOR_CONFIRMATION"
            /// The assistant has asked, and the phone waits for the user's approval.
            case waitsForApproval = "WAITS_FOR_APPROVAL"
            case arrived = "ARRIVED"
        }

        package let id: UUID
        package let month: MonthYear
        /// The name of the bank; empty for the broker's own.
        package let bank: String
        package let status: Status

        package init(id: UUID, month: MonthYear, bank: String, status: Status) {
            self.id = id
            self.month = month
            self.bank = bank
            self.status = status
        }
    }

    /// The user's consent to a bank's interface, which ends within a week, or has ended.
    package struct Consent: Sendable, Hashable {
        /// The name of the bank.
        package let bank: String
        package let end: Date
        package let hasEnded: Bool

        package init(bank: String, end: Date, hasEnded: Bool) {
            self.bank = bank
            self.end = end
            self.hasEnded = hasEnded
        }
    }

    package let meetings: [Meeting]
    package let free: [DateInterval]
    package let urgentMail: [UrgentMail]
    package let statements: [Statement]
    package let consents: [Consent]

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "meetings": .array(
                meetings.map {
                    ["title": .string($0.title), "start": Self.time($0.start), "end": Self.time($0.end)]
                }),
            "free": .array(free.map { ["start": Self.time($0.start), "end": Self.time($0.end)] }),
            "urgent_mail": .array(
                urgentMail.map {
                    [
                        "from": .string($0.from), "subject": .string($0.subject),
                        "received_at": Self.time($0.receivedAt),
                    ]
                }),
            "statements": .array(
                statements.map {
                    [
                        "id": .string($0.id.uuidString.lowercased()), "month": .string($0.month.description),
                        "bank": .string($0.bank), "status": .string($0.status.rawValue),
                    ]
                }),
        ]
        guard !consents.isEmpty else { return .object(members) }
        members["consents"] = .array(
            consents.map {
                ["bank": .string($0.bank), "status": $0.hasEnded ? "ENDED" : "ENDS", "end": Self.time($0.end)]
            })
        return .object(members)
    }

    private static func time(_ date: Date) -> JSONValue { .string(Timestamp(date).description) }
}
