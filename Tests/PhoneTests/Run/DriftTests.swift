import Automation
import BankScript
import Encodings
import Foundation
import Messages
import TestParties
import TestSupport
import Testing

@testable import Phone

@Suite("A page that changes before its script breaks")
struct DriftTests {
    private static func script(_ name: String) -> BankScript {
        BankScript("default", named: name, at: "https://bank.example") {
            Open("/login")
            Fill("Username", with: .username)
            Fill("Password", with: .password)
            Press(.any(.button("Sign in"), .css("#login")))
            Download("PDF")
        }
    }

    private func run(_ script: BankScript, month: Int, on phone: TestPhone) async throws -> RequestID {
        let runner = try PhoneRunner(
            home: phone.home, connection: try phone.connection(), services: phone.services(script))
        await phone.broker.offer([try phone.envelope(month: month)])
        let pending = try await runner.refresh().pending
        let request = try #require(pending.first)
        _ = try await runner.approve(request, with: phone.verification)
        phone.clock.advance(by: 1)
        return request.id
    }

    private func show(_ locator: String, on phone: TestPhone) {
        phone.engine.tell { $0.texts = [locator: ["Sign in"]] }
    }

    @Test("is in the history, and is counted over the runs of the present script")
    func counted() async throws {
        try await TestPhone.with { phone in
            let store = try phone.runner().store
            show("button “Sign in”", on: phone)
            let first = try await run(Self.script("Meridian Savings"), month: 1, on: phone)
            #expect(try await store.drift().isEmpty)

            show("css “#login”", on: phone)
            let second = try await run(Self.script("Meridian Savings"), month: 2, on: phone)
            let third = try await run(Self.script("Meridian Savings"), month: 3, on: phone)
            let warnings = try await store.runWarnings(of: [first, second, third])
            #expect(warnings[first] == nil)
            #expect(
                warnings[second]?.map(\.words) == [
                    "step 4: the page has changed: way 2 of 2 matched, css “#login”"
                ])
            #expect(warnings[third]?.count == 1)
            let drift = try #require(try await store.drift().first)
            #expect(drift.bankID == "default" && drift.step == 4 && drift.runs == 2 && drift.allRuns == 3)
            #expect(drift.latest > drift.since)

            let command = CountersignProcess(["phone", "drift", "--home", phone.home.folder.path])
            let told = try await command.run()
            #expect(told.status == 1)
            #expect(told.output.contains("default, step 4: the page has changed: way 2 of 2 matched"), "\(told.output)")
            #expect(told.output.contains("in 2 of 3 runs, since "))
            let lines = try await CountersignProcess(["phone", "drift", "--json", "--home", phone.home.folder.path])
                .run()
            #expect(try JSONReader.read(Data(lines.output.utf8))["runs"] == 2)

            // An edited script starts anew.
            show("button “Sign in”", on: phone)
            _ = try await run(Self.script("Meridian"), month: 4, on: phone)
            #expect(try await store.drift().isEmpty)
        }
    }

    @Test("is kept of a run that fails afterwards, too")
    func failed() async throws {
        try await TestPhone.with { phone in
            show("css “#login”", on: phone)
            phone.engine.tell { $0.pressError = EngineError(.other, "no answer") }
            let id = try await run(Self.script("Meridian Savings"), month: 1, on: phone)
            let store = try phone.runner().store
            #expect(try await store.request(id)?.status == .failed)
            #expect(try await store.runWarnings(of: [id])[id]?.count == 1)
        }
    }
}
