import Messages

@testable import Phone

// Several documents with one approval: each is delivered by itself, and a closing manifest ends them.

extension RequestModel {
    /// Documents by their numbers, from 0.
    struct DocumentSet: Hashable, CustomStringConvertible {
        private var bits: UInt8 = 0

        init() {}
        init(first count: UInt8) { bits = (1 << count) - 1 }

        var isEmpty: Bool { bits == 0 }
        var count: UInt8 { UInt8(bits.nonzeroBitCount) }
        var numbers: [UInt8] { bits == 0 ? [] : (0..<8).filter(contains) }
        var description: String { "\(numbers)" }

        func contains(_ number: UInt8) -> Bool { bits >> number & 1 == 1 }
        mutating func insert(_ number: UInt8) { bits |= 1 << number }
        mutating func remove(_ number: UInt8) { bits &= ~(1 << number) }
        func isSubset(of other: DocumentSet) -> Bool { bits & ~other.bits == 0 }
        func union(_ other: DocumentSet) -> DocumentSet { with(bits | other.bits) }
        func subtracting(_ other: DocumentSet) -> DocumentSet { with(bits & ~other.bits) }

        private func with(_ bits: UInt8) -> DocumentSet {
            var set = DocumentSet()
            set.bits = bits
            return set
        }
    }

    /// The contents of a closing manifest.
    struct Closing: Hashable {
        let delivered: DocumentSet
        let failed: DocumentSet
    }

    /// The documents outside the phone's store.
    struct Batch: Hashable {
        var fetched = DocumentSet()
        /// A document was fetched that had been fetched before.
        var hasFetchedTwice = false
        /// Those that the phone has signed for.
        var published = DocumentSet()
        var inInbox = DocumentSet()
        var damaged = DocumentSet()
        /// The closing manifest in the inbox.
        var closing: Closing?
        /// The documents that the broker has, and the ones among them whose bytes are the manifest's.
        var held = DocumentSet()
        var verified = DocumentSet()
        /// Those of which the broker knows why they are missing.
        var missing = DocumentSet()
    }

    // MARK: Broker and folder

    func documentSteps(from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        for document in state.batch.inInbox.numbers {
            var next = state
            take(document, in: &next)
            steps.append(("the broker takes document \(document)", next))
            if !state.batch.damaged.contains(document), var damaged = counted(state) {
                damaged.batch.damaged.insert(document)
                steps.append(("the sync damages document \(document)", damaged))
            }
        }
        if let closing = state.batch.closing {
            var next = state
            end(closing, in: &next)
            steps.append(("the broker reads the closing manifest", next))
        }
        return steps
    }

    private func take(_ document: UInt8, in state: inout State) {
        state.batch.inInbox.remove(document)
        let isWhole = !state.batch.damaged.contains(document)
        guard isWhole || mistake == .brokerKeepsDamagedFiles, !state.batch.held.contains(document),
            [.approved, .executing].contains(state.broker)
        else { return }
        Self.move(&state, from: [.approved], to: .executing)
        state.batch.held.insert(document)
        if isWhole { state.batch.verified.insert(document) }
    }

    private func end(_ closing: Closing, in state: inout State) {
        guard [.approved, .executing].contains(state.broker) else {
            state.batch.closing = nil
            return
        }
        // It stays in the inbox until all that it names have come.
        guard closing.delivered.isSubset(of: state.batch.held) || mistake == .brokerEndsEarly else { return }
        state.batch.closing = nil
        // A file counts more than a reason.
        state.batch.missing = closing.failed.subtracting(state.batch.held)
        Self.move(&state, from: [.approved], to: .executing)
        Self.move(&state, from: [.executing], to: state.batch.held.isEmpty ? .failed : .completed)
    }

    // MARK: Phone

    /// Returns what the phone does with a run that was cut short; nil when it only ends it.
    static func continuation(of stored: PhoneState, _ documents: DocumentSet, _ mistake: Mistake?) -> Task? {
        guard !documents.isEmpty, stored.status == .executing else { return nil }
        if mistake == .phoneRepeatsRuns { return .visiting }
        return stored.remembered.isEmpty ? nil : .closing(delivered: stored.remembered)
    }

    func fetchingSteps(of phone: UInt8, from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append(("phone \(phone) \(name)", next))
        }
        func stop(_ next: inout State, got: DocumentSet) {
            if got.isEmpty {
                Self.fail(&next[phone], owesReport: true)
            } else {
                next[phone].task = .closing(delivered: got)
            }
        }
        switch state[phone].task {
        case .fetching(documents.count, let got): add("has tried every document") { stop(&$0, got: got) }
        case .fetching(let document, let got):
            add("fetches document \(document)") {
                if $0.batch.fetched.contains(document) { $0.batch.hasFetchedTwice = true }
                $0.batch.fetched.insert(document)
                $0[phone].task = .confirming(document, got: got)
            }
            add("does not find document \(document)") { $0[phone].task = .fetching(document + 1, got: got) }
            add("loses its session at document \(document)") { stop(&$0, got: got) }
        case .noting(let document, var got):
            got.insert(document)
            add("notes document \(document)") {
                $0[phone].remembered.insert(document)
                $0[phone].task = .fetching(mistake == .phoneFetchesAgain ? document : document + 1, got: got)
            }
        case .closing(let delivered):
            let failed = mistake == .closingLeavesOut ? DocumentSet() : documents.subtracting(delivered)
            add("keeps the closing manifest") {
                $0[phone].closing = $0[phone].closing ?? Closing(delivered: delivered, failed: failed)
                $0[phone].task = .writingClosing
            }
        case .writingClosing:
            add("writes the closing manifest") {
                $0.batch.closing = $0[phone].closing
                $0[phone].task = .published
            }
        default: break
        }
        return steps
    }

    /// Publishes a document, unless the broker's answer says that it no longer waits for it.
    func deliver(
        _ document: UInt8, _ answer: BrokerAnswer, got: DocumentSet, by phone: UInt8, in state: inout State
    ) {
        if Self.hasEnded(answer, goingOn: [.approved, .executing]) {
            return Self.fail(&state[phone], owesReport: false)
        }
        state.delivered = phone
        state.batch.published.insert(document)
        state.batch.inInbox.insert(document)
        state[phone].task = .noting(document, got: got)
    }
}
