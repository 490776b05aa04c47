import Clocks
import FileKinds
import Foundation

/// A document to file.
package struct IncomingDocument: Sendable {
    package enum Content: Sendable {
        /// A file, which stays as it is. It must be a regular file with one name.
        case file(URL)
        case bytes([UInt8])
    }

    package var content: Content
    /// The kind that the content must have; nil to find it out.
    package var kind: FileKind?
    /// The bank's id.
    package var bank: String
    /// The alias that the person chose for the account, never its number; empty where there is one account.
    package var account: String
    /// The month; nil for a document of no month, such as a contract.
    package var period: MonthYear?
    /// The days of the month, 1…31, where the document holds a part of it; nil for the whole month.
    package var days: ClosedRange<Int>?
    /// The number of the document among those of the same place, from 1. It begins the numbers that tell their names apart.
    package var part: Int
    /// The digest that was verified, as lower-case hex; nil for a file that a person adds.
    package var sha256: String?
    /// The request that the document answers.
    package var requestID: String?
    /// The name that the bank gave the file. It is kept as text and never used as a path.
    package var originalName: String?

    package init(
        _ content: Content, kind: FileKind? = nil, bank: String, account: String = "", period: MonthYear? = nil,
        days: ClosedRange<Int>? = nil, part: Int = 1, sha256: String? = nil, requestID: String? = nil,
        originalName: String? = nil
    ) {
        self.content = content
        self.kind = kind
        self.bank = bank
        self.account = account
        self.period = period
        self.days = days
        self.part = part
        self.sha256 = sha256
        self.requestID = requestID
        self.originalName = originalName
    }
}

/// The result of filing a document.
package enum FilingOutcome: Sendable, Hashable {
    case filed(ArchivedDocument)
    /// The same content was filed before, perhaps for another month. Its file may have been moved elsewhere since.
    case known(ArchivedDocument)

    package var document: ArchivedDocument {
        switch self {
        case .filed(let document), .known(let document): document
        }
    }
}
