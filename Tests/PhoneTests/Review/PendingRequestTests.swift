import BankScript
import Clocks
import DeviceTrust
import Foundation
import Messages
import TestParties
import Testing

@testable import Phone

@Suite("A request on the phone's screen")
struct PendingRequestTests {
    private static let issued = Date(timeIntervalSince1970: 1_800_000_000)
    private static let period = MonthYear(month: 1, year: 2026)!

    private let request = PendingRequest(
        id: RequestID(), bankID: "default", bankName: "Meridian Savings", type: "statement", period: period,
        issuedAt: issued, expiresAt: issued.addingTimeInterval(300), script: TestPhone.script.digest)

    @Test("counts down to nothing, and not below", arguments: [(299.5, 0.5), (300, 0), (310, 0)])
    func timeLeft(passed: TimeInterval, left: TimeInterval) {
        #expect(request.timeLeft(at: Self.issued.addingTimeInterval(passed)) == left)
    }

    @Test("has no approval at first")
    func fresh() {
        #expect(request.approvals == 0 && !request.isApprovedHere && request.hold == nil)
        #expect(request.progressWords == "0 of 1 approvals; waiting for another device")
    }

    @Test("names what it is about: one statement, or documents")
    func subject() throws {
        #expect(request.subject == .statement(Self.period))
        var several = request
        several.documents = DocumentSelection(periods: [Self.period], kinds: [.csv, .pdf])
        #expect(several.subject == .documents(try #require(several.documents)))
    }

    @Test("names the agents that ask, as far as they have names")
    func agents() {
        var request = request
        #expect(request.clientWords == "an agent without a name" && request.otherClientsWords == nil)
        request.client = AgentName("books")
        request.alsoAskedBy = [.standard, AgentName("tax")!]
        #expect(request.clientWords == "the agent “books”")
        #expect(request.otherClientsWords == "an agent without a name, “tax”, as the broker says")
    }

    static let needs: [(Set<ApprovalFactor>, Int, String?)] = [
        ([], 1, nil), ([.deviceSignature], 1, "a paired device"), ([.passphrase], 1, "the passphrase"),
        ([], 2, "2 devices"), ([.deviceSignature, .passphrase], 2, "the passphrase, 2 devices"),
    ]

    @Test("names what its approval needs", arguments: needs)
    func neededWords(factors: Set<ApprovalFactor>, devices: Int, words: String?) {
        var request = request
        request.requirement = Requirement(factors: factors, devices: devices, reasons: [])
        #expect(request.neededWords == words)
    }
}
