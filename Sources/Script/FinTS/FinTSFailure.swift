/// The reason why a dialog with a bank ended without its documents.
package struct FinTSFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable, CaseIterable {
        case wrongPIN
        case locked
        case wrongTAN
        case tanExpired
        case approvalMissing
        case approvalCancelled
        case strongAuthenticationRequired
        case productRefused
        case maintenance
        case nothingFound
        case notOffered
        case otherBank
        /// The answer breaks the rules of the protocol.
        case garbled
        case refused
        case otherAccount
        case network
        case serverError
        case keyMismatch
        case cancelled
    }

    package let kind: Kind
    /// A sentence for a person: the fault, then the remedy.
    package let message: String
    /// The code of the bank's answer, such as `9942`; nil when this program found the fault.
    package let code: String?
    /// The bank's own words, which a stranger wrote.
    package let bankWords: String?
    /// True if nothing of the message has left this machine.
    package let nothingWasSent: Bool

    package init(
        _ kind: Kind, _ message: String, code: String? = nil, bankWords: String? = nil, nothingWasSent: Bool = false
    ) {
        self.kind = kind
        self.message = message
        self.code = code
        self.bankWords = bankWords
        self.nothingWasSent = nothingWasSent
    }

    package var description: String { code.map { "\(message) (code \($0))" } ?? message }
}
