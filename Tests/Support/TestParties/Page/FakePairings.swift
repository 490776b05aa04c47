import ApprovalPage
import Foundation
import Secrets
import Synchronization

/// The pairings of a broker that a page begins, without a broker.
package final class FakePairings: PagePairings {
    private let state: Mutex<(begun: [FakePagePairing], refusal: String?)> = Mutex(([], nil))
    private let lifetime: TimeInterval
    private let isForThisMachine: Bool
    package let arePossible: Bool

    /// - Parameters:
    ///   - arePossible: false where the broker is on another machine.
    ///   - lifetime: the time for which a code is valid, in seconds.
    ///   - isForThisMachine: true for a broker that other machines do not reach.
    package init(
        arePossible: Bool = true, lasting lifetime: TimeInterval = 300, forThisMachine isForThisMachine: Bool = false
    ) {
        self.arePossible = arePossible
        self.isForThisMachine = isForThisMachine
        self.lifetime = lifetime
    }

    package var begun: [FakePagePairing] { state.withLock { $0.begun } }

    /// Refuses every pairing from now on, with these words.
    package func refuse(_ words: String) { state.withLock { $0.refusal = words } }

    package func begin(named name: String?) async throws -> any PagePairing {
        let pairing = FakePagePairing(
            name, isForThisMachine: isForThisMachine, expiresAt: Date().addingTimeInterval(lifetime))
        try state.withLock { state in
            if let refusal = state.refusal { throw PairingRefusal(refusal) }
            state.begun.append(pairing)
        }
        return pairing
    }
}

package final class FakePagePairing: PagePairing {
    package static let uri = "countersign://pair?v=1&code=ABCDEFGH&at=https://broker.home:8765"
    package static let code = "17-ABCD-EFGH"

    /// The name that the owner gives the device.
    package let name: String?
    package let shown: ShownPairing
    package let turns: AsyncStream<PairingTurn>
    private let turn: AsyncStream<PairingTurn>.Continuation
    private let state = Mutex<(answers: [Bool], isCancelled: Bool, letIn: String?)>(([], false, nil))

    package var answers: [Bool] { state.withLock { $0.answers } }
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    init(_ name: String?, isForThisMachine: Bool, expiresAt: Date) {
        self.name = name
        shown = ShownPairing(
            uri: Secret(Self.uri), code: Secret(Self.code),
            line: Secret("countersign up --phone-only \(Self.code)@https://broker.home:8765"),
            isForThisMachine: isForThisMachine, inbox: "/home/ada/inbox", expiresAt: expiresAt)
        let made = AsyncStream.makeStream(of: PairingTurn.self)
        turns = made.stream
        turn = made.continuation
    }

    /// Takes a turn, as the broker and the device do.
    package func tell(_ next: PairingTurn) {
        turn.yield(next)
        switch next {
        case .paired, .ended: turn.finish()
        case .claimed: break
        }
    }

    package func answer(_ areSame: Bool) async {
        state.withLock { $0.answers.append(areSame) }
        if !areSame { tell(.ended(.denied)) }
    }

    /// The broker lets a device in, of which the page hears only when it ends the pairing.
    package func letIn(_ name: String) { state.withLock { $0.letIn = name } }

    package func cancel() async {
        let name = state.withLock { state in
            state.isCancelled = true
            return state.letIn
        }
        tell(name.map { PairingTurn.paired(name: $0) } ?? .ended(.cancelled))
    }
}
