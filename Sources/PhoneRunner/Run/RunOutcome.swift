import Automation
import BankScript
import Clocks
import Foundation
import Messages

/// How an approved request ended.
public enum RunOutcome: Sendable, Hashable {
    /// The statement is in the inbox, under this name.
    case completed(filename: String)
    case failed(code: String, message: String)
    /// Nothing has run: so many of the needed devices have approved, and another one's approval starts it.
    case waiting(approvals: Int, needed: Int)
}

/// Something that whoever watches the phone wants to know.
public enum PhoneEvent: Sendable {
    case arrived(PendingRequest)
    case refused(Refusal)
    case changed(RequestID, RequestStatus)
    /// A run makes progress.
    case run(RequestID, RunEvent)
}

/// Delivers a statement to where the broker finds it.
public protocol StatementPublisher: Sendable {
    /// Throws when the folder could not take a file.
    func check() async throws
    /// - Returns: the PDF's name in the inbox.
    func publish(pdf: URL, for request: RequestID, period: MonthYear, at now: Date) async throws -> String
    /// Takes away what a delivery that was cut short left behind; one that is whole stays.
    ///
    /// - Returns: the PDF's name in the inbox when there is a whole one.
    func removeLeftovers(of request: RequestID) async -> String?
}
