import Foundation
import TestSupport
import Testing

@testable import HouseholdCommands

@Suite("Settings")
struct SettingTests {
    @Test("a secret's value is dots, and a default is named as one")
    func dots() throws {
        let shown = Setting.shown(
            ["BROKER_PORT": "9000"], ["BROKER_PORT": "9000", "BROKER_API_TOKEN": "a secret"], source: "environment")
        let port = try #require(shown.first { $0.name == "BROKER_PORT" })
        #expect(port == Setting.Shown(name: "BROKER_PORT", value: "9000", source: "environment"))
        let token = try #require(shown.first { $0.name == "BROKER_API_TOKEN" })
        #expect(token.value == "••••••••" && token.source == "countersign up")
        let host = try #require(shown.first { $0.name == "BROKER_HOST" })
        #expect(host == Setting.Shown(name: "BROKER_HOST", value: "127.0.0.1", source: "default"))
        #expect(!shown.contains { $0.name == "BROKER_TLS_CERT" })
        let all = Setting.shown([:], [:], source: "environment", withUnset: true)
        #expect(all.map(\.name) == Setting.all.map(\.name))
        #expect(
            all.first { $0.name == "BROKER_TLS_CERT" }
                == Setting.Shown(name: "BROKER_TLS_CERT", value: "", source: "not set"))
    }
}

@Suite("countersign config")
struct ConfigCommandTests {
    @Test("every variable of the broker's help is known")
    func complete() async throws {
        let help = try await CountersignProcess(["help", "broker", "serve"]).run().output
        let names = Set(help.matches(of: /\b(?:BROKER|TELEGRAM|PHONE|ICLOUD)_[A-Z_]+\b/).map { String($0.0) })
        #expect(names.count > 30)
        #expect(names.subtracting(Setting.all.map(\.name)).isEmpty)
    }

    @Test("check reads a file of variables and a service's credentials, and names what is wrong")
    func check() async throws {
        let setup = try BrokenSetup()
        try setup.write(
            "broker.env",
            "# a comment\nBROKER_DEFAULT_DEVICE=off\nICLOUD_INBOX_PATH=\"\(setup.inbox.path)\"\nBROKER_PROT=1\n")
        let file = setup.folder.appending("broker.env").path
        let missing = try await CountersignProcess(["config", "check", "--no-telegram", "--file", file]).run()
        #expect(missing.status == 2 && missing.output.contains("✗ BROKER_API_TOKEN is not set"), "\(missing)")
        #expect(missing.output.contains("! BROKER_PROT is not a variable of Countersign; did you mean BROKER_PORT?"))
        for name in ["BROKER_API_TOKEN", "BROKER_SEALING_SECRET"] {
            try setup.write(name, "0123456789abcdef0123456789abcdef\n")
        }
        let whole = try await CountersignProcess([
            "config", "check", "--no-telegram", "--file", file, "--credentials", setup.folder.url.path,
        ]).run()
        #expect(whole.status == 0 && whole.output.contains("✓ a broker can start"), "\(whole)")
        try setup.write("broker.env", "BROKER_PORT 1\n")
        let wrong = try await CountersignProcess(["config", "check", "--file", file]).run()
        #expect(wrong.status == 2 && wrong.errors.contains("broker.env:1: the line must be NAME=VALUE"), "\(wrong)")
    }

    @Test("show prints values and sources, and no secret")
    func show() async throws {
        let setup = try BrokenSetup()
        let outcome = try await CountersignProcess(["config", "show"], environment: setup.environment).run()
        #expect(outcome.status == 0)
        #expect(outcome.output.contains(/BROKER_API_TOKEN +•{8}  \(environment\)/))
        #expect(outcome.output.contains(/BROKER_HOST +127\.0\.0\.1  \(default\)/))
        #expect(!outcome.output.contains("0123456789abcdef"))
    }
}
