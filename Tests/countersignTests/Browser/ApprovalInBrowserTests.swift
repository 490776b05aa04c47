import ApprovalPage
import Automation
import Broker
import BrokerClient
import DefaultBank
import Foundation
import HTMLAutomation
import Machine
import MockBank
import Phone
import PhoneStore
import Secrets
import Signer
import Synchronization
import TestParties
import TestSupport
import Testing

/// A request from start to end with a browser: real bank, broker, phone and inbox, and a passkey in Chromium.
// Serialised: each test has a Chromium of its own, and two at once exceed the tests' time limits on two cores.
@Suite("The approval page in Chromium", .serialized)
struct ApprovalInBrowserTests {
    private static let passphrase = "a passphrase for the browser"
    private static let login = ["username": Secret("robin.ashdown"), "password": Secret("canary-horse-battery-17")]
    private static let agentToken = Secret("agent-canary-77e1b2c3d4")
    private static let phoneToken = Secret("phone-canary-88f1b2c3d4")
    private static let sharedSecret = Secret("shared-canary-0123456789abcdef0123456789abcdef")

    private struct Stage: Sendable {
        let home: URL
        let bank: MockBankServer
        let broker: String
        let origin: String
        /// The address that the terminal prints.
        let address: String
        /// The folder of the browser's pages.
        let page: Box
        let driver: WebDriver
        let agent: AgentClient
    }

    /// A text that is known only once the browser is there.
    private final class Box: Sendable {
        private let text = Mutex("")

        var value: String {
            get { text.withLock { $0 } }
            set { text.withLock { $0 = newValue } }
        }
    }

    @Test(
        "a passkey is created, approves and denies; a code is answered on the page; the request is COMPLETED",
        .needsChromedriver,
        .timeLimit(.minutes(3)))
    func wholeRoad() async throws {
        try await staged { stage in
            let driver = stage.driver
            try await driver.open(stage.origin)
            try await driver.wait(for: "Code from the terminal")
            try await driver.open(stage.address)
            try await driver.wait(for: "Unlock with passphrase")
            let page = try await driver.evaluate("return location.href").stringValue ?? ""
            #expect(page.hasPrefix(stage.origin + "/at/") && !page.contains("code"))
            stage.page.value = String(page.dropLast())
            try await shoot(stage, "1-unlock")
            try await driver.type(Self.passphrase, into: "#passphrase")
            try await driver.click("main form button")
            try await driver.wait(for: "No request waits for you")

            try await addPasskey(stage)
            try await approve(stage)
            try await deny(stage)
            try await signInAgain(stage)
            try await changePassphrase(stage)
        }
    }

    private func addPasskey(_ stage: Stage) async throws {
        try await stage.driver.open(stage.page.value + "/passkeys")
        try await stage.driver.type("My telephone", into: "#name")
        try await stage.driver.type(Self.passphrase, into: "#open")
        let store = try PhoneDatabase(PhoneHome(stage.home.appending(path: "phone")))
        let code = try await store.makeTerminalCode(for: .addPasskey, lifetime: 60)
        try await stage.driver.type(code.text.revealed(), into: "#code")
        try await stage.driver.click("#add-passkey button")
        try await stage.driver.wait(for: "Passkey · added")
        try await shoot(stage, "2-passkeys")
    }

    private func approve(_ stage: Stage) async throws {
        let driver = stage.driver
        try await driver.open(stage.page.value)
        let asked = try await stage.agent.requestStatement(month: 1, year: 2026)
        // Server-sent events update the page without a reload.
        try await driver.wait(for: "January 2026")
        try await driver.click("#d-\(asked.id.short) summary")
        try await driver.wait(for: asked.id.description)
        try await shoot(stage, "3-request")
        try await driver.click("[data-passkey=approve]")
        try await driver.wait(for: "Meridian Savings asks")
        try await shoot(stage, "4-question")
        try await driver.type("123456", into: "#answer")
        try await driver.click("[data-question] button")
        try await driver.wait(for: "Completed")
        try await shoot(stage, "5-completed")
        var state = try await stage.agent.request(asked.id)
        while !state.status.isTerminal { state = try await stage.agent.request(asked.id, wait: 30) }
        #expect(state.status == .completed)
        #expect(state.filePath != nil)
        for path in ["", "/history", "/audit", "/passkeys"] {
            try await driver.open(stage.page.value + path)
            let source = try await driver.source()
            for canary in ["canary", "correct horse", Self.passphrase] { #expect(!source.contains(canary), "\(path)") }
        }
        try await shoot(stage, "6-audit", path: "/audit")
    }

    private func deny(_ stage: Stage) async throws {
        try await stage.driver.open(stage.page.value)
        let asked = try await stage.agent.requestStatement(month: 2, year: 2026)
        try await stage.driver.wait(for: "February 2026")
        try await stage.driver.click("button.deny")
        try await stage.driver.wait(for: "Will be denied in")
        try await stage.driver.click(".undo-denial")
        #expect(try await stage.agent.request(asked.id).status == .pendingApproval, "a denial can be undone")
        try await stage.driver.click("button.deny")
        try await stage.driver.wait(for: "Denied")
        #expect(try await stage.agent.request(asked.id).status == .denied)
        try await shoot(stage, "7-denied")
    }

    private func signInAgain(_ stage: Stage) async throws {
        try await stage.driver.click("header form button")
        try await stage.driver.wait(for: "Unlock with Face ID or passkey")
        try await stage.driver.click("[data-passkey=sign-in]")
        try await stage.driver.wait(for: "Lately")
    }

    private func changePassphrase(_ stage: Stage) async throws {
        let driver = stage.driver
        try await driver.open(stage.page.value + "/passphrase")
        for (field, text) in [("now", Self.passphrase), ("new", "a new passphrase"), ("again", "a new passphrasf")] {
            try await driver.type(text, into: "#\(field)")
        }
        try await driver.click(".vault-form button[value=both]")
        try await driver.wait(for: "The two new passphrases differ")
        try await driver.type("\u{E003}e", into: "#again")
        try await driver.click(".vault-form button[value=both]")
        try await driver.wait(for: "opens the vault from now on")
        try await shoot(stage, "8-passphrase")
        let vault = PhoneHome(stage.home.appending(path: "phone")).vault
        try await vault.open(passphrase: Secret("a new passphrase")).close()
        // The passkey that confirmed goes on.
        try await signInAgain(stage)
    }

    /// Takes a screenshot, but only if `COUNTERSIGN_SCREENSHOTS` names a folder.
    private func shoot(_ stage: Stage, _ name: String, path: String? = nil) async throws {
        guard let folder = ProcessInfo.processInfo.environment["COUNTERSIGN_SCREENSHOTS"] else { return }
        if let path { try await stage.driver.open(stage.page.value + path) }
        for (width, height) in [(1280, 800), (390, 844)] {
            try await stage.driver.resize(width: width, height: height)
            try await stage.driver.screenshot(
                to: URL(filePath: folder).appending(path: "\(name)-\(width)x\(height).png"))
        }
    }

    // MARK: The stage

    private func staged(_ body: @escaping @Sendable (Stage) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let home = folder.url
        let inbox = home.appending(path: "inbox")
        try PrivateFolder.make(inbox)
        var bankConfiguration = MockBankConfiguration()
        bankConfiguration.usesTLS = true
        bankConfiguration.password = Self.login["password"]?.revealed() ?? ""
        let bank = try await MockBankServer.start(bankConfiguration)
        let driver = WebDriver()
        try await driver.start()
        try await driver.addAuthenticator()
        let outcome: Result<Void, any Error>
        do {
            try await withBroker(home, inbox) { broker in
                let server = try await phone(home, inbox, bank, broker)
                let (pages, report) = AsyncStream.makeStream(of: OpenedPage.self)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await server.run { report.yield($0) } }
                    var iterator = pages.makeAsyncIterator()
                    guard let page = await iterator.next() else { throw CancellationError() }
                    let agent = AgentClient(baseURL: broker, token: Self.agentToken)
                    defer { group.cancelAll() }
                    let stage = Stage(
                        home: home, bank: bank, broker: broker, origin: page.origin, address: page.address.revealed(),
                        page: Box(), driver: driver, agent: agent)
                    let outcome: Result<Void, any Error>
                    do { outcome = .success(try await body(stage)) } catch { outcome = .failure(error) }
                    // Servers wait for open connections, so close the browser's and the agent's.
                    await driver.stop()
                    await agent.close()
                    try outcome.get()
                }
            }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await driver.stop()
        await bank.stop()
        try outcome.get()
    }

    private func withBroker(_ home: URL, _ inbox: URL, _ body: @escaping @Sendable (String) async throws -> Void)
        async throws
    {
        let configuration = BrokerConfiguration(
            agentToken: Self.agentToken, phoneToken: Self.phoneToken,
            sharedSecret: try SharedSecret(Self.sharedSecret), inbox: inbox,
            database: home.appending(path: "broker.sqlite"), port: 0)
        try await LoopbackBroker.serve(configuration) { port in try await body("http://127.0.0.1:\(port)") }
    }

    private func phone(_ home: URL, _ inbox: URL, _ bank: MockBankServer, _ broker: String) async throws -> PageServer {
        let phoneHome = PhoneHome(home.appending(path: "phone"))
        let connection = try PhoneConnection(
            brokerURL: broker, token: Self.phoneToken, sharedSecret: Self.sharedSecret, inbox: inbox.path)
        try await PhoneSetup(home: phoneHome, connection: connection, bankID: "default", credentials: Self.login)
            .apply(passphrase: Secret(Self.passphrase))
        let authority = home.appending(path: "bank-authority.pem")
        try AtomicFile.write(Array((bank.authorityPEM ?? "").utf8), to: authority)
        let engine = EngineConfiguration(certificateAuthority: authority)
        let services = PhoneServices(
            scripts: ScriptRegistry([MeridianSavings.script.served(at: bank.url, isForTesting: true)]),
            person: NobodyElse(), servesTestBank: true
        ) { try HTMLNavigationEngine(for: $0, configuration: engine) }
        return try PageServer(
            home: phoneHome, services: services,
            configuration: PageServerConfiguration(port: 0, refreshInterval: .milliseconds(200)))
    }
}

/// Fails every question that does not come through the page.
private struct NobodyElse: HumanPrompt {
    func answer(_ prompt: Prompt) async throws -> Secret { throw CancellationError() }
}
