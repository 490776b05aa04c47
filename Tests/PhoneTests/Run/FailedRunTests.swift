import Authoring
import Automation
import BankScript
import Clocks
import CurlClient
import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Inbox
import KeyVault
import Messages
import PhoneStore
import Secrets
import Signer
import TestParties
import Testing

@testable import Phone

@Suite("Failed and interrupted runs") struct FailedRuns {
    @Test("a failed run is reported with the specification's code, and its page is kept for mending the script")
    func navigation() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            let page = try await recordedPage(
                "<title>Hello</title><h1>Hello ada.lovelace</h1><p>£1,234.56</p><input value=mine><script>x()</script>")
            phone.engine.tell {
                $0.pressError = EngineError(.notFound, "no “Sign in” here, ada.lovelace / analytical engine")
                $0.page = page
            }
            let outcome = try await runner.approve(request, with: phone.verification)
            guard case .failed(let code, _) = outcome else {
                Issue.record("completed")
                return
            }
            #expect(code == "NAVIGATION_FAILED")
            #expect(await phone.broker.actions() == ["decision", "started", "failure"])
            let body = await phone.broker.posts[2].body
            #expect(body["error_code"] == "NAVIGATION_FAILED")
            let stored = try await runner.store.request(request.id)
            #expect(stored?.status == .failed && stored?.failureReason == .layoutChanged)
            #expect(phone.inboxFiles().isEmpty)
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            let reports = try await FailureReports(of: phone.home, in: secrets)
            #expect(reports.requests() == [request.id])
            let kept = try #require(try reports.text(.description, of: request.id))
            #expect(kept.contains("NAVIGATION_FAILED"))
            #expect(!(kept + body.compactText()).contains("analytical"))
            let html = try #require(try reports.text(.page, of: request.id))
            #expect(html.contains("<h1>Hello •••</h1>"))
            #expect(html.contains("£•,•••.••"))
            for gone in ["ada.lovelace", "1,234", "mine", "script"] { #expect(!html.contains(gone), "\(gone)") }
        }
    }

    /// Returns a page as an engine sees it, without a network.
    private func recordedPage(_ html: String) async throws -> (any PageSnapshot)? {
        let exchange = Exchange(
            startedAt: Date(), method: "GET", url: "https://bank.example/", requestHeaders: [], requestBody: nil,
            status: 200, version: "1.1", responseHeaders: [HTTPHeader("Content-Type", "text/html")],
            responseBody: Array(html.utf8), responseBytes: html.utf8.count,
            timings: HTTPTimings(connected: .zero, firstByte: .zero, total: .zero))
        let script = BankScript(id: "page", name: "Page", origins: ["https://bank.example"], steps: [])
        let engine = try HTMLNavigationEngine(
            for: script, configuration: EngineConfiguration(transport: ReplayTransport(HTTPArchive([exchange]))))
        try await engine.open("https://bank.example/")
        let page = await engine.snapshot(outlining: nil)
        await engine.close()
        return page
    }

    @Test("a missing inbox fails the request before the bank is contacted")
    func inboxGone() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            try FileManager.default.removeItem(at: phone.inbox)
            guard case .failed(let code, _) = try await runner.approve(request, with: phone.verification) else {
                Issue.record("completed")
                return
            }
            #expect(code == "ICLOUD_WRITE_FAILED")
            #expect(phone.engine.state.withLock { $0.opened } == 0)
            let report = await phone.broker.posts.last?.body
            #expect(report?["error_code"] == "ICLOUD_WRITE_FAILED")
            let words = try #require(report?["error_message"]?.stringValue)
            #expect(words.contains("the inbox \(LocalPaths.standIn) does not exist"), "\(words)")
            #expect(!words.contains(phone.inbox.path))
        }
    }

    @Test("a failed delivery is ICLOUD_WRITE_FAILED")
    func publishFails() async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer([try phone.envelope()])
            let runner = try phone.runner(publisher: FullDisk())
            let request = try #require(try await runner.refresh().pending.first)
            guard case .failed(let code, let message) = try await runner.approve(request, with: phone.verification)
            else {
                Issue.record("completed")
                return
            }
            #expect(code == "ICLOUD_WRITE_FAILED")
            #expect(message.contains("no space left"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: phone.home.downloads.path).isEmpty)
        }
    }

    @Test("a failure that did not reach the broker is reported at the next refresh")
    func owed() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            phone.engine.tell { $0.pressError = .unreached("the bank is gone") }
            await phone.broker.answer("failure", with: [.internalServerError])
            _ = try await runner.approve(request, with: phone.verification)
            #expect(try await runner.store.owedReports().map(\.id) == [request.id])
            _ = try await runner.refresh()
            #expect(await phone.broker.actions() == ["decision", "started", "failure", "failure"])
            #expect(try await runner.store.owedReports().isEmpty)
        }
    }

    @Test("a report that the broker will never take is not in the way of the others")
    func refusedReport() async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer([try phone.envelope(month: 1), try phone.envelope(month: 2)])
            let runner = try phone.runner()
            phone.engine.tell { $0.pressError = .unreached("the bank is gone") }
            await phone.broker.answer("failure", with: Array(repeating: .internalServerError, count: 9))
            for request in try await runner.refresh().pending {
                _ = try await runner.approve(request, with: phone.verification)
            }
            #expect(try await runner.store.owedReports().count == 2)
            // A refresh reports the second one also when the broker refuses the first.
            await phone.broker.answer("failure", with: [.internalServerError])
            _ = try await runner.refresh()
            #expect(try await runner.store.owedReports().count == 1)
            await phone.broker.answer("failure", with: [.badRequest])
            _ = try await runner.refresh()
            #expect(try await runner.store.owedReports().isEmpty)
        }
    }

    @Test("a broker that limits the rate is told the banks again, and one that does not know the route is not")
    func bankList() async throws {
        for (isLimited, count) in [(true, 2), (false, 1)] {
            try await TestPhone.with { phone in
                await phone.broker.answerBanks(with: [isLimited ? .tooManyRequests : .notFound])
                let runner = try phone.runner()
                for _ in 0..<3 { _ = try await runner.refresh() }
                #expect(await phone.broker.bankListCount() == count)
            }
        }
    }

    @Test(
        "the broker hears of each bank, also of one with a name that brokers refuse",
        arguments: [
            ("Bank \u{1F468}\u{200D}\u{1F467}", "Bank \u{1F468}\u{1F467}"), ("\u{200B}", "default"), ("", "default"),
            (String(repeating: "e\u{301}", count: 90), String(repeating: "e\u{301}", count: 50)),
        ])
    func unusualName(name: String, told: String) async throws {
        let script = BankScript("default", named: name, at: "https://bank.example") {
            Open("/login")
            Download("PDF")
        }
        try await TestPhone.with { phone in
            let runner = try PhoneRunner(
                home: phone.home, connection: try phone.connection(), services: phone.services(script))
            _ = try await runner.refresh()
            let list = try #require(await phone.broker.lastBankList())
            #expect(list["banks"]?.arrayValue?.map { $0["name"]?.stringValue } == [told])
        }
    }

    @Test("the broker is told of the owner's language and of consents, and again when they change")
    func ownersWishes() async throws {
        try await TestPhone.with { phone in
            let runner = try phone.runner()
            _ = try await runner.refresh()
            let first = try #require(await phone.broker.lastBankList())
            #expect(first["language"] == nil)
            let bank = try #require(first["banks"]?.arrayValue?.first)
            let id = try #require(bank["bank_id"]?.stringValue)
            #expect(bank["consent"] == nil)
            let end = Date(timeIntervalSince1970: 1_800_000_000)
            try await runner.store.setLanguage("de")
            try await runner.store.store(StoredConsent(bankID: id, endsAt: end, needsOwner: false))
            _ = try await runner.refresh()
            let second = try #require(await phone.broker.lastBankList())
            #expect(second["language"] == "de")
            #expect(
                second["banks"]?.arrayValue?.first { $0["bank_id"]?.stringValue == id }?["consent"] == [
                    "ends_at": .string(Timestamp(end).description), "needs_owner": false,
                ])
            _ = try await runner.refresh()
            #expect(await phone.broker.bankListCount() == 2)
        }
    }

    @Test("a run that the process left unfinished has failed at the next start")
    func stopped() async throws {
        try await TestPhone.with { phone in
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            do {
                let runner = try phone.runner()
                _ = try await runner.refresh()
                try await runner.store.interrupt(id, now: phone.clock.now)
                try Data("%PDF".utf8).write(to: phone.home.downloads.appending(path: "left.pdf"))
                for name in ["\(id)-jan-2026.pdf", "\(id)-jan-2026.manifest.json.tmp"] {
                    try Data("%PDF".utf8).write(to: phone.inbox.appending(path: name))
                }
            }
            let runner = try phone.runner()
            try await runner.recover()
            let stored = try #require(try await runner.store.request(id))
            #expect(stored.status == .failed)
            #expect(stored.errorCode == "NAVIGATION_FAILED")
            #expect(await phone.broker.actions() == ["failure"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: phone.home.downloads.path).isEmpty)
            #expect(phone.inboxFiles().isEmpty)
        }
    }

    @Test(
        "a stop after the manifest's rename counts as a delivery, whether or not the broker took it",
        arguments: [true, false])
    func stoppedAfterDelivery(isTaken: Bool) async throws {
        try await TestPhone.with { phone in
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            do {
                let runner = try phone.runner()
                _ = try await runner.refresh()
                try await runner.store.interrupt(id, now: phone.clock.now)
                if isTaken {
                    await phone.broker.answer(
                        "failure", with: [.internalServerError, .conflict], standing: .completed)
                } else {
                    let pdf = phone.home.downloads.appending(path: "left.pdf")
                    try Data("%PDF".utf8).write(to: pdf)
                    let period = MonthYear(month: 1, year: 2026)!
                    _ = try await runner.broker.publisher.publish(
                        pdf: pdf, for: id, period: period, at: phone.clock.now)
                }
            }
            let runner = try phone.runner()
            try await runner.recover()
            if isTaken {
                #expect(try await runner.store.request(id)?.status == .executing, "the broker gave no answer")
                _ = try await runner.refresh()
            }
            let stored = try #require(try await runner.store.request(id))
            #expect(stored.status == .completed)
            #expect(stored.resultFilename == "\(id)-jan-2026.pdf")
            #expect(await phone.broker.actions() == (isTaken ? ["failure", "failure"] : []))
            #expect(phone.inboxFiles().count == (isTaken ? 0 : 2))
        }
    }

    @Test("a refresh ends an abandoned run and leaves an active one alone", arguments: [true, false])
    func abandoned(isPerformed: Bool) async throws {
        try await TestPhone.with { phone in
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            phone.engine.tell { $0.hangsAtPress = true }
            let runner = try phone.runner()
            let request = try #require(try await runner.refresh().pending.first)
            let run = Task { isPerformed ? try await runner.approve(request, with: phone.verification) : nil }
            if isPerformed {
                while try await runner.store.request(id)?.status != .executing {
                    try await Task.sleep(for: .milliseconds(5))
                }
            } else {
                try await runner.store.interrupt(id, at: .approved, now: phone.clock.now)
            }
            _ = try await runner.refresh()
            #expect(try await runner.store.request(id)?.status == (isPerformed ? .executing : .failed))
            #expect(await phone.broker.actions().contains("failure") == !isPerformed)
            run.cancel()
            _ = try? await run.value
        }
    }

    @Test("an interrupted denial is sent again", arguments: [true, false])
    func stoppedWhileDenying(brokerHeard: Bool) async throws {
        try await TestPhone.with { phone in
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            do {
                let runner = try phone.runner()
                _ = try await runner.refresh()
                #expect(try await runner.store.claim(id, decision: .deny, at: phone.clock.now))
            }
            if brokerHeard {
                await phone.broker.answer("decision", with: [.conflict], standing: .denied)
            }
            let runner = try phone.runner()
            try await runner.recover()
            #expect(try await runner.store.request(id)?.status == .denied)
            #expect(await phone.broker.posts.map { $0.body["decision"] } == ["DENY"])
        }
    }

    @Test("a stop between reporting a failure and recording it gives the same failure at the next start")
    func stoppedWhileFailing() async throws {
        try await TestPhone.with { phone in
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            let runner = try phone.runner()
            _ = try await runner.refresh()
            #expect(try await runner.store.claim(id, decision: .approve, at: phone.clock.now))
            await phone.broker.answer("failure", with: [.conflict], standing: .failed)
            try await runner.recover()
            #expect(try await runner.store.request(id)?.status == .failed)
        }
    }

    @Test("a stop between claim and answer is settled at the next start", arguments: [true, false])
    func stoppedWhileDeciding(brokerHeard: Bool) async throws {
        try await TestPhone.with { phone in
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            do {
                let runner = try phone.runner()
                _ = try await runner.refresh()
                #expect(try await runner.store.claim(id, decision: .approve, at: phone.clock.now))
            }
            if !brokerHeard { await phone.broker.answer("failure", with: [.conflict]) }
            let runner = try phone.runner()
            try await runner.recover()
            #expect(try await runner.store.request(id)?.status == (brokerHeard ? .failed : .pendingApproval))
            #expect(try await runner.pending().count == (brokerHeard ? 0 : 1))
        }
    }

    @Test("only the script that was shown can run")
    func changedScript() async throws {
        try await TestPhone.withRequest { phone, runner, shown in
            let other = PendingRequest(
                id: shown.id, bankID: shown.bankID, bankName: shown.bankName, type: shown.type, period: shown.period,
                issuedAt: shown.issuedAt, expiresAt: shown.expiresAt,
                script: TestPhone.script.served(at: "https://evil.example", isForTesting: false).digest)
            await #expect { try await runner.approve(other, with: phone.verification) } throws: {
                ($0 as? PhoneError)?.code == .scriptChanged
            }
            #expect(await phone.broker.posts.isEmpty)
        }
    }
}

private struct FullDisk: StatementPublisher {
    func check() async throws {}
    func removeLeftovers(of request: RequestID) async -> String? { nil }
    func publish(pdf: URL, for request: RequestID, period: MonthYear, at now: Date) async throws -> String {
        throw PhoneError(.invalidSetting, "no space left on the disk")
    }
    func publish(
        document: URL, _ description: CompletionManifest.Document, for request: RequestID, at now: Date
    ) async throws {
        throw PhoneError(.invalidSetting, "no space left on the disk")
    }
    func close(_ closing: ClosingManifest) async throws {
        throw PhoneError(.invalidSetting, "no space left on the disk")
    }
    func removeUnfinishedDocuments(of request: RequestID) async {}
}
