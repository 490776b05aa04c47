import Authoring
import Automation
import BankScript
import Foundation
import KeyVault
import Messages
import PhoneStore
import Secrets
import Storage
import TestParties
import Testing

@testable import Phone

@Suite("A request, from the list to its end") struct RequestRuns {
    @Test("an approved request runs and is delivered, and the broker hears of each step")
    func approved() async throws {
        try await TestPhone.with { phone in
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            let runner = try phone.runner()
            let review = try await runner.refresh()
            let request = try #require(review.pending.first)
            #expect(request.id == id)
            #expect(request.bankName == "Meridian Savings")
            #expect(request.script == TestPhone.script.digest)
            #expect(request.timeLeft(at: phone.clock.now) == 300)

            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome == .completed(filename: "\(id)-jan-2026.pdf"))
            #expect(phone.inboxFiles() == ["\(id)-jan-2026.manifest.json", "\(id)-jan-2026.pdf"])
            #expect(await phone.broker.actions() == ["decision", "started", "started"])
            #expect(await phone.broker.posts[0].body["decision"] == "APPROVE")
            #expect(phone.engine.state.withLock { $0.typed } == ["ada.lovelace", "analytical engine"])

            let stored = try #require(try await runner.store.request(id))
            #expect(stored.status == .completed)
            #expect(stored.resultFilename == "\(id)-jan-2026.pdf")
            #expect(stored.scriptDigest == TestPhone.script.digest.hex)
            #expect(try await runner.store.audit.verify().isIntact)
            let types = try await runner.store.audit.records(AuditFilter(requestID: id.description)).map(\.event.type)
            #expect(types == ["request.received", "request.approved", "request.executing", "request.completed"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: phone.home.downloads.path).isEmpty)
        }
    }

    @Test("a denied request does not run")
    func denied() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            try await runner.deny(request.id)
            #expect(try await runner.store.request(request.id)?.status == .denied)
            #expect(await phone.broker.posts.map { $0.body["decision"] } == ["DENY"])
            await #expect(throws: PhoneError.self) { try await runner.approve(request, with: phone.verification) }
            #expect(phone.engine.state.withLock { $0.opened } == 0)
        }
    }

    @Test("a wrong passphrase leaves the request pending and is audited")
    func wrongPassphrase() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            let wrong = PassphraseVerification(Secret("not the passphrase"))
            await #expect(throws: VaultError.self) { try await runner.approve(request, with: wrong) }
            #expect(try await runner.pending().map(\.id) == [request.id])
            #expect(await phone.broker.posts.isEmpty)
            let records = try await runner.store.audit.records(AuditFilter(type: "verification"))
            #expect(records.map(\.event.severity) == [.warning])
        }
    }

    @Test("two approvals at once start one run")
    func twice() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            let outcomes = await withTaskGroup(of: RunOutcome?.self) { group in
                for _ in 0..<4 { group.addTask { try? await runner.approve(request, with: phone.verification) } }
                return await group.reduce(into: []) { if let outcome = $1 { $0.append(outcome) } }
            }
            #expect(outcomes.count == 1)
            #expect(phone.engine.state.withLock { $0.opened } == 1)
            #expect(await phone.broker.actions() == ["decision", "started", "started"])
        }
    }

    @Test("runs happen one at a time")
    func queued() async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer([try phone.envelope(), try phone.envelope(month: 2), try phone.envelope(month: 3)])
            let runner = try phone.runner()
            let requests = try await runner.refresh().pending
            #expect(requests.count == 3)
            try await withThrowingTaskGroup(of: (PendingRequest, RunOutcome).self) { group in
                for request in requests {
                    group.addTask { (request, try await runner.approve(request, with: phone.verification)) }
                }
                for try await (request, outcome) in group {
                    #expect(outcome == .completed(filename: request.period.fileStem(for: request.id) + ".pdf"))
                }
            }
            #expect(phone.engine.state.withLock { $0.opened } == 3)
            #expect(phone.engine.state.withLock { $0.mostRunning } == 1)
            #expect(phone.inboxFiles().count == 6)
        }
    }

    @Test("a second process is told that the home is taken")
    func busyHome() async throws {
        try await TestPhone.with { phone in
            let runner = try phone.runner()
            #expect { try phone.runner(patience: .zero) } throws: { ($0 as? PhoneError)?.code == .homeBusy }
            withExtendedLifetime(runner) {}
        }
    }
}
