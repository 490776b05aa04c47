import FinTS
import Foundation
import MockBank
import Secrets
import Synchronization
import Testing

@Suite("A bank that sends without an end")
struct EndlessDataTests {
    /// Carries messages to a mock bank, and answers each wish for bookings with a large part and the way to the next one.
    private final class Flood: MessageCarrier {
        private let bank: FinTSBank
        private let part: [UInt8]
        private let parts = Mutex(0)

        init(bank: FinTSBank, bytesOfPart count: Int) {
            self.bank = bank
            part = [UInt8](repeating: UInt8(ascii: "x"), count: count)
        }

        var sent: Int { parts.withLock { $0 } }

        /// The dialog and the number that the head of an answer names, as they are written.
        private static func head(of answer: [UInt8]) throws(FinTSFailure) -> (dialog: String, number: String) {
            let text = Latin1.text(answer.prefix(200))
            guard
                let match = text.firstMatch(
                    of: /^HNHBK:[0-9]+:3\+[0-9]{12}\+300\+((?:[^?+]|\?.)+)\+([0-9]+)['+]/)
            else {
                throw FinTSFailure(.garbled, "the mock bank's answer has no head: \(text)")
            }
            return (String(match.1), String(match.2))
        }

        func exchange(_ message: [UInt8]) async throws(FinTSFailure) -> [UInt8] {
            // Asked first, so that the bank's own account of the dialog stays right.
            let answer = try await LoopCarrier(bank: bank).exchange(message)
            guard bank.record.segments.last?.contains("HKKAZ") == true else { return answer }
            let count = parts.withLock { parts in
                parts += 1
                return parts
            }
            let head = try Self.head(of: answer)
            let rest =
                "+300+\(head.dialog)+\(head.number)'HIRMG:2:2+0010::Entgegengenommen.'HIRMS:3:2:3+3040::Mehr.:TD\(count)'"
                + "HIKAZ:4:6:3+@\(part.count)@"
            let end = "'HNHBS:5:1+\(head.number)'"
            let size = "HNHBK:1:3+".utf8.count + 12 + rest.utf8.count + part.count + end.utf8.count
            let digits = String(size)
            let padded = String(repeating: "0", count: 12 - digits.count) + digits
            return Array("HNHBK:1:3+\(padded)\(rest)".utf8) + part + Array(end.utf8)
        }
    }

    @Test("an answer in large parts is refused before it fills the memory")
    func largeParts() async throws {
        var limits = Visit.Limits()
        limits.bytesOfAnswer = 100_000
        let carrier = Flood(bank: FinTSBank(.happy), bytesOfPart: 30_000)
        var visit = Visit(
            .robin, pin: Secret(FinTSBankConfiguration().pin), over: carrier, approver: ScriptedApprover(),
            clock: SwiftClock(), limits: limits)
        try await visit.signIn()
        let account = try #require(try await visit.accounts().first)
        let failure = await #expect(throws: FinTSFailure.self) { _ = try await visit.perform(.mt940(account, nil)) }
        #expect(failure?.kind == .garbled && failure?.message.contains("more than 100000 bytes") == true)
        #expect(carrier.sent == 4)
    }

    @Test("what a bank may send in a visit is far more than a document, and less than a phone's memory")
    func limits() {
        let limits = Visit.Limits()
        #expect(limits.bytesOfAnswer == 64 << 20 && limits.bytes == 256 << 20 && limits.parts == 500)
    }
}
