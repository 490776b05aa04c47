import Automation
import BankScript
import Foundation
import Messages
import Phone

/// The progress of the current run, in words.
struct RunProgress: Sendable {
    struct Run: Sendable {
        let id: RequestID
        var steps = 0
        var number = 0
        var words = "Getting ready"
        var done: [String] = []
        /// The documents that were delivered, of those that were asked for; nil for a statement.
        var documents: (count: Int, all: Int)?

        /// The progress from 0 to 100.
        var percent: Int {
            if let documents { return documents.count * 100 / max(1, documents.all) }
            return steps == 0 ? 0 : min(100, max(0, number - 1) * 100 / steps)
        }
    }

    /// The current run.
    private(set) var current: Run?

    mutating func observe(_ id: RequestID, _ event: RunEvent) {
        if current?.id != id { current = Run(id: id) }
        switch event {
        case .began(_, let steps): current?.steps = steps
        case .stepBegan(let place):
            if place.depth == 0 { current?.number = place.number }
            current?.words = place.words
        case .stepEnded(let place, _):
            if place.depth == 0 { current?.done.append(place.words) }
        case .stepFailed, .secondFactor, .captured, .downloaded, .listedAccounts, .warned: break
        case .ended: current?.words = "Delivering"
        }
    }

    mutating func delivered(_ count: Int, of all: Int, for id: RequestID) {
        if current?.id != id { current = Run(id: id) }
        current?.documents = (count, all)
        current?.done = ["Delivered \(count) of \(all)"]
    }

    mutating func changed(_ id: RequestID, to status: RequestStatus) {
        if status.isTerminal, current?.id == id { current = nil }
        if status == .executing { current = Run(id: id) }
    }
}
