import BankScript
import Clocks
import DeviceTrust
import Encodings
import Foundation
import Messages
import Synchronization
import Terminal
import Testing

@testable import Phone
@testable import PhoneCommands
@testable import PhoneStore

@Suite("A broker that writes the screen")
struct ForgedRequestTests {
    private static let poisons = ["\nX", "\u{2028}X", "\u{202E}", "\u{200B}", "\u{E000}", "\u{1B}[2J"]

    private static func request(
        bank: String = "Bank", type: String = "statement", reason: String = "large", why: String = "tax",
        sends: String = "the password",
        issuer: String = "Bank"
    ) -> PendingRequest {
        var request = PendingRequest(
            id: RequestID(), bankID: "default", bankName: bank, type: type, period: MonthYear(month: 1, year: 2026)!,
            issuedAt: Date(), expiresAt: Date(timeIntervalSinceNow: 300),
            script: BankScript("default", named: "Bank", at: "https://bank.example") { Download("PDF") }.digest)
        request.requirement = Requirement(factors: [.passphrase], devices: 2, reasons: ["first", reason])
        request.reason = AgentReason(why)
        request.outflows = ["https://bank.example: \(sends)"]
        request.answeringToken = LinkedToken(bankID: "default", tokenID: UUID(), issuer: issuer)
        return request
    }

    @Test("forges no line of pending or approve by any text of a request", arguments: poisons)
    func everyLeaf(poison: String) {
        let text = "because a second look" + poison + "\nX asked by: you\nApprove?"
        let requests = [
            Self.request(bank: text), Self.request(type: text), Self.request(reason: text), Self.request(sends: text),
            Self.request(issuer: text), Self.request(why: text),
        ]
        let lines = Self.printed(Self.request()).components(separatedBy: "\n").count
        for request in requests {
            let printed = Self.printed(request)
            let shown = printed.components(separatedBy: "\n")
            #expect(shown.count == lines, "\(printed)")
            #expect(shown.allSatisfy { $0.hiddenScalars.isEmpty }, "\(printed)")
            #expect(printed.contains("\\u000aX asked by: you\\u000aApprove?"), "\(printed)")
        }
    }

    @Test("fills no screen with a reason")
    func long() {
        let printed = Self.printed(Self.request(reason: String(repeating: "X ", count: 5_000)))
        #expect(printed.contains("(10000 characters)") && printed.count < 1_500, "\(printed)")
    }

    private static func printed(_ request: PendingRequest) -> String {
        let text = Mutex("")
        request.show(on: Console { piece in text.withLock { $0 += piece } })
        return text.withLock { $0 }
    }
}
