import Automation
import BankScript
import DefaultBank
import DeviceTrust
import Secrets
import Testing

@testable import CountersignPlugins

@Suite("The plug-ins of a program")
struct PluginsTests {
    private struct Source: SecondFactorProvider {
        func code(for challenge: SecondFactorChallenge) async throws -> Secret? { nil }
    }

    private struct Credentials: CredentialProvider {
        func credential(named name: String, forBank bankID: String) async throws -> Secret? { nil }
    }

    private struct Keys: DeviceKeyMaker {
        func make() async throws -> MadeDeviceKey { throw NoEngine() }
        func key(_ reference: Secret) async throws -> any DeviceKey { throw NoEngine() }
    }

    private struct NoEngine: Error {}

    private static func script(_ id: String) -> BankScript {
        BankScript(id, named: "Bank", at: "https://bank.example") { Download("PDF") }
    }

    private static func engine(_ name: String, in file: String = "Mine/main.swift") -> Plugin {
        .engine(name, in: file) { _, _ in throw NoEngine() }
    }

    @Test("are found by kind and name")
    func found() throws {
        let plugins =
            Plugins.standard + [
                .script(Self.script("mine"), version: "1.0"), Self.engine("files"), .codeSource("gateway", Source()),
                .deviceKey("tpm", Keys()),
                .credentials("service", Credentials()),
            ]
        #expect(plugins.scripts.map(\.id) == [MeridianSavings.script.id, "mine"])
        #expect(plugins.names.engines.map(\.rawValue) == ["html", "browser", "files"])
        #expect(plugins.names.codeSources.map(\.rawValue) == ["vault", "person", "gateway"])
        #expect(try plugins.engine(#require(ScriptEngine(rawValue: "files"))) != nil)
        #expect(plugins.engine(.html) == nil)
        #expect(plugins.codeSources.keys.map(\.rawValue) == ["gateway"])
        #expect(Array(plugins.credentials.keys) == ["service"])
        #expect(Array(plugins.deviceKeys.keys) == ["tpm"])
        let mine = try #require(plugins.all.first { $0.name == "mine" })
        #expect(mine.module == "CountersignPluginsTests" && mine.version == "1.0")
        #expect(plugins.names.sources.map(\.source) == [.fints])
        #expect(Array(plugins.sources(EngineSettings()).keys) == [.fints])
    }

    @Test("cannot have two of one kind and name")
    func twice() {
        let plugins = Plugins.standard + [Self.engine("files", in: "A/a.swift"), Self.engine("files", in: "B/b.swift")]
        let error = #expect(throws: PluginError.self) { try plugins.install() }
        #expect(error?.description == "the engine “files” has that name in B, and another one in A; leave one out")
    }

    @Test(
        "have names that scripts can say",
        arguments: [
            ("Files", "small letters"), ("", "small letters"), ("html", "built in"), ("browser", "built in"),
        ])
    func names(_ name: String, _ words: String) {
        let error = #expect(throws: PluginError.self) { try (Plugins.standard + [Self.engine(name)]).install() }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test("may not take the vault's place as the keeper of the device key")
    func vault() {
        let error = #expect(throws: PluginError.self) {
            try (Plugins.standard + [.deviceKey("vault", Keys())]).check()
        }
        #expect(error?.description == "the device key “vault” is the name of one that is built in; give it another")
    }

    @Test("an own script may take the place of the fictitious bank, but not of another one")
    func replaced() throws {
        let own = Self.script(MeridianSavings.script.id)
        try (Plugins.standard + [.script(own)]).check()
        #expect((Plugins.standard + [.script(own)]).scripts.last?.digest == own.digest)
        #expect(throws: PluginError.self) {
            try (Plugins.standard + [.script(Self.script("mine")), .script(Self.script("mine"))]).check()
        }
        #expect(throws: PluginError.self) { try (Plugins.standard + [.script(Self.script("Not An Id"))]).check() }
    }
}
