#if os(Linux)
    import Automation
    import BankScript
    import Clocks
    import Encodings
    import Foundation
    import Machine
    import Messages
    import PhoneStore
    import Secrets
    import Synchronization
    import TestParties
    import TestSupport
    import Testing

    @testable import Phone

    /// The phone's end of a visit, asked by a process that a bank's page may have taken over.
    @Suite("The desk of a visit")
    struct VisitDeskTests {
        private static let script: BankScript = {
            var script = BankScript(
                "north", named: "North Bank", at: "https://north.example", credentials: ["username", "pin"],
                device: ["dev"]
            ) {
                Open("/")
            }
            script.budget = .aDay(4)
            return script
        }()

        /// Services that remember what they were asked.
        private final class Services: CredentialProvider, GrantStore, SourceMemory, DeviceMemory, ConsentBook,
            RequestCounter, HumanPrompt, SecondFactorProvider
        {
            let asked = Mutex<[String]>([])
            private let device = Mutex<KnownDevice?>(nil)

            var keptDevice: KnownDevice? { device.withLock(\.self) }

            private func note(_ words: String) { asked.withLock { $0.append(words) } }

            func credential(named name: String, forBank bankID: String) async throws -> Secret? {
                note("credential \(name) of \(bankID)")
                return Secret("value of \(name)")
            }
            func kept(forBank bankID: String) async throws -> Secret? {
                note("kept of \(bankID)")
                return Secret("kept")
            }
            func keep(_ value: Secret?, forBank bankID: String) async throws {
                note("keep \(value?.revealed() ?? "nothing") of \(bankID)")
            }
            func lock(forBank bankID: String) async throws -> any Sendable { bankID }
            func device(atBank bankID: String) async throws -> KnownDevice? { device.withLock(\.self) }
            func keep(_ device: KnownDevice?, atBank bankID: String) async throws {
                self.device.withLock { $0 = device }
                note("keep device of \(bankID)")
            }
            func consent(atBank bankID: String) async throws -> Consent? { Consent(needsOwner: false) }
            func keep(_ consent: Consent?, atBank bankID: String) async throws { note("keep consent of \(bankID)") }
            func count(forBank bankID: String, limit: Int, at now: Date) async throws -> Date? {
                note("count \(limit) of \(bankID)")
                return nil
            }
            func turn(forBank bankID: String, gap: Duration, at now: Date) async throws -> Duration { .zero }
            func answer(_ prompt: Prompt) async throws -> Secret {
                note("question of \(prompt.bankName)")
                return Secret("123456")
            }
            func code(for challenge: SecondFactorChallenge) async throws -> Secret? {
                note("code of \(challenge.bankID)")
                return nil
            }
        }

        private static func desk(
            _ services: Services = Services(), in folder: URL = URL(filePath: "/nonexistent"),
            work: VisitWork = .one([:]), receive: DocumentReceiver? = nil
        ) -> VisitDesk {
            var host = HostServices(
                credentials: services, secondFactor: services, person: services, downloads: FolderSink(folder))
            host.memory = services
            host.grants = services
            host.devices = services
            host.consents = services
            host.requests = services
            return VisitDesk(
                script: script, host: host, work: work, arrivals: VisitArrivals(from: folder, to: folder),
                receive: receive)
        }

        private static func ask(
            _ desk: VisitDesk, _ name: String, _ json: JSONValue = .null, _ pieces: [[UInt8]] = []
        ) async throws -> CallLine.Message {
            try VisitAnswer.value(try await desk.answer(name, CallLine.Message(json, pieces: pieces)))
        }

        @Test("gives the credentials that the script names, of its bank alone, and no other")
        func credentials() async throws {
            let services = Services()
            let desk = Self.desk(services)
            for (name, isThere) in [
                ("pin", true), ("username", true), ("password", false), ("../north/pin", false), ("", false),
            ] {
                var answer = try await Self.ask(desk, "credential", ["name": .string(name), "bank": "south"])
                #expect((answer.takeSecret() != nil) == isThere, "\(name)")
            }
            #expect(services.asked.withLock(\.self) == ["credential pin of north", "credential username of north"])
        }

        @Test("answers everything for the script's bank, whatever is said about another")
        func oneBank() async throws {
            let services = Services()
            let desk = Self.desk(services)
            let south: JSONValue = ["bank": "south", "deadline": 1_800_000_000, "limit": 1_000_000]
            for name in ["memory", "grant", "code", "count", "consent", "lock_grant", "turn"] {
                _ = try await Self.ask(desk, name, south)
            }
            for name in ["keep_memory", "keep_grant"] { _ = try await Self.ask(desk, name, south, [Array("new".utf8)]) }
            _ = try await Self.ask(
                desk, "answer",
                ["kind": "code", "question": "Your code?", "bank": "South Bank", "deadline": 1_800_000_000])
            #expect(
                services.asked.withLock(\.self) == [
                    "kept of north", "kept of north", "code of north", "count 4 of north", "keep new of north",
                    "keep new of north", "question of North Bank",
                ])
        }

        @Test("keeps the cookies that the script names, for the hosts where it goes")
        func devices() async throws {
            func device(_ cookies: [(name: String, domain: String)], origin: String) -> [UInt8] {
                let cookies = cookies.map { cookie in
                    DeviceCookie(
                        name: cookie.name, value: Secret("v"), domain: cookie.domain,
                        expiresAt: Date(timeIntervalSinceNow: 1_000_000))
                }
                let device = KnownDevice(cookies, origins: [origin], at: Date())
                return device?.sealed.withUnsafeBytes { Array($0) } ?? []
            }
            let services = Services()
            let desk = Self.desk(services)
            let mixed = device(
                [("dev", "north.example"), ("other", "north.example")], origin: "https://north.example")
            _ = try await Self.ask(desk, "keep_device", .null, [mixed])
            let kept = try #require(services.keptDevice)
            #expect(kept.cookies.map(\.name) == ["dev"] && kept.origins == ["https://north.example"])
            for nonsense in [device([("dev", "south.example")], origin: "https://south.example"), Array("{}".utf8)] {
                await #expect(throws: CallLine.Nonsense.self) {
                    try await Self.ask(desk, "keep_device", .null, [nonsense])
                }
            }
            _ = try await Self.ask(desk, "keep_device")
            #expect(services.keptDevice == nil)
        }

        @Test(
            "refuses what no visit asks",
            arguments: [
                ("vault", .null), ("credential", .null), ("credential", ["name": 1]), ("code", .null),
                ("code", ["deadline": .number(1e99)]), ("code", ["deadline": 1, "source": "not-plugged"]),
                ("answer", .null),
                ("answer", ["kind": "order", "question": "a", "deadline": 1]),
                ("answer", ["kind": "choice", "question": "a", "deadline": 1, "choices": [1]]),
                ("keep_consent", ["ends": 1]), ("document", .null),
                ("document", ["place": ["kind": "pdf", "period": "2026-01"]]),
            ] as [(String, JSONValue)])
        func nonsense(name: String, json: JSONValue) async throws {
            await #expect(throws: CallLine.Nonsense.self) { try await Self.ask(Self.desk(), name, json) }
        }

        @Test("keeps no more for a bank than a megabyte")
        func large() async throws {
            for name in ["keep_memory", "keep_grant", "keep_device"] {
                await #expect(throws: CallLine.Nonsense.self) {
                    try await Self.ask(Self.desk(), name, .null, [[UInt8](repeating: 1, count: (1 << 20) + 1)])
                }
            }
        }

        @Test("ends a visit that warns without end")
        func warnings() throws {
            let desk = Self.desk()
            let warning = CallLine.Message(["event": "warned", "step": 1, "text": "look"])
            for _ in 0..<1_000 { try desk.hear("event", warning) }
            #expect(throws: CallLine.Nonsense.self) { try desk.hear("event", warning) }
        }

        @Test("ends a visit that tells of steps without end")
        func events() throws {
            let desk = Self.desk()
            let step = CallLine.Message([
                "event": "step_ended", "place": StepPlace(number: 1, words: "open /").visitJSON, "time": 1,
            ])
            for _ in 0..<30_000 { try desk.hear("event", step) }
            #expect(throws: CallLine.Nonsense.self) { try desk.hear("event", step) }
        }

        @Test("an error of the phone crosses with its words, and a failure whole")
        func errors() async throws {
            struct Failing: HumanPrompt {
                let error: any Error & Sendable
                func answer(_ prompt: Prompt) async throws -> Secret { throw error }
            }
            let failure = RunFailure(.credentialUnavailable, message: "unlock it")
            for error: any Error & Sendable in [
                failure, PhoneError(.homeBusy, "the phone is busy"), CancellationError(),
            ] {
                let services = Services()
                let host = HostServices(
                    credentials: services, person: Failing(error: error), downloads: FolderSink(URL(filePath: "/")))
                let desk = VisitDesk(
                    script: Self.script, host: host, work: .one([:]),
                    arrivals: VisitArrivals(from: URL(filePath: "/"), to: URL(filePath: "/")), receive: nil)
                let question: JSONValue = ["kind": "elsewhere", "question": "a", "deadline": 1]
                let arrived = await #expect(throws: (any Error).self) { try await Self.ask(desk, "answer", question) }
                #expect("\(try #require(arrived))" == "\(error)")
                #expect((arrived is RunFailure) == (error is RunFailure))
                #expect((arrived is CancellationError) == (error is CancellationError))
            }
        }

        // MARK: Documents

        @Test("takes the documents that were asked for, and further ones of their places")
        func places() async throws {
            let asked = DocumentPlace(period: try #require(MonthYear("2026-01")))
            let received = Mutex<[DocumentPlace]>([])
            let desk = Self.desk(work: .several([asked], names: [:])) { (place, _) throws(RunFailure) in
                received.withLock { $0.append(place) }
            }
            let failure = RunFailure(.pdfDownloadFailed, message: "none").visitJSON
            for place in [asked.numbered(2), asked] {
                _ = try await Self.ask(desk, "document", ["place": place.json, "failure": failure])
            }
            #expect(received.withLock(\.self) == [asked.numbered(2), asked])
            let other = DocumentPlace(period: try #require(MonthYear("2026-02")))
            for nonsense: JSONValue in [["place": other.json, "failure": failure], ["place": asked.json]] {
                await #expect(throws: CallLine.Nonsense.self) { try await Self.ask(desk, "document", nonsense) }
            }
        }

        @Test("takes each document once, and no further one after the first of its place")
        func once() async throws {
            let asked = DocumentPlace(period: try #require(MonthYear("2026-01")))
            let failure = RunFailure(.pdfDownloadFailed, message: "none").visitJSON
            for (before, again) in [
                ([asked], asked), ([asked.numbered(2)], asked.numbered(2)), ([asked], asked.numbered(2)),
            ] {
                let received = Mutex(0)
                let desk = Self.desk(work: .several([asked], names: [:])) { (_, _) throws(RunFailure) in
                    received.withLock { $0 += 1 }
                }
                for place in before {
                    _ = try await Self.ask(desk, "document", ["place": place.json, "failure": failure])
                }
                await #expect(throws: CallLine.Nonsense.self, "\(again)") {
                    try await Self.ask(desk, "document", ["place": again.json, "failure": failure])
                }
                #expect(received.withLock(\.self) == before.count)
            }
        }

        @Test("waits at the end for the document that is being taken, and takes none after it")
        func settled() async throws {
            let asked = DocumentPlace(period: try #require(MonthYear("2026-01")))
            let began = Mutex(0)
            let ended = Mutex(0)
            let desk = Self.desk(work: .several([asked], names: [:])) { (_, _) async throws(RunFailure) in
                began.withLock { $0 += 1 }
                try? await Task.sleep(for: .milliseconds(50))
                ended.withLock { $0 += 1 }
            }
            let failure = RunFailure(.pdfDownloadFailed, message: "none").visitJSON
            let document: JSONValue = ["place": asked.json, "failure": failure]
            let call = Task { try await Self.ask(desk, "document", document) }
            while began.withLock(\.self) == 0 { try await Task.sleep(for: .milliseconds(2)) }
            await desk.settled()
            #expect(ended.withLock(\.self) == 1)
            _ = try await call.value
            await #expect(throws: CallLine.Nonsense.self) { try await Self.ask(desk, "document", document) }
            #expect(began.withLock(\.self) == 1)
        }

        /// Keeps what it is given only when the test lets it, and remembers whether it was cancelled meanwhile.
        private final class SlowStore: GrantStore, SourceMemory, DeviceMemory, ConsentBook {
            let events = Mutex<[String]>([])
            private let begun = AsyncStream.makeStream(of: Void.self)
            private let release = AsyncStream.makeStream(of: Void.self)

            func hasBegun() async { for await _ in begun.stream { return } }
            func letGo() { release.continuation.finish() }

            func work() async {
                begun.continuation.yield()
                for await _ in release.stream {}
                events.withLock { $0.append(Task.isCancelled ? "cancelled" : "done") }
            }

            func kept(forBank bankID: String) async throws -> Secret? { nil }
            func keep(_ value: Secret?, forBank bankID: String) async throws { await work() }
            func lock(forBank bankID: String) async throws -> any Sendable { bankID }
            func device(atBank bankID: String) async throws -> KnownDevice? { nil }
            func keep(_ device: KnownDevice?, atBank bankID: String) async throws { await work() }
            func consent(atBank bankID: String) async throws -> Consent? { nil }
            func keep(_ consent: Consent?, atBank bankID: String) async throws { await work() }
        }

        @Test(
            "keeps and delivers to the end although the process has ended, and waits for it",
            arguments: ["keep_grant", "keep_memory", "keep_device", "keep_consent", "document"])
        func endOfProcess(name: String) async throws {
            let store = SlowStore()
            let asked = DocumentPlace(period: try #require(MonthYear("2026-01")))
            var host = HostServices(
                credentials: Services(), person: Services(), downloads: FolderSink(URL(filePath: "/nonexistent")))
            (host.grants, host.memory, host.devices, host.consents) = (store, store, store, store)
            let desk = VisitDesk(
                script: Self.script, host: host, work: .several([asked], names: [:]),
                arrivals: VisitArrivals(from: URL(filePath: "/"), to: URL(filePath: "/"))
            ) { (_, _) async throws(RunFailure) in await store.work() }
            let failure = RunFailure(.pdfDownloadFailed, message: "none").visitJSON
            let json: JSONValue = name == "document" ? ["place": asked.json, "failure": failure] : .null
            let call = Task { try await Self.ask(desk, name, json) }
            await store.hasBegun()
            // As the line does when its other end is gone.
            call.cancel()
            let end = Task {
                await desk.settled()
                store.events.withLock { $0.append("settled") }
            }
            store.letGo()
            await end.value
            #expect(store.events.withLock(\.self) == ["done", "settled"])
            _ = try await call.value
        }

        @Test("hands back the reason for which the phone did not take a document")
        func notTaken() async throws {
            let asked = DocumentPlace(period: try #require(MonthYear("2026-01")))
            let desk = Self.desk(work: .several([asked], names: [:])) { (_, _) throws(RunFailure) in
                throw RunFailure(.inboxWriteFailed, message: "the disk is full")
            }
            let failure = RunFailure(.pdfDownloadFailed, message: "none").visitJSON
            let arrived = await #expect(throws: RunFailure.self) {
                try await Self.ask(desk, "document", ["place": asked.json, "failure": failure])
            }
            #expect(arrived?.code == .inboxWriteFailed && arrived?.message == "the disk is full")
        }
    }
#endif
