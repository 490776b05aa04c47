import Clocks
import Encodings
import Foundation
import Secrets

/// The message of an alert, as the database keeps it: sealed, and bound to the alert.
package struct AlertedMail: Sendable, Hashable {
    package let messageID: String
    /// The sender's address in lower case; nil when the sender has none.
    package let address: String?
    /// The sender and the subject, cleaned for showing.
    package let from: String
    package let subject: String
    package let receivedAt: Date

    init(messageID: String, _ mail: ReceivedMail) {
        self.messageID = messageID
        address = mail.sender?.description
        from = ShownText.cleaned(mail.from)
        subject = ShownText.cleaned(mail.subject)
        receivedAt = mail.receivedAt
    }

    /// Opens the sealed message of an alert.
    ///
    /// - Throws: when it was changed, or belongs to another alert.
    package init(_ sealed: [UInt8], of alert: UUID, _ keys: StateKeys) throws {
        let json = try JSONReader.read(keys.open(sealed, as: Self.binding(alert)).revealed())
        guard let id = json["message_id"]?.stringValue, let from = json["from"]?.stringValue,
            let subject = json["subject"]?.stringValue,
            let received = json["received_at"]?.stringValue.flatMap({ Timestamp($0) })
        else { throw AssistantStateError("a sealed alert lacks a part") }
        messageID = id
        address = json["address"]?.stringValue
        self.from = from
        self.subject = subject
        receivedAt = received.date
    }

    func sealed(for alert: UUID, _ keys: StateKeys) throws -> [UInt8] {
        var members: [String: JSONValue] = [
            "message_id": .string(messageID), "from": .string(from), "subject": .string(subject),
            "received_at": .string(Timestamp(receivedAt).description),
        ]
        members["address"] = address.map(JSONValue.string)
        return try keys.seal(Secret(JSONValue.object(members).compactText()), as: Self.binding(alert))
    }

    private static func binding(_ alert: UUID) -> String { "mail of alert \(alert.uuidString)" }
}

/// A sealed value that this program did not write.
package struct AssistantStateError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
