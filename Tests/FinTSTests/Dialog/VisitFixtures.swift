import Clocks
import FinTS
import Foundation
import MockBank
import Secrets
import Synchronization

/// Carries messages to a mock bank without a network.
struct LoopCarrier: MessageCarrier {
    let bank: FinTSBank

    func exchange(_ message: [UInt8]) async throws(FinTSFailure) -> [UInt8] {
        guard let answer = bank.answer(to: message) else {
            throw FinTSFailure(.network, "the connection ended in the middle of an answer")
        }
        return answer
    }
}

/// Carries messages, and holds the answer to the first one that the bank's record tells, until it is cancelled.
final class HeldCarrier: MessageCarrier {
    private let bank: FinTSBank
    private let holds: @Sendable (FinTSBank.Record) -> Bool
    private let hasHeld = Mutex(false)
    private let held = AsyncStream<Void>.makeStream()

    init(bank: FinTSBank, holds: @escaping @Sendable (FinTSBank.Record) -> Bool) {
        self.bank = bank
        self.holds = holds
    }

    func isHeld() async {
        for await _ in held.stream { return }
    }

    func exchange(_ message: [UInt8]) async throws(FinTSFailure) -> [UInt8] {
        let answer = try await LoopCarrier(bank: bank).exchange(message)
        guard holds(bank.record),
            !hasHeld.withLock({ held in
                defer { held = true }
                return held
            })
        else { return answer }
        held.continuation.yield()
        while !Task.isCancelled { await Task.yield() }
        throw FinTSFailure(.network, "the request was cancelled")
    }
}

/// A clock whose waits take no time: its hand moves instead.
final class SwiftClock: RunClock {
    private let moment = Mutex(Date(timeIntervalSince1970: 1_780_000_000))

    var now: Date { moment.withLock { $0 } }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        moment.withLock { $0.addTimeInterval(Double(duration.components.seconds)) }
    }
}

/// A person who gives the mock bank's TAN, and picks as told; the first of each list by default.
final class ScriptedApprover: Approver {
    private struct State {
        var picks: [Int]
        var asked: [[String]] = []
        var challenges: [Challenge] = []
        var steps: [String] = []
    }
    private let state: Mutex<State>

    init(picks: [Int] = []) {
        state = Mutex(State(picks: picks))
    }

    var asked: [[String]] { state.withLock { $0.asked } }
    var challenges: [Challenge] { state.withLock { $0.challenges } }
    var steps: [String] { state.withLock { $0.steps } }

    func pick(among texts: [String], question: String) async throws(FinTSFailure) -> Int {
        state.withLock { state in
            state.asked.append(texts)
            return state.picks.isEmpty ? 0 : state.picks.removeFirst()
        }
    }

    func tan(for challenge: Challenge) async throws(FinTSFailure) -> Secret {
        state.withLock { $0.challenges.append(challenge) }
        return Secret(FinTSBankConfiguration().tan)
    }

    func whileApproving(
        _ challenge: Challenge, _ wait: () async throws(FinTSFailure) -> Void
    ) async throws(FinTSFailure) {
        state.withLock { $0.challenges.append(challenge) }
        try await wait()
    }

    func began(_ step: String) { state.withLock { $0.steps.append(step) } }
}

extension FinTSBank {
    convenience init(
        _ scenario: FinTSScenario, damage: (@Sendable ([UInt8], Int) -> [UInt8])? = nil
    ) {
        var configuration = FinTSBankConfiguration()
        configuration.scenario = scenario
        configuration.today = Date(timeIntervalSince1970: 1_795_000_000)
        configuration.damage = damage
        self.init(configuration)
    }
}

extension Visit.Access {
    /// The mock bank's customer.
    static let robin = Visit.Access(
        bankCode: FinTSBankConfiguration().bankCode, user: FinTSBankConfiguration().user,
        product: Dialog.Product(registration: "TEST", version: "1"))
}

extension Visit {
    static func toBank(
        _ bank: FinTSBank, _ access: Access = .robin, approver: any Approver = ScriptedApprover()
    ) -> Visit {
        Visit(
            access, pin: Secret(FinTSBankConfiguration().pin), over: LoopCarrier(bank: bank), approver: approver,
            clock: SwiftClock())
    }
}

/// Signs in, does one of each job, and ends.
///
/// - Returns: the failure that ended it.
func visit(
    _ bank: FinTSBank, _ access: Visit.Access = .robin, approver: any Approver = ScriptedApprover()
) async -> FinTSFailure? {
    var visit = Visit.toBank(bank, access, approver: approver)
    do {
        try await visit.signIn()
        let account = try await visit.accounts().first
        if let account {
            let days: ClosedRange<CalendarDate> = "2026-09-01"..."2026-10-31"
            let jobs: [Job] = [
                .balance(account), .statementList(account), .pdfStatement(account, .init(number: 9, year: 2026)),
                .statement(account, .init(number: 10, year: 2026)), .camt(account, days, formats: ["urn:iso"]),
                .mt940(account, days),
            ]
            for job in jobs { _ = try await visit.perform(job) }
        }
        await visit.end()
        return nil
    } catch {
        await visit.end()
        return error
    }
}

/// A generator of the same numbers for the same seed (SplitMix64; Steele, Lea, Flood, 2014).
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A way in which an answer can be damaged.
enum Damage: CaseIterable {
    case removed, doubled, reordered, overlong, charset, length, cut, byte, empty, inner

    func apply(to answer: [UInt8], _ dice: inout Dice) -> [UInt8] {
        var parts = Self.parts(of: answer)
        let place = Int.random(in: 0..<parts.count, using: &dice)
        switch self {
        case .removed: parts.remove(at: place)
        case .doubled: parts.insert(parts[place], at: place)
        case .reordered: parts.swapAt(place, Int.random(in: 0..<parts.count, using: &dice))
        case .overlong:
            parts[place].insert(
                contentsOf: Array(repeating: UInt8(ascii: "+"), count: 5_000), at: parts[place].count - 1)
        case .charset: parts[place].insert(contentsOf: [0x00, 0xE2, 0x82, 0xAC], at: parts[place].count - 1)
        case .length:
            parts[place] = Array(
                String(decoding: parts[place], as: Unicode.ASCII.self).replacing("@8@", with: "@9@").utf8)
        case .cut: return Array(answer.prefix(Int.random(in: 0..<answer.count, using: &dice)))
        case .byte:
            var answer = answer
            answer[Int.random(in: 0..<answer.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
            return answer
        case .empty: return []
        case .inner:
            // The announced length of the envelope's content lies.
            let text = Latin1.text(answer)
            return Latin1.bytes(of: text.replacing(/HNVSD:999:1\+@\d+@/, with: "HNVSD:999:1+@7@")) ?? []
        }
        return Array(parts.joined())
    }

    /// Splits a message behind each apostrophe, so that the parts are the segments, of the envelope's content too.
    private static func parts(of answer: [UInt8]) -> [[UInt8]] {
        var parts: [[UInt8]] = [[]]
        for byte in answer {
            parts[parts.count - 1].append(byte)
            if byte == UInt8(ascii: "'") { parts.append([]) }
        }
        if parts.last?.isEmpty == true { parts.removeLast() }
        return parts
    }
}
