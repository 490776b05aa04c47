import Clocks
import Encodings
import Foundation
import Secrets

/// The statement that a confirmation is about. The database keeps it sealed, and bound to the confirmation.
package struct StatementSubject: Sendable, Hashable {
    package static let kind = "STATEMENT"
    /// The job that asks for a statement once it is confirmed.
    package static let job = JobType.statementDue.rawValue

    package let month: MonthYear
    /// The bank's id at the broker; nil for the broker's own bank.
    package let bankID: String?
    /// The bank's name; empty for the broker's own bank.
    package let bank: String

    package init(month: MonthYear, bankID: String?, bank: String) {
        self.month = month
        self.bankID = bankID
        self.bank = ShownText.cleaned(bank, limit: 80)
    }

    /// Opens the sealed subject of a confirmation.
    ///
    /// - Throws: when it was changed, or belongs to another confirmation.
    package init(_ sealed: [UInt8], of confirmation: UUID, _ keys: StateKeys) throws {
        let json = try JSONReader.read(keys.open(sealed, as: Self.binding(confirmation)).revealed())
        guard let month = json["month"]?.stringValue.flatMap({ MonthYear($0) }), let bank = json["bank"]?.stringValue
        else { throw AssistantStateError("a sealed confirmation lacks a part") }
        self.init(month: month, bankID: json["bank_id"]?.stringValue, bank: bank)
    }

    func sealed(for confirmation: UUID, _ keys: StateKeys) throws -> [UInt8] {
        var members: [String: JSONValue] = [
            "subject": "a statement that is ready", "month": .string(month.description), "bank": .string(bank),
        ]
        members["bank_id"] = bankID.map(JSONValue.string)
        return try keys.seal(Secret(JSONValue.object(members).compactText()), as: Self.binding(confirmation))
    }

    /// Returns the digest by which the same statement is known again. Each user has their own.
    func digest(of userID: UUID, _ keys: StateKeys) -> [UInt8] {
        keys.digest("\(userID.uuidString) \(bankID ?? "") \(month)", for: "statement")
    }

    package var title: String {
        "Ask for the statement of \(month)" + (bank.isEmpty ? "" : " from \(bank)")
    }

    private static func binding(_ confirmation: UUID) -> String { "subject of \(confirmation.uuidString)" }
}
