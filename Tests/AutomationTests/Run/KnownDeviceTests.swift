import Authoring
import Automation
import BankScript
import CurlClient
import Foundation
import HTMLAutomation
import MockBank
import Secrets
import TestCases
import TestSupport
import Testing

@Suite("A bank that knows the device")
struct KnownDeviceTests {
    private static let login = ["username": "robin.ashdown", "password": "correct horse"]
    private static let parameters: [String: ParameterValue] = ["month": 1, "year": 2026]

    private static func script() throws -> BankScript {
        let file = Repository.file("BankScripts/DefaultBank/Variants/known-device.yaml")
        return try BankScript(yaml: try String(contentsOf: file, encoding: .utf8), file: "known-device.yaml")
    }

    /// Visits the bank, and returns whether a code was asked for.
    private static func visit(
        _ bank: MockBankServer, _ script: BankScript, keeping devices: any DeviceMemory,
        credentials: [String: String] = login
    ) async throws -> Bool {
        let steps = StepLog()
        var services = HostServices(
            credentials: TestCredentials(values: credentials), person: TestPerson(code: "123456"),
            downloads: FolderSink(FileManager.default.temporaryDirectory), observer: steps)
        services.devices = devices
        let runner = ScriptRunner(services: services, limit: .seconds(30)) { try HTMLNavigationEngine(for: $0) }
        let document = try await runner.run(script, parameters: parameters)
        try FileManager.default.removeItem(at: document.file)
        return steps.words.contains { $0.hasPrefix("✓ second factor") }
    }

    @Test("asks for the code at the first visit, at none after it, and again once it is forgotten")
    func visits() async throws {
        var configuration = MockBankConfiguration()
        configuration.scenario = .knownDevice
        configuration.today = Date(timeIntervalSince1970: 1_795_000_000)
        let bank = try await MockBankServer.start(configuration)
        defer { Task { await bank.stop() } }
        let script = try Self.script().served(at: bank.url, isForTesting: true)
        let devices = MemoryDevices()
        #expect(try await Self.visit(bank, script, keeping: devices))
        let first = try #require(try await devices.device(atBank: script.id))
        #expect(first.cookies.map(\.name) == ["meridian_device"] && first.origins == [bank.url])
        #expect(try await !Self.visit(bank, script, keeping: devices))
        // The bank gives it another value at each visit.
        let second = try #require(try await devices.device(atBank: script.id))
        #expect(!first.cookies[0].value.isEqual(to: second.cookies[0].value))
        #expect(try await !Self.visit(bank, script, keeping: devices))
        try await devices.keep(nil, atBank: script.id)
        #expect(try await Self.visit(bank, script, keeping: devices))
        // Without the names, nothing outlives a visit.
        var forgetful = script
        forgetful.device = []
        let none = MemoryDevices()
        #expect(try await Self.visit(bank, forgetful, keeping: none))
        #expect(try await none.device(atBank: script.id) == nil)
    }

    // MARK: Where it goes

    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func cookie(
        _ name: String = "dev", domain: String = "bank.example", subdomains: Bool = false, lives: TimeInterval? = 1000
    ) -> DeviceCookie {
        DeviceCookie(
            name: name, value: Secret("value of \(name)"), domain: domain, includesSubdomains: subdomains,
            expiresAt: lives.map { now.addingTimeInterval($0) })
    }

    @Test(
        "is kept where the bank lets it last and the script may go",
        arguments: [
            (cookie(), true), (cookie(lives: nil), false), (cookie(lives: -1), false),
            (cookie(domain: "other.example"), false), (cookie(domain: "k.example"), false),
            (cookie(domain: "example"), false), (cookie(domain: "example", subdomains: true), true),
        ])
    func kept(cookie: DeviceCookie, isKept: Bool) {
        #expect((KnownDevice([cookie], origins: ["https://bank.example"], at: Self.now) != nil) == isKept)
    }

    @Test("is no longer kept than browsers keep a cookie")
    func longest() throws {
        let device = try #require(
            KnownDevice([Self.cookie(lives: 1e10)], origins: ["https://bank.example"], at: Self.now))
        #expect(device.cookies[0].expiresAt == Self.now.addingTimeInterval(400 * 86_400))
    }

    @Test(
        "goes to the origins alone that were the script's when the bank set it",
        arguments: [
            (["dev"], ["https://bank.example"], true), (["other"], ["https://bank.example"], false),
            (["dev"], ["https://elsewhere.example"], false),
            (["dev"], ["https://bank.example", "https://evil.bank.example"], false),
            (["dev"], ["https://bank.example", "https://elsewhere.example"], true),
            (["dev"], ["https://bank.example:8443"], false), (["dev"], [], false),
        ])
    func origins(names: [String], origins: [String], goes: Bool) throws {
        let cookie = Self.cookie(subdomains: true)
        let device = try #require(KnownDevice([cookie], origins: ["https://bank.example"], at: Self.now))
        let again = try #require(KnownDevice(device.sealed))
        for device in [device, again] {
            #expect(device.cookies(named: names, to: origins, at: Self.now).count == (goes ? 1 : 0))
            #expect(device.cookies(named: names, to: origins, at: Self.now.addingTimeInterval(1001)).isEmpty)
        }
    }

    @Test("is read from the vault as it was sealed, and from nothing else")
    func sealed() throws {
        var cookie = Self.cookie("__Host-dev")
        (cookie.path, cookie.isSecure, cookie.isHTTPOnly, cookie.sameSite) = ("/in", true, true, "lax")
        let device = try #require(KnownDevice([cookie], origins: ["https://bank.example"], at: Self.now))
        let again = try #require(KnownDevice(device.sealed))
        #expect(again.sealed.isEqual(to: device.sealed))
        #expect(again.cookies[0].value.isEqual(to: cookie.value) && again.cookies[0].sameSite == "lax")
        for text in ["", "[]", "{}", #"{"origins":[],"cookies":[]}"#, #"{"origins":[],"cookies":[{"name":"a"}]}"#] {
            #expect(KnownDevice(Secret(text)) == nil)
        }
    }

    // MARK: Out of sight

    /// Keeps a device, and refuses to give or take one.
    private struct BrokenMemory: DeviceMemory {
        struct Broken: Error {}
        func device(atBank bankID: String) async throws -> KnownDevice? { throw Broken() }
        func keep(_ device: KnownDevice?, atBank bankID: String) async throws { throw Broken() }
    }

    @Test("fails no visit where it cannot be kept")
    func unkept() async throws {
        var configuration = MockBankConfiguration()
        configuration.scenario = .knownDevice
        configuration.today = Date(timeIntervalSince1970: 1_795_000_000)
        let bank = try await MockBankServer.start(configuration)
        defer { Task { await bank.stop() } }
        let script = try Self.script().served(at: bank.url, isForTesting: true)
        #expect(try await Self.visit(bank, script, keeping: BrokenMemory()))
    }

    private static let value = "Plover-device-60417-Whimbrel"

    @Test("stands in no trace, archive or message, in whatever spelling the bank echoes it", arguments: [200, 500])
    func canary(status: Int) async throws {
        let spellings = [
            Self.value, String(Self.value.reversed()), Data(Self.value.utf8).base64EncodedString(),
            Self.value.uppercased(),
        ]
        let echo = spellings.map { "<p>\($0)</p>" }.joined()
        let set = HTTPHeader("Set-Cookie", "dev=\(Self.value); Max-Age=10000; Path=/")
        let bank = StagedBank(
            cookies: [
                HTTPCookie(
                    name: "dev", value: Self.value, domain: "bank.example",
                    expires: Int(Date().timeIntervalSince1970) + 10_000)
            ]
        ) { line, _ in
            if line.hasPrefix("GET /doc") { return .pdf() }
            var page = StagedBank.Answer.page(
                "\(echo)<a href=/b?k=\(Self.value)>Next</a>", status: line == "GET /" ? 200 : status)
            page.headers = [set, HTTPHeader("X-Echo", Self.value)]
            return page
        }
        let yaml =
            StagedRun.head + """
                device: [dev]
                steps:
                  - open: /
                  - follow: Next
                  - expect: { says: Plover }
                  - download: { request: { GET: /doc } }

                """
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let script = try BankScript(yaml: yaml, file: "canary.yaml")
        let recorder = TraceRecorder(script, source: yaml, mask: Mask(keepsDigits: true))
        var services = HostServices(
            credentials: TestCredentials(values: [:]), person: TestPerson(), downloads: FolderSink(folder.url),
            observer: recorder)
        let devices = MemoryDevices()
        services.devices = devices
        let engine = EngineConfiguration(transport: bank) { recorder.record($0) }
        let runner = ScriptRunner(services: services) { script in
            recorder.watching(try HTMLNavigationEngine(for: script, configuration: engine))
        }
        var words = ""
        do {
            let document = try await runner.run(script, parameters: ["month": 3, "year": 2026])
            try FileManager.default.removeItem(at: document.file)
        } catch let error as RunFailure {
            words = "\(error) \(error.bankWords ?? "") \(error.page?.url ?? "") \(error.candidates)"
        }
        // Kept at the end of a visit that failed, too.
        #expect(
            try await devices.device(atBank: script.id)?.cookies.first?.value.isEqual(to: Secret(Self.value)) == true)
        try Trace(recorder).write(to: folder.appending("trace"))
        var texts = [("the failure", words)]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
            guard let text = try? String(contentsOf: folder.appending(name), encoding: .utf8) else { continue }
            texts.append((name, text))
        }
        #expect(texts.count > 3)
        for (name, text) in texts {
            for spelling in spellings where text.contains(spelling) {
                Issue.record("\(name) has the cookie of the device as \(spelling)")
            }
        }
    }

    @Test(
        "is captured by no step",
        arguments: [
            "{ id: { cookie: dev } }", "{ id: { header: Set-Cookie } }", "{ id: { cookie: dev, secret: true } }",
        ])
    func captured(capture: String) async throws {
        let bank = StagedBank(cookies: [HTTPCookie(name: "dev", value: Self.value, domain: "bank.example")]) {
            line, _ in
            line.hasPrefix("GET /doc") ? .pdf() : .page("hello")
        }
        let run = try await StagedRun.perform(
            """
            device: [dev]
            steps:
              - open: /
              - capture: \(capture)
              - download: { request: { GET: "/doc/{{ id }}" } }
            """, at: bank)
        #expect(run.failure?.message.contains("a cookie of the device is a credential") == true)
        #expect(bank.seen.map(\.line) == ["GET /"])
    }
}
