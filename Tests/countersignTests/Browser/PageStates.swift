import ApprovalPage
import Automation
import BankScript
import Clocks
import DefaultBank
import DeviceTrust
import Encodings
import Foundation
import Messages
import Phone
import PhoneStore
import Secrets
import TestParties
import Testing

@testable import ApprovalPage

/// Leads the page through all its states, from the lock to what is past.
struct PageStates: Sendable {
    /// A bank with several accounts, which asks for a code. A visit brings several months of each, as two kinds of file.
    static let script = BankScript(
        MeridianSavings.bankID, named: "Meridian Savings", at: "https://bank.example",
        accounts: AccountList(names: .css(".account"), alias: "^[A-Za-z ]+")
    ) {
        Open("/login")
        Fill("Username", with: .username)
        Fill("Password", with: .password)
        Press("Sign in")
        // It needs no field of a page, which the scripted engine does not have.
        SecondFactor(
            SecondFactorStep(
                method: .captured(as: "code"), sources: [.person], limit: .seconds(120),
                question: "Enter the code that we sent to your telephone"))
    } forEachAccount: {
        Follow("{{ account_name }}")
    } forEachPeriod: {
        Download("PDF")
        Download("CSV", as: .csv)
    }

    /// The accounts as the bank's page names them, by the place of the script that finds them.
    private static let pageTexts = [
        "css “.account”": ["Everyday 4711", "Savings 0815", "Joint account of Ada and Charles 0816"]
    ]

    private let stage: PageStage

    init(_ stage: PageStage) { self.stage = stage }

    /// - Parameter look: is called in each state, with the state's name.
    func walk(_ look: @Sendable (String) async throws -> Void) async throws {
        let (driver, phone) = (stage.driver, stage.phone)
        phone.engine.tell { $0.texts = Self.pageTexts }
        try await look("unlock")
        try await driver.type("no passphrase of this phone", into: "#passphrase")
        try await driver.click("main form button")
        try await stage.wait(until: "document.querySelector('[role=alert]')", "the passphrase is refused")
        try await look("unlock-wrong")
        try await stage.unlock()
        try await stage.wait(for: "home.empty")
        try await look("inbox-empty")
        try await stage.open("/documents")
        try await look("documents-empty")

        let first = RequestID()
        try await stage.open("/ask")
        try await stage.wait(for: "ask.nothing-yet")
        try await look("ask")
        let reason = AgentReason(
            "For the tax return of 2025, as in https://accountant.example/what-we-need/2025/savings\u{202E}\nyes")
        try await phone.broker.offer([phone.envelope(id: first, reason: reason)])
        try await stage.open("/")
        try await stage.wait(for: "date.month", ["month": stage.sentences["month.january"], "year": "2026"])
        try await look("card-passphrase")
        try await driver.click("button.deny")
        try await stage.wait(for: "card.ends-in")
        try await look("card-denying")
        try await driver.click(".undo-denial")
        try await driver.type(TestPhone.passphrase.revealed() + "\u{E007}", into: "#p-\(first.short)")
        try await stage.wait(for: "question.asks", ["bank": "Meridian Savings"])
        try await look("question-code")
        try await driver.type("481516\u{E007}", into: "#answer")
        try await stage.wait(for: "status.completed")
        try await look("completed")
        try await stage.open("/ask")
        try await stage.wait(for: "ask.accounts")
        try await look("ask-accounts")

        try await stage.addPasskey()
        try await look("passkeys")
        try await knownPasskey(look)
        try await questions(look)
        try await unusual(look)
        try await many(look)
        for (path, name) in [
            ("/documents", "documents"), ("/banks", "banks"), ("/settings", "settings"), ("/devices", "devices"),
            ("/household", "household"), ("/clients", "clients"), ("/audit", "activity"), ("/history", "history"),
            ("/passphrase", "passphrase"), ("/forget", "forget"), ("/nowhere", "not-found"),
        ] {
            try await stage.open(path)
            try await stage.wait(for: "page.sign-out")
            try await look(name)
        }
        try await stage.open("/devices")
        try await driver.type(TestPhone.passphrase.revealed() + "\u{E007}", into: "#passphrase")
        try await driver.wait(for: "Ada’s old tablet")
        try await look("devices-listed")
        try await pairing(look)
        try await authenticator(look)
        try await addition(look)
        try await stage.open("/banks#c-default")
        try await look("bank-credentials")
        try await deletions(look)
        try await driver.open(stage.origin + "/")
        try await look("door")
        try await driver.open(stage.origin + "/offline.html" + stage.sentences.language.query)
        try await look("offline")
    }

    /// A device that has a passkey already: the browser makes no second one, and says so in English.
    private func knownPasskey(_ look: @Sendable (String) async throws -> Void) async throws {
        try await stage.fillPasskeyForm()
        try await stage.wait(for: "script.known-passkey")
        try await look("passkey-known")
    }

    /// The bank's questions of the other kinds: a picture, a choice, and a confirmation elsewhere. No request is behind them.
    private func questions(_ look: @Sendable (String) async throws -> Void) async throws {
        let drawing =
            "<svg xmlns='http://www.w3.org/2000/svg' width='160' height='60'><text x='20' y='40' font-size='32'>48 15 16</text></svg>"
        let kinds: [(String, String, Prompt.Kind)] = [
            (
                "picture", "Enter the digits of the picture",
                .code(picture: .init(bytes: Array(drawing.utf8), mediaType: "image/svg+xml"))
            ),
            (
                "choice", "How do you want to get your code?",
                .choice(["Text message to •••• 482", "The app on my telephone"])
            ), ("elsewhere", "Confirm this sign-in in the app", .confirmElsewhere),
        ]
        try await stage.open("/")
        let id = RequestID()
        await stage.server.state.begin(id)
        for (name, question, kind) in kinds {
            let prompt = Prompt(
                kind: kind, bankName: "Meridian Savings", question: question,
                deadline: Date().addingTimeInterval(120))
            await stage.server.state.ask(prompt, for: id)
            let asking = Task { try await stage.server.state.prompt.answer(prompt) }
            try await stage.wait(for: "question.asks", ["bank": "Meridian Savings"])
            try await look("question-\(name)")
            asking.cancel()
            _ = await asking.result
            try await stage.wait(until: "!document.querySelector('[data-question]')", "the question is gone")
        }
        await stage.server.state.end(id)
    }

    /// The authenticator: hidden, with a token that was refused, and with codes.
    private func authenticator(_ look: @Sendable (String) async throws -> Void) async throws {
        let driver = stage.driver
        try await stage.open("/authenticator")
        try await look("authenticator-hidden")
        try await driver.type("https://bank.example", into: "#a-uri")
        try await driver.type(TestPhone.passphrase.revealed(), into: "#a-phrase")
        try await driver.click("#add-token button[value=passphrase]")
        try await stage.wait(until: "document.querySelector('#add-token .status').textContent", "a word about it")
        try await look("authenticator-refused")
        for (issuer, secret) in [
            ("Meridian", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"), ("Other", "MFRGGZDFMZTWQ2LKMFRGGZDFMZTWQ2LK"),
        ] {
            try await stage.open("/authenticator")
            try await driver.type(
                "otpauth://totp/\(issuer)%20Savings:ada.lovelace?secret=\(secret)&issuer=\(issuer)%20Savings",
                into: "#a-uri")
            try await driver.type(TestPhone.passphrase.revealed(), into: "#a-phrase")
            try await driver.click("#add-token button[value=passphrase]")
            try await driver.wait(for: "\(stage.sentences["codes.added"]) \(issuer) Savings")
        }
        try await look("authenticator-codes")
    }

    /// Another device that is paired, from the code to the end.
    private func pairing(_ look: @Sendable (String) async throws -> Void) async throws {
        let driver = stage.driver
        try await stage.open("/devices")
        try await driver.type(TestPhone.passphrase.revealed(), into: "#a-phrase")
        try await driver.click("form[data-path='/devices/pair'] button[value=both]")
        try await stage.wait(for: "pair.run")
        try await look("pairing-code")
        let begun = await stage.server.state.begunPairing?.pairing
        let pairing = try #require(begun as? FakePagePairing)
        pairing.tell(.claimed(device: "Ada’s new tablet", words: "apple river stone cloud"))
        try await stage.wait(for: "pair.same")
        try await look("pairing-words")
        try await driver.click("#pairing-words button[value=yes]")
        try await stage.wait(for: "pair.confirmed")
        pairing.tell(.paired(name: "Ada’s new tablet"))
        try await stage.wait(for: "pair.to-devices")
        try await look("pairing-done")
    }

    /// A bank that is added: the choice of its script, one that is refused, and one that is read.
    private func addition(_ look: @Sendable (String) async throws -> Void) async throws {
        let driver = stage.driver
        try await stage.open("/banks/add")
        try await look("bank-add")
        try await driver.type("bank: [northern", into: "#add-text")
        try await driver.click("main form button.main")
        try await stage.wait(for: "add.refused")
        try await look("bank-add-refused")
        try await stage.open("/banks/add")
        // In one line: a field of several lines would indent what is typed.
        try await driver.type(
            #"{"bank": "northern", "name": "Northern Bank of the Long Name", "origins": ["https://banking.northern.example"], "#
                + #""steps": [{"open": "/login"}, {"fill": {"Username": "$username", "Password": "$password"}}, "#
                + #"{"press": "Sign in"}, {"download": "PDF"}]}"#, into: "#add-text")
        try await driver.click("main form button.main")
        try await stage.wait(for: "add.what")
        try await look("bank-add-read")
    }

    /// A bank on hold, a month that was fetched before, and a request that failed.
    private func unusual(_ look: @Sendable (String) async throws -> Void) async throws {
        let phone = stage.phone
        let store = await stage.server.state.store
        let version = try await store.credentialsVersion(forBank: MeridianSavings.bankID)
        try await store.record(
            .refused(.accountLocked), ofBank: MeridianSavings.bankID, credentials: version, request: RequestID(),
            at: Date())
        phone.engine.tell { $0.pressError = .init(.notFound, "the bank's page has no button “Sign in”") }
        let id = RequestID()
        try await phone.broker.offer([phone.envelope(id: id), phone.envelope(bank: "other", month: 6)])
        try await stage.open("/")
        try await stage.wait(for: "caution.fetched-already")
        try await stage.wait(for: "home.refused")
        try await look("card-passkey-hold")
        try await stage.driver.click("#h-\(id.short)")
        try await cancelledPasskey(look)
        try await stage.driver.click("[data-passkey=approve]")
        try await stage.wait(for: "status.failed")
        try await look("failed")
        try await stage.open("/requests/\(id)/report")
        try await stage.wait(for: "report.title")
        try await look("report")
    }

    /// A passkey that the person does not confirm: of that, too, the browser's own words are English.
    private func cancelledPasskey(_ look: @Sendable (String) async throws -> Void) async throws {
        _ = try await stage.driver.evaluate(
            """
            const words = "The operation either timed out or was not allowed.";
            navigator.credentials.get = () => Promise.reject(new DOMException(words, "NotAllowedError"));
            """)
        try await stage.driver.click("[data-passkey=approve]")
        try await stage.wait(for: "script.not-changed")
        try await look("card-passkey-cancelled")
        _ = try await stage.driver.evaluate("delete navigator.credentials.get;")
    }

    /// Two deletions: of the copies of documents, and of the passkey.
    private func deletions(_ look: @Sendable (String) async throws -> Void) async throws {
        let driver = stage.driver
        try await stage.open("/documents")
        try await driver.click("#no-copies summary")
        try await driver.click("#no-copies button")
        try await stage.wait(for: "documents.deleted")
        try await look("documents-deleted")
        try await stage.open("/passkeys")
        try await driver.click(".slots li:last-child details:last-of-type summary")
        try await driver.click(".remove-slot button[value=passkey]")
        try await stage.wait(for: "passkeys.removed", ["removed": "My telephone"])
        try await look("passkey-removed")
    }

    /// A year that an agent wants, a quarter of two accounts, a year of two accounts as an offer, and a program that asks to
    /// become an agent.
    private func many(_ look: @Sendable (String) async throws -> Void) async throws {
        let phone = stage.phone
        let months = (1...12).compactMap { MonthYear(month: $0, year: 2025) }
        let selection = try #require(DocumentSelection(periods: months, kinds: [.csv, .pdf]))
        let agent = try #require(AgentName("bookkeeping-assistant"))
        let accounts = ["Savings", "Joint account of Ada and Charles"].compactMap(AccountAlias.init)
        let offered = DocumentsRequest(
            from: months[0], to: months[11], kinds: [.csv, .pdf], accounts: accounts)
        let offer = DocumentOffer(
            bankID: MeridianSavings.bankID, offered, agent: agent, createdAt: Timestamp(Date()),
            expiresAt: Timestamp(Date().addingTimeInterval(86_400)))
        try await phone.broker.offer([envelope(selection, from: agent)])
        await phone.broker.list([offer])
        try await stage.open("/")
        try await stage.driver.wait(for: "Joint account of Ada and Charles")
        try await stage.wait(for: "subject.many", ["count": "24"])
        try await look("card-year")
        let quarter = try #require(DocumentSelection(accounts: accounts, periods: Array(months.prefix(3))))
        try await phone.broker.offer([envelope(quarter, from: agent)])
        try await stage.wait(for: "subject.many", ["count": "6"])
        try await look("card-accounts")
        try await receive(quarter)
        await phone.broker.offer([])
        await phone.broker.list(clients: try Self.clients().json)
        await phone.broker.list(devices: [
            [
                "device_id": "0c6f3a4e-6f0a-4a39-9f1e-5d6b7c8d9e0f", "device_name": "Ada’s old tablet",
                "last_seen_at": "2026-05-01T10:00:00.000Z",
            ]
        ])
    }

    /// A page of a household, with every setting that has a form.
    static var configuration: PageServerConfiguration {
        var configuration = TestPhone.pageConfiguration
        configuration.pairings = FakePairings()
        configuration.household = FakeHousehold(
            [
                .statements: "/home/robin/Documents/Statements",
                .template: "{{ bank }}/{{ account }}/{{ year }}/{{ period }} statement",
                .contact: "mailto:robin@provider.net", .paperless: "https://paperless.home.example",
            ], credentials: [.paperlessToken, .webhook, .webhookKey])
        // Its scripts are read here and not added, so it needs no phone.
        let banks = FakeBanks(in: PhoneHome(FileManager.default.temporaryDirectory))
        banks.show(
            ScriptsAtHand(
                scripts: [
                    ScriptAtHand(key: "bank:starling", bankID: "starling", name: "Starling Bank", kind: .ready),
                    ScriptAtHand(
                        key: "collection:neighbours:north.yaml", bankID: "north-savings",
                        name: "North Savings and Loan", kind: .collected(in: "neighbours")),
                ], distantCollections: ["public-scripts"]))
        configuration.banks = banks
        return configuration
    }

    private func envelope(_ selection: DocumentSelection, from agent: AgentName) throws -> JSONValue {
        let now = stage.phone.clock.now
        let envelope = RequestEnvelope(
            bankID: MeridianSavings.bankID, subject: .documents(selection), issuedAt: Timestamp(now),
            approvalExpiresAt: Timestamp(now.addingTimeInterval(300)), client: agent)
        return envelope.signed(with: try FakeBroker.secret()).json
    }

    /// Has the phone know documents as if it had fetched them, for the list by bank and year.
    private func receive(_ selection: DocumentSelection) async throws {
        let store = await stage.server.state.store
        let id = RequestID()
        for (number, place) in selection.places.enumerated() {
            try await store.remember(
                ReceivedDocument(
                    requestID: id, name: "\(number)", bankID: MeridianSavings.bankID, place: place,
                    sha256: String(repeating: "0", count: 64), receivedAt: Date(), isKept: false))
        }
    }

    private static func clients() throws -> ClientList {
        let waiting = WaitingClient(
            id: RequestID(), name: "Bookkeeping of Ada", clientID: "https://books.example/client.json",
            returnsTo: "https://books.example/back", expiresAt: Timestamp(Date().addingTimeInterval(600)))
        let allowed = AllowedClient(
            agent: try #require(AgentName("taxes")), name: "Taxes", returnsTo: "http://127.0.0.1/back",
            limits: ClientLimits(banks: nil, kinds: [.pdf], perDay: 1), allowedAt: Timestamp(Date()), usedAt: nil)
        return ClientList(waiting: [waiting], allowed: [allowed])
    }
}

extension PageState {
    /// Shows a run as if an approved one had begun.
    func begin(_ id: RequestID) { observe(id, .executing) }
    func ask(_ prompt: Prompt, for id: RequestID) { take(.run(id, .secondFactor(.asked(prompt)))) }
    func end(_ id: RequestID) { observe(id, .failed) }
}
