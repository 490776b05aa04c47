import Automation
import BankScript
import Foundation
import MockBank
import Secrets
import TestCases
import TestSupport
import Testing

@testable import BrowserAutomation

/// A new profile at each visit knows nothing of the visit before, but for the cookies that the script names.
@Suite("A bank that knows the device, in the browser", .serialized)
struct DeviceInBrowserTests {
    @Test(
        "asks for the code at the first visit, at none after it, and again once it is forgotten", .needsChromedriver,
        .timeLimit(.minutes(4)))
    func visits() async throws {
        let file = Repository.file("BankScripts/DefaultBank/Variants/known-device.yaml")
        var script = try BankScript(yaml: try String(contentsOf: file, encoding: .utf8), file: "known-device.yaml")
        script.engine = .browser
        var configuration = MockBankConfiguration()
        configuration.scenario = .knownDevice
        configuration.today = Date(timeIntervalSince1970: 1_795_000_000)
        let bank = try await MockBankServer.start(configuration)
        defer { Task { await bank.stop() } }
        let there = script.served(at: bank.url, isForTesting: true)
        let devices = MemoryDevices()
        func visit() async throws -> Bool {
            let steps = StepLog()
            var services = HostServices(
                credentials: TestCredentials(values: ["username": "robin.ashdown", "password": "correct horse"]),
                person: TestPerson(code: "123456"), downloads: FolderSink(FileManager.default.temporaryDirectory),
                observer: steps)
            services.devices = devices
            let runner = ScriptRunner(services: services) { try await BrowserNavigationEngine.start(for: $0) }
            let document = try await runner.run(there, parameters: ["month": 1, "year": 2026])
            try FileManager.default.removeItem(at: document.file)
            return steps.words.contains { $0.hasPrefix("✓ second factor") }
        }
        #expect(try await visit())
        let device = try #require(try await devices.device(atBank: script.id))
        let cookie = try #require(device.cookies.first)
        #expect(device.cookies.count == 1 && cookie.name == "meridian_device" && cookie.isHTTPOnly)
        #expect(cookie.sameSite == "lax" && !cookie.includesSubdomains)
        #expect(try await !visit())
        let next = try #require(try await devices.device(atBank: script.id)?.cookies.first)
        #expect(!next.value.isEqual(to: cookie.value))
        try await devices.keep(nil, atBank: script.id)
        #expect(try await visit())
    }

    @Test(
        "goes to its host alone, or to the hosts below it where the bank said so", .needsChromedriver,
        .timeLimit(.minutes(3)))
    func scope() async throws {
        let page: @Sendable (String) -> String? = { _ in "<title>Bank</title>" }
        try await BrowserVisit.run(page: page) { engine, origin in
            let end = Date(timeIntervalSinceNow: 10_000)
            try await engine.put([
                DeviceCookie(
                    name: "own", value: Secret("only-here-11"), domain: "localhost", path: "/in", expiresAt: end),
                DeviceCookie(
                    name: "wide", value: Secret("also-below-22"), domain: "bank.example", includesSubdomains: true,
                    isSecure: true, isHTTPOnly: true, sameSite: "strict", expiresAt: end),
            ])
            try await engine.open(origin + "/")
            let found = try await engine.deviceCookies(named: ["own", "wide", "other"]).sorted { $0.name < $1.name }
            #expect(found.map(\.name) == ["own", "wide"])
            #expect(found.map(\.domain) == ["localhost", "bank.example"])
            #expect(found.map(\.includesSubdomains) == [false, true])
            #expect(found.map(\.path) == ["/in", "/"])
            #expect(found.map(\.isSecure) == [false, true] && found.map(\.isHTTPOnly) == [false, true])
            #expect(found.last?.sameSite == "strict")
            #expect(found[0].value.isEqual(to: Secret("only-here-11")))
            for cookie in found { #expect(abs((cookie.expiresAt ?? .distantPast).timeIntervalSince(end)) < 2) }
        }
    }
}
