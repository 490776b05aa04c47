import AuditLog
import Automation
import BankScript
import Clocks
import Foundation
import GRDB
import JSON
import Messages
import Secrets
import Testing

@testable import PhoneRunner

@Suite struct Refusing {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let make: @Sendable (Phone) throws -> JSONValue
    }

    static let cases: [Case] = [
        Case(testDescription: "other parameters than were signed", reason: "badSignature") {
            try changing($0.envelope(), "params", ["month": 2, "year": 2026])
        },
        Case(testDescription: "another bank than was signed", reason: "badSignature") {
            try changing($0.envelope(), "bank_id", "other")
        },
        Case(testDescription: "a later expiry than was signed", reason: "badSignature") {
            try changing($0.envelope(), "approval_expires_at", "2099-01-01T00:00:00.000Z")
        },
        Case(testDescription: "a field too many", reason: "badSignature") { try changing($0.envelope(), "extra", 1) },
        Case(testDescription: "no signature", reason: "badSignature") { try changing($0.envelope(), "signature", nil) },
        Case(testDescription: "expired", reason: "expired") { try $0.envelope(issued: -600, expires: -1) },
        Case(testDescription: "issued in the future", reason: "notYetValid") {
            try $0.envelope(issued: 3600, expires: 4000)
        },
        Case(testDescription: "a bank that the phone does not know", reason: "unacceptable") {
            try $0.envelope(bank: "other")
        },
        Case(testDescription: "a year beyond the script's range", reason: "unacceptable") {
            try $0.envelope(year: 2150)
        },
        Case(testDescription: "an unknown version, signed", reason: "unknownVersion") {
            try signed(changing($0.envelope(), "version", "2"))
        },
        Case(testDescription: "an unknown type, signed", reason: "malformed") {
            try signed(changing($0.envelope(), "type", "transfer"))
        },
        Case(testDescription: "more parameters, signed", reason: "malformed") {
            try signed(changing($0.envelope(), "params", ["month": 1, "year": 2026, "to": "me"]))
        },
        Case(testDescription: "a nonce that is none, signed", reason: "malformed") {
            try signed(changing($0.envelope(), "nonce", "xyz"))
        },
        Case(testDescription: "an array", reason: "malformed") { _ in [] },
        Case(testDescription: "nothing", reason: "malformed") { _ in nil },
    ]

    static func changing(_ json: JSONValue, _ name: String, _ value: JSONValue?) -> JSONValue {
        var members = json.objectValue ?? [:]
        members[name] = value
        return .object(members)
    }

    static func signed(_ json: JSONValue) throws -> JSONValue {
        let unsigned = changing(json, "signature", nil)
        let signature = try FakeBroker.secret().signature(of: unsigned.canonicalBytes())
        return changing(json, "signature", .string(signature))
    }

    @Test("an envelope that may not be shown is refused, audited once, and cannot be approved", arguments: cases)
    func refused(_ refusing: Case) async throws {
        try await Phone.with { phone in
            let envelope = try refusing.make(phone)
            await phone.broker.offer([envelope])
            let runner = try phone.runner()
            for _ in 0..<2 {
                let review = try await runner.refresh()
                #expect(review.pending.isEmpty)
                #expect(review.refused.map(\.reason) == [refusing.reason])
            }
            #expect(try await runner.store.audit.records(AuditFilter(type: "request.refused")).count == 1)
            #expect(try await runner.store.refusals().map(\.reason) == [refusing.reason])
            let id = (envelope["request_id"]?.stringValue).flatMap(RequestID.init) ?? RequestID()
            let period = try #require(MonthYear(month: 1, year: 2026))
            let forged = PendingRequest(
                id: id, bankID: "default", bankName: "Meridian Savings", type: "statement", period: period,
                issuedAt: phone.clock.now, expiresAt: .distantFuture, script: Phone.script.digest)
            await #expect(throws: PhoneError.self) { try await runner.approve(forged, with: phone.verification) }
            await #expect(throws: PhoneError.self) { try await runner.deny(id) }
            #expect(await phone.broker.posts.isEmpty)
        }
    }

    @Test("a bank whose script is in the folder is known once the person has accepted it")
    func acceptedScript() async throws {
        let yaml = """
            bank: northern
            name: Northern Bank
            origins: [https://northern.example]
            steps:
              - open: /login
              - download: PDF
            """
        try await Phone.with { phone in
            let folder = phone.home.folder.appending(path: "scripts", directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(yaml.utf8).write(to: folder.appending(path: "northern.yaml"))
            let accepted = AcceptedScripts(home: phone.home.folder)
            func pending() async throws -> [PendingRequest] {
                var services = phone.services()
                services.scripts = try ScriptRegistry(
                    [Phone.script], folder: ScriptFolder(folder), accepted: accepted)
                let runner = try PhoneRunner(
                    home: phone.home, connection: try phone.connection(), services: services)
                await phone.broker.offer([try phone.envelope(bank: "northern")])
                return try await runner.refresh().pending
            }
            #expect(try await pending().isEmpty)
            let script = try BankScript(yaml: yaml, file: "northern.yaml")
            try accepted.accept(script)
            #expect(try await pending().map(\.script) == [script.digest])
        }
    }

    @Test("a nonce counts once, and an id too")
    func replays() async throws {
        try await Phone.with { phone in
            let nonce = Nonce()
            let id = RequestID()
            let first = try phone.envelope(nonce: nonce, id: id)
            await phone.broker.offer([
                first, first, try phone.envelope(month: 2, nonce: nonce), try phone.envelope(month: 3, id: id),
            ])
            let runner = try phone.runner()
            let review = try await runner.refresh()
            #expect(review.pending.map(\.id) == [id])
            #expect(review.pending.map(\.period.month) == [1])
            #expect(review.refused.map(\.reason) == ["replayed", "replayed"])
        }
    }

    @Test("a nonce is remembered across a restart, beyond the request's end")
    func remembered() async throws {
        try await Phone.with { phone in
            let nonce = Nonce()
            await phone.broker.offer([try phone.envelope(nonce: nonce)])
            do { _ = try await phone.runner().refresh() }
            phone.clock.advance(by: 23 * 3600)
            await phone.broker.offer([try phone.envelope(month: 2, nonce: nonce)])
            #expect(try await phone.runner().refresh().refused.map(\.reason) == ["replayed"])
        }
    }

    @Test("an envelope that was forged in the database is not shown")
    func forgedInStore() async throws {
        try await Phone.withRequest { phone, runner, request in
            try await runner.store.database.write {
                try $0.execute(sql: #"UPDATE requests SET parameters_json = '{"month":7,"year":2026}'"#)
            }
            #expect(try await runner.pending().isEmpty)
            await #expect(throws: PhoneError.self) { try await runner.approve(request, with: phone.verification) }
            #expect(await phone.broker.posts.isEmpty)
        }
    }

    @Test("a request whose time is over expires")
    func expires() async throws {
        try await Phone.withRequest { phone, runner, request async throws in
            phone.clock.advance(by: 300)
            await #expect { try await runner.approve(request, with: phone.verification) } throws: {
                ($0 as? PhoneError)?.code == .expired
            }
            #expect(try await runner.store.request(request.id)?.status == .expired)
            #expect(await phone.broker.posts.isEmpty)
        }
    }
}

@Suite struct LyingBroker {
    @Test("ten thousand requests are cut down to what a person could look at")
    func flood() async throws {
        try await Phone.with { phone in
            await phone.broker.offer(
                [try phone.envelope(month: 2), try phone.envelope()] + Array(repeating: nil, count: 9_998))
            let runner = try phone.runner()
            let review = try await runner.refresh()
            #expect(review.pending.count == 2)
            #expect(review.unread == 9_800)
            #expect(try await runner.store.audit.records(AuditFilter(type: "broker.flood")).count == 1)
        }
    }

    @Test(
        "what is no list of requests is named",
        arguments: [
            (FakeBroker.Lie.html, PhoneError.Code.brokerMalformed, "not a Countersign broker"),
            (.nothing, .brokerMalformed, "empty"), (.huge, .brokerMalformed, "too large"),
            (.status(401), .brokerRefused, "token"), (.status(429), .brokerRefused, "rate-limiting"),
            (.status(500), .brokerMalformed, "failed"), (.status(302), .brokerMalformed, "redirects"),
            (.status(404), .brokerConflict, "does not know"),
        ])
    func named(_ lie: FakeBroker.Lie, _ code: PhoneError.Code, _ words: String) async throws {
        try await Phone.with { phone in
            await phone.broker.tell(lie)
            let runner = try phone.runner()
            await #expect {
                try await runner.refresh()
            } throws: { error in
                let error = error as? PhoneError
                return error?.code == code && error?.message.contains(words) == true
            }
        }
    }

    @Test("a decision that the broker refuses leaves the request to be decided", arguments: [409, 401, 404, 429])
    func refusesDecision(_ status: Int) async throws {
        try await Phone.withRequest { phone, runner, request async throws in
            await phone.broker.answer("decision", with: [.init(code: status)])
            await #expect(throws: PhoneError.self) { try await runner.approve(request, with: phone.verification) }
            #expect(phone.engine.state.withLock { $0.opened } == 0)
            #expect(try await runner.store.request(request.id)?.status == .pendingApproval)
            #expect(try await runner.approve(request, with: phone.verification) != .failed(code: "", message: ""))
        }
    }

    @Test("a late approval is an expired request")
    func late() async throws {
        try await Phone.withRequest { phone, runner, request async throws in
            await phone.broker.answer("decision", with: [.requestTimeout])
            await #expect(throws: PhoneError.self) { try await runner.approve(request, with: phone.verification) }
            #expect(try await runner.store.request(request.id)?.status == .expired)
        }
    }

    @Test("a decision whose answer is lost for good is looked into at the next refresh", arguments: [true, false])
    func undecided(brokerHeard: Bool) async throws {
        try await Phone.withRequest { phone, runner, request in
            await phone.broker.answer("decision", with: [.internalServerError, .internalServerError])
            await #expect(throws: PhoneError.self) { try await runner.approve(request, with: phone.verification) }
            if !brokerHeard {
                await phone.broker.answer("failure", with: [.conflict], standing: .pendingApproval)
            }
            _ = try await runner.refresh()
            #expect(try await runner.store.request(request.id)?.status == (brokerHeard ? .failed : .pendingApproval))
            guard !brokerHeard else { return }
            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome == .completed(filename: "\(request.id)-jan-2026.pdf"))
        }
    }

    @Test("an answer that got lost is asked for again; a conflict then means that the first was heard")
    func lostAnswer() async throws {
        try await Phone.withRequest { phone, runner, request in
            await phone.broker.answer("decision", with: [.internalServerError, .conflict])
            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome == .completed(filename: "\(request.id)-jan-2026.pdf"))
        }
    }
}
