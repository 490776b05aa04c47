import Automation
import BankScript
import Foundation
import PhoneStore
import TestParties
import Testing

@testable import Phone

@Suite("What a run says of its script")
struct OutcomeTests {
    private static let script = BankScript("default", named: "Meridian Savings", at: "https://bank.example") {
        Open("/login")
        Fill("Username", with: .username)
        Press("Sign in")
        Download("PDF")
    }

    @Test("is kept on the phone: the digest, the engine, and the reason with its step")
    func kept() async throws {
        try await TestPhone.with { phone in
            let store = try phone.runner().store
            for month in 1...2 {
                if month == 2 { phone.engine.tell { $0.pressError = EngineError(.notFound, "no such button") } }
                try await phone.approve(month: month, phone.services(Self.script))
            }
            let outcomes = try await store.outcomes()
            #expect(
                outcomes.map(\.reason) == [nil, .layoutChanged] && outcomes.map(\.step) == [nil, 3], "\(outcomes)")
            #expect(outcomes.allSatisfy { $0.scriptDigest == Self.script.digest.hex && $0.engine == "html" })
        }
    }

    @Test("is forgotten after half a year")
    func forgotten() async throws {
        try await TestPhone.with { phone in
            let store = try phone.runner().store
            let now = Date()
            for days in [200.0, 100, 0] {
                try await store.keepOutcome(
                    of: "ab", engine: "html", reason: nil, step: nil, at: now.addingTimeInterval(-days * 86_400))
            }
            #expect(try await store.outcomes().count == 2)
        }
    }
}
