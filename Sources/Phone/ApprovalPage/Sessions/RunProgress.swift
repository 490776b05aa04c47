import Automation
import BankScript
import Foundation
import Messages
import Phone

/// The progress of the current run, in words for its owner.
struct RunProgress: Sendable {
    /// A part of every run, as a person sees it.
    enum Phase: Int, Sendable, Comparable {
        case signingIn
        case asking
        case fetching
        case saving
        case done

        static let shown: [Phase] = [.signingIn, .asking, .fetching, .saving, .done]

        var name: String {
            switch self {
            case .signingIn: PageText.of("run.signing-in")
            case .asking: PageText.of("run.your-code")
            case .fetching: PageText.of("run.fetching")
            case .saving: PageText.of("run.saving")
            case .done: PageText.of("run.done")
            }
        }

        static func < (one: Phase, other: Phase) -> Bool { one.rawValue < other.rawValue }
    }

    /// A part of the run that has ended.
    enum Step: Sendable, Hashable {
        /// A step of the script, in its terms.
        case script(String)
        case delivered(count: Int, all: Int)

        var words: String {
            switch self {
            case .script(let words): words
            case .delivered(let count, let all):
                PageText.of("run.delivered", ["count": String(count), "all": String(all)])
            }
        }

        var isOfScript: Bool { if case .script = self { true } else { false } }
    }

    struct Run: Sendable {
        let id: RequestID
        var steps = 0
        var number = 0
        var phase = Phase.signingIn
        /// The steps that have ended.
        var done: [Step] = []
        /// The documents that were delivered, of those that were asked for; nil for a statement.
        var documents: (count: Int, all: Int)?
        /// A question is open.
        var isAsking = false
        var isSigningOut = false

        /// The progress from 0 to 100.
        var percent: Int {
            if let documents { return documents.count * 100 / max(1, documents.all) }
            return steps == 0 ? 0 : min(100, max(0, number - 1) * 100 / steps)
        }

        /// The progress in a sentence.
        func words(of subject: RequestSubject?) -> String {
            if isAsking { return PageText.of("run.needs-answer") }
            if isSigningOut { return PageText.of("run.signing-out") }
            switch phase {
            case .signingIn: return PageText.of("run.signing-in")
            case .asking: return PageText.of("run.checking")
            case .fetching:
                let all = documents?.all ?? subject?.count ?? 1
                let number = min(all, (documents?.count ?? 0) + 1)
                return all == 1
                    ? PageText.of("run.fetching-one")
                    : PageText.of("run.fetching-many", ["number": String(number), "all": String(all)])
            case .saving: return PageText.of("run.saving")
            case .done: return PageText.of("run.done")
            }
        }
    }

    /// The current run.
    private(set) var current: Run?
    /// The requests that have ended, with the time at which a page showed that first; nil until one has.
    private(set) var ends: [RequestID: Date?] = [:]

    mutating func observe(_ id: RequestID, _ event: RunEvent) {
        if current?.id != id { current = Run(id: id) }
        switch event {
        case .began(_, let steps): current?.steps = steps
        case .stepBegan(let place):
            if place.depth == 0 { current?.number = place.number }
            current?.isSigningOut = place.isFinally
            // What a script does after the sign-in begins with one of these.
            let begins = ["search for ", "download ", "choose "]
            if begins.contains(where: place.words.hasPrefix) { advance(to: .fetching) }
        case .stepEnded(let place, _):
            if place.depth == 0 { current?.done.append(.script(place.words)) }
        case .secondFactor(let event):
            if case .asked = event { current?.isAsking = true } else { current?.isAsking = false }
            advance(to: .asking)
        case .downloaded: advance(to: .saving)
        case .ended:
            current?.isSigningOut = false
            advance(to: .saving)
        case .stepFailed, .captured, .listedAccounts, .warned: break
        }
    }

    private mutating func advance(to phase: Phase) {
        // Several documents are fetched and saved in turn.
        guard let now = current?.phase, now < phase || (phase == .fetching && now == .saving) else { return }
        current?.phase = phase
    }

    mutating func delivered(_ count: Int, of all: Int, for id: RequestID) {
        if current?.id != id { current = Run(id: id) }
        current?.documents = (count, all)
        current?.done = [.delivered(count: count, all: all)]
    }

    mutating func changed(_ id: RequestID, to status: RequestStatus) {
        if status.isTerminal, current?.id == id { current = nil }
        if [.completed, .failed].contains(status) { ends[id] = .some(nil) }
        if status == .executing { current = Run(id: id) }
    }

    mutating func showed(_ ended: some Sequence<RequestID>, at moment: Date) {
        for id in ended { if let seen = ends[id], seen == nil { ends[id] = moment } }
    }
}
