import Automation
import BankScript
import Clocks
import Foundation
import HouseholdCommands
import Machine
import Messages
import Phone
import PhoneStore
import Secrets
import Synchronization
import Terminal
import TestParties
import TestSupport
import Testing

@testable import ApprovalPage
@testable import PhoneCommands

@Suite("A command of the phone while its page is open", .timeLimit(.minutes(3)))
struct DeskTests {
    private static let scriptWithCode = BankScript("default", named: "Meridian Savings", at: "https://bank.example") {
        Open("/login")
        Fill("Username", with: .username)
        Fill("Password", with: .password)
        Press("Sign in")
        SecondFactor("One-time code", from: .person, within: .minutes(1))
        Download("PDF")
    }

    /// A person at the terminal, who answers what is asked.
    private final class Person: HumanPrompt {
        private let code: String?
        private let isYes: Bool
        private let thinks: @Sendable () -> Void
        private let seen = Mutex((text: "", questions: [String]()))

        /// - Parameter thinks: called before yes or no is answered.
        init(code: String? = nil, isYes: Bool = true, thinks: @escaping @Sendable () -> Void = {}) {
            self.code = code
            self.isYes = isYes
            self.thinks = thinks
        }

        var text: String { seen.withLock { $0.text } }
        var questions: [String] { seen.withLock { $0.questions } }

        func answer(_ prompt: Prompt) async throws -> Secret {
            seen.withLock { $0.questions.append("\(prompt.bankName): \(prompt.question)") }
            guard let code else { throw CancellationError() }
            return Secret(code)
        }

        func perform(
            _ order: PhoneWork.Order, on phone: TestPhone, passphrase: Secret = TestPhone.passphrase
        ) async throws {
            let console = Console { text in self.seen.withLock { $0.text += text } }
            let client = DeskClient(to: phone.home, console: console, prompt: self) { question in
                self.seen.withLock { $0.questions.append(question) }
                self.thinks()
                return self.isYes
            }
            try await #require(client).perform(order, with: passphrase)
        }
    }

    /// Runs `body` while the page of a phone with requests is open and takes commands.
    private func serving(
        requests: Int = 1, script: BankScript = TestPhone.script, to user: uid_t = geteuid(),
        _ body: @escaping @Sendable (TestPhone, PageServer) async throws -> Void
    ) async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer(try (1...max(1, requests)).prefix(requests).map { try phone.envelope(month: $0) })
            let page = try PageServer(
                home: phone.home, services: phone.services(script), configuration: TestPhone.pageConfiguration)
            let desk = DeskServer(home: phone.home, page: page, user: user)
            let (opened, report) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    defer { report.finish() }
                    try await page.run(onReady: { _ in
                        do { try desk.open() } catch { Issue.record(error) }
                        report.yield()
                    })
                    return false
                }
                group.addTask {
                    for await _ in opened {
                        try await body(phone, page)
                        return true
                    }
                    return false
                }
                defer { group.cancelAll() }
                while let isDone = try await group.next(), !isDone {}
            }
            desk.end()
            #expect(DeskClient(to: phone.home) == nil, "no program answers after the page")
        }
    }

    private static func order(_ task: PhoneWork.Order.Task, id: String? = nil, json: Bool = false) -> PhoneWork.Order {
        var order = PhoneWork.Order(task, id: id)
        order.json = json
        return order
    }

    @Test("pending shows the requests, as text and as JSON")
    func pending() async throws {
        try await serving { phone, _ in
            let person = Person()
            try await person.perform(Self.order(.pending), on: phone)
            #expect(person.text.contains("Meridian Savings: statement for 2026-01"), "\(person.text)")
            let program = Person()
            try await program.perform(Self.order(.pending, json: true), on: phone)
            #expect(program.text.hasPrefix("{") && program.text.contains(#""bank_id":"default""#), "\(program.text)")
        }
    }

    @Test("approve asks at the terminal, runs in the page's program, and answers the bank's question")
    func approve() async throws {
        try await serving(script: Self.scriptWithCode) { phone, page in
            let person = Person(code: "code-typed-at-the-terminal")
            try await person.perform(Self.order(.approve), on: phone)
            #expect(person.questions.first == "Fetch this statement?")
            #expect(person.questions.count == 2 && person.questions[1].hasPrefix("Meridian Savings: "))
            #expect(person.text.contains("Delivered: statement for 2026-01, as "), "\(person.text)")
            #expect(phone.engine.state.withLock { $0.typed }.last == "code-typed-at-the-terminal")
            #expect(phone.inboxFiles().count == 2, "the document and its manifest")
            #expect(await page.openQuestion() == nil)
        }
    }

    @Test("a question that is answered on the page is withdrawn from the terminal")
    func withdrawn() async throws {
        try await serving(script: Self.scriptWithCode) { phone, page in
            let answering = Task {
                while await page.openQuestion() == nil { try await Task.sleep(for: .milliseconds(10)) }
                let open = try #require(await page.openQuestion())
                #expect(await page.answer(Secret("code-typed-on-the-page"), to: open.id))
            }
            // This person does not answer at the terminal.
            let person = Person()
            try await person.perform(Self.order(.approve), on: phone)
            try await answering.value
            #expect(person.text.contains("Delivered: "), "\(person.text)")
            #expect(phone.engine.state.withLock { $0.typed }.last == "code-typed-on-the-page")
        }
    }

    /// A person who has not typed yet when the question is answered elsewhere.
    private final class Waiting: HumanPrompt {
        private let ended = Mutex(0)
        private let begun = Mutex(false)

        var withdrawals: Int { ended.withLock { $0 } }
        var isAsked: Bool { begun.withLock { $0 } }

        func answer(_ prompt: Prompt) async throws -> Secret {
            begun.withLock { $0 = true }
            do { try await Task.sleep(for: .seconds(3600)) } catch { ended.withLock { $0 += 1 } }
            throw CancellationError()
        }
    }

    @Test("a withdrawn question ends at the terminal before the next line is printed")
    func reader() async throws {
        try await serving(script: Self.scriptWithCode) { phone, page in
            let waiting = Waiting()
            let answering = Task {
                // Answered only once the terminal has it, so that it has to be withdrawn there.
                while !waiting.isAsked { try await Task.sleep(for: .milliseconds(10)) }
                let open = try #require(await page.openQuestion())
                #expect(await page.answer(Secret("code-typed-on-the-page"), to: open.id))
            }
            let withdrawals = Mutex<[Int]>([])
            let console = Console { text in
                guard text.contains("The question is closed") else { return }
                withdrawals.withLock { $0.append(waiting.withdrawals) }
            }
            let client = try #require(DeskClient(to: phone.home, console: console, prompt: waiting) { _ in true })
            try await client.perform(Self.order(.approve), with: TestPhone.passphrase)
            try await answering.value
            #expect(withdrawals.withLock { $0 } == [1], "said once, after the reader had ended")
        }
    }

    @Test("an approval in the bank's app that has come is not said to be an answer on the page")
    func approvedElsewhere() async throws {
        try await serving { phone, page in
            let isApproved = Mutex(false)
            let person = Person {
                // Twenty seconds at most.
                for _ in 0..<2000 where !isApproved.withLock({ $0 }) { usleep(10_000) }
            }
            let approving = Task {
                defer { isApproved.withLock { $0 = true } }
                while person.questions.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
                let prompt = await page.state.prompt
                let elsewhere = Prompt(
                    kind: .confirmElsewhere, bankName: "Another bank", question: "Approve it", deadline: Date() + 60)
                let notice = Task { _ = try? await prompt.answer(elsewhere) }
                while await page.openQuestion() == nil { try await Task.sleep(for: .milliseconds(10)) }
                // The terminal gets it, and then its withdrawal.
                try await Task.sleep(for: .seconds(2))
                notice.cancel()
                while await page.openQuestion() != nil { try await Task.sleep(for: .milliseconds(10)) }
                try await Task.sleep(for: .seconds(1))
            }
            try await person.perform(Self.order(.approve), on: phone)
            try await approving.value
            #expect(person.text.contains("The bank waits no longer: it has your answer"), "\(person.text)")
            #expect(!person.text.contains("on the page"), "\(person.text)")
        }
    }

    @Test("a request for several documents is not asked about as one statement")
    func severalDocuments() async throws {
        let script = BankScript(
            "default", named: "Musterbank",
            from: SourceDeclaration(
                .fints, at: "https://bank.example/fints", settings: ["bank code": "12345678"], fetching: [.pdf]))
        try await serving(requests: 0, script: script) { phone, _ in
            let first = try #require(MonthYear("2026-01"))
            let second = try #require(first.next)
            let selection = try #require(DocumentSelection(periods: [first, second]))
            let envelope = RequestEnvelope(
                bankID: "default", subject: .documents(selection),
                issuedAt: Timestamp(phone.clock.now.addingTimeInterval(-10)),
                approvalExpiresAt: Timestamp(phone.clock.now.addingTimeInterval(300)))
            await phone.broker.offer([envelope.signed(with: try FakeBroker.secret()).json])
            let person = Person(isYes: false)
            let failure = await #expect(throws: CommandFailure.self) {
                try await person.perform(Self.order(.approve), on: phone)
            }
            #expect(person.questions == ["Fetch these 2 documents?"], "\(failure?.message ?? "")")
        }
    }

    private static func offer() throws -> DocumentOffer {
        let month = try #require(MonthYear("2026-01"))
        return DocumentOffer(
            bankID: "default", DocumentsRequest(from: month, to: month, kinds: [.pdf], accounts: []),
            agent: try #require(AgentName("books")), createdAt: Timestamp(Date()),
            expiresAt: Timestamp(Date().addingTimeInterval(86_400)))
    }

    @Test("offers are shown, opened and dismissed while the page is open")
    func offers() async throws {
        try await serving(requests: 0) { phone, _ in
            let (first, second) = (try Self.offer(), try Self.offer())
            await phone.broker.list([first, second], opening: try phone.envelope(month: 4))
            let person = Person()
            try await person.perform(Self.order(.offers), on: phone)
            #expect(person.text.contains("countersign phone offers --open \(first.id.short)"), "\(person.text)")
            let program = Person()
            try await program.perform(Self.order(.openOffer, id: first.id.description, json: true), on: phone)
            #expect(program.text.contains("request_id"), "\(program.text)")
            try await program.perform(Self.order(.dismissOffer, id: second.id.description), on: phone)
            #expect(await phone.broker.actions() == ["open", "dismiss"])
            let gone = await #expect(throws: CommandFailure.self) {
                try await program.perform(Self.order(.openOffer, id: ""), on: phone)
            }
            #expect(gone?.message.contains("offered: nothing") == true, "\(gone?.message ?? "")")
        }
    }

    @Test("a bank's question that is answered on the page leaves the terminal's own one open")
    func ownQuestion() async throws {
        try await serving { phone, page in
            let isAnswered = Mutex(false)
            let person = Person(code: "code-that-comes-too-late") {
                // Twenty seconds at most.
                for _ in 0..<2000 where !isAnswered.withLock({ $0 }) { usleep(10_000) }
            }
            let answering = Task {
                defer { isAnswered.withLock { $0 = true } }
                while person.questions.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
                let prompt = await page.state.prompt
                let other = Prompt(
                    kind: .code(picture: nil), bankName: "Another bank", question: "Code", deadline: Date() + 60)
                let run = Task { try await prompt.answer(other) }
                while await page.openQuestion() == nil { try await Task.sleep(for: .milliseconds(10)) }
                // The terminal gets it, and then its withdrawal.
                try await Task.sleep(for: .seconds(2))
                let open = try #require(await page.openQuestion())
                #expect(await page.answer(Secret("code-typed-on-the-page"), to: open.id))
                _ = try await run.value
                while !person.text.contains("The question is closed") { try await Task.sleep(for: .milliseconds(10)) }
            }
            try await person.perform(Self.order(.approve), on: phone)
            try await answering.value
            #expect(person.text.contains("The question is closed"), "\(person.text)")
            #expect(person.text.contains("Delivered: "), "\(person.text)")
        }
    }

    @Test("no is an answer: the request goes on waiting")
    func refused() async throws {
        try await serving { phone, _ in
            let failure = await #expect(throws: CommandFailure.self) {
                try await Person(isYes: false).perform(Self.order(.approve), on: phone)
            }
            #expect(failure?.message == "not approved; the request is still waiting")
            let person = Person()
            try await person.perform(Self.order(.pending), on: phone)
            #expect(person.text.contains("statement for 2026-01"))
        }
    }

    @Test("decides about one request only: not about an empty, a foreign or an ambiguous id", arguments: [0, 1, 2])
    func ids(requests: Int) async throws {
        try await serving(requests: requests) { phone, _ in
            for task in [PhoneWork.Order.Task.deny, .approve] {
                for id in ["", "zzzz", requests == 1 ? "zzzzz" : nil] {
                    let failure = await #expect(throws: CommandFailure.self, "\(task) \(id ?? "nil")") {
                        try await Person().perform(Self.order(task, id: id), on: phone)
                    }
                    #expect(failure?.message.contains("waiting") == true, "\(failure?.message ?? "")")
                }
            }
            #expect(await phone.broker.actions().allSatisfy { $0 != "decision" })
            guard requests > 0 else { return }
            let listed = Person()
            try await listed.perform(Self.order(.pending, json: true), on: phone)
            let id = try #require(listed.text.firstMatch(of: /"request_id":"([0-9a-f-]+)"/)).1
            let person = Person()
            try await person.perform(Self.order(.deny, id: requests == 1 ? nil : String(id.prefix(13))), on: phone)
            #expect(person.text == "Denied: \(id)\n")
        }
    }

    @Test("a wrong passphrase sees nothing, although the page is unlocked")
    func wrongPassphrase() async throws {
        try await serving { phone, page in
            try await page.unlock(phone.verification)
            let person = Person()
            await #expect(throws: RefusedPassphrase.self) {
                try await person.perform(
                    Self.order(.pending), on: phone, passphrase: Secret("no passphrase of this phone"))
            }
            #expect(person.text.isEmpty)
        }
    }

    @Test("another user's program is not served, even if it reaches the socket")
    func otherUser() async throws {
        try await serving(to: geteuid() + 1) { phone, _ in
            let person = Person()
            await #expect(throws: CommandFailure.self) { try await person.perform(Self.order(.pending), on: phone) }
            #expect(person.text.isEmpty)
        }
    }

    @Test("the socket is its owner's alone, and goes with the page")
    func mode() async throws {
        let socket = Mutex<URL?>(nil)
        try await serving { phone, _ in
            let file = phone.home.folder.appending(path: "desk.sock")
            socket.withLock { $0 = file }
            var status = stat()
            #expect(lstat(file.path, &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o600 && status.st_mode & S_IFMT == S_IFSOCK)
        }
        let file = try #require(socket.withLock { $0 })
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test(
        "what is not an order is refused", arguments: ["{}\n", "hello\n", "{\"do\":\"forget\",\"secret_bytes\":0}\n"])
    func nonsense(_ text: String) async throws {
        try await serving { phone, _ in
            let descriptor = try #require(DeskSocket.connected(in: phone.home))
            _ = send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
            let connection = DeskConnection(descriptor)
            let answer = try await BlockingWork.run { connection.receive()?.message }
            #expect(answer?["exit"] == 1, "\(String(describing: answer))")
        }
    }
}
