import Automation
import BankScript
import DefaultBank
import DeviceTrust
import Encodings
import FileKinds
import Messages
import Secrets
import Testing

@testable import CountersignPlugins

/// A step that does nothing, to be plugged in under the names of its type.
private protocol IdleStep: PerformedStep {
    init()
}

extension IdleStep {
    static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [Self] { [Self()] }

    static func schema(of name: String) -> JSONValue { ["const": true] }
    var written: YAMLText { .bare("true") }
    var json: JSONValue { .object([Self.names[0]: true]) }
    func words(filling filled: (Template) -> String) -> String { "do nothing" }
    func check(in lint: inout ScriptLint, at mark: Mark?) {}
    func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {}
}

private struct OneStep: IdleStep {
    static let names = ["one", "one-more"]
}

private struct OtherStep: IdleStep {
    static let names = ["other", "one-more"]
}

private struct SecondNameStep: IdleStep {
    static let names = ["fine", "press"]
}

private struct PartStep: IdleStep {
    static let names = ["parted"]
    static let companions = [StepCompanion("one-more", schema: ["const": true])]
}

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

    @Test("only one own script may take the place of the fictitious bank")
    func replacedTwice() {
        let own = Self.script(MeridianSavings.script.id)
        let error = #expect(throws: PluginError.self) {
            try (Plugins.standard + [.script(own, in: "A/a.swift"), .script(own, in: "B/b.swift")]).check()
        }
        #expect(error?.description == "the script “default” has that name in B, and another one in A; leave one out")
    }

    @Test("a compiled script that names what is not plugged in is refused with the names there are")
    func unpluggedNames() throws {
        let engine = try #require(ScriptEngine(rawValue: "files"))
        let gateway = try #require(SecondFactorStep.Source(rawValue: "gateway"))
        var script = BankScript("mine", named: "Bank", at: "https://bank.example", engine: engine) {
            Download("PDF")
        }
        let noEngine = #expect(throws: PluginError.self) { try (Plugins.standard + [.script(script)]).check() }
        #expect(
            noEngine?.description
                == "the script “mine” cannot run in this program: no engine “files” is plugged in; the engines are: html, browser"
        )
        try (Plugins.standard + [.script(script), Self.engine("files")]).check()
        script = BankScript("mine", named: "Bank", at: "https://bank.example") {
            SecondFactor("TAN", from: gateway, within: .seconds(60))
            Download("PDF")
        }
        let noSource = #expect(throws: PluginError.self) { try (Plugins.standard + [.script(script)]).check() }
        #expect(noSource?.description.contains("“gateway”") == true, "\(noSource?.description ?? "")")
        try (Plugins.standard + [.script(script), .codeSource("gateway", Source())]).check()
        script = BankScript("mine", named: "Bank", at: "https://bank.example") { Download("PDF") }
        script.steps.insert(Step(Action(OneStep())), at: 0)
        let noStep = #expect(throws: PluginError.self) { try (Plugins.standard + [.script(script)]).check() }
        #expect(noStep?.description.contains("no step “one” is plugged in; the steps are: open") == true)
        try (Plugins.standard + [.script(script), .step(OneStep.self)]).check()
    }

    @Test("each name of a step is its own, and none of its parts is called as a step is")
    func stepNames() throws {
        try (Plugins.standard + [.step(OneStep.self)]).check()
        for (step, words) in [
            (
                SecondNameStep.self as any PerformedStep.Type,
                "the step “press” is the name of one that is built in; give it another"
            ),
            (
                OtherStep.self,
                "the step “one-more” has that name in B, and another one in CountersignPluginsTests; leave one out"
            ),
            (
                PartStep.self,
                "the step “parted” has a part “one-more”, which is the name of a step; give the part another"
            ),
        ] {
            let error = #expect(throws: PluginError.self) {
                try (Plugins.standard + [.step(OneStep.self), .step(step, in: "B/b.swift")]).check()
            }
            #expect(error?.description == words)
        }
    }

    private static func fileKind(_ name: String, _ ending: String, in file: String = "Mine/a.swift") -> Plugin {
        .fileKind(
            FileKind(
                DocumentKind(name, mediaType: "application/vnd.\(name)", fileExtension: ending), words: "a file",
                version: "1.0", in: file, isMarked: { _ in false }, check: { _ throws(FileRefusal) in [] }))
    }

    @Test("a kind of files has a name and an ending of its own, and scripts may name it")
    func fileKinds() throws {
        let plugins = Plugins.standard + [Self.fileKind("mine", "mine")]
        try plugins.check()
        #expect(plugins.names.kinds.map(\.rawValue).suffix(2) == ["json", "mine"])
        let added = try #require(plugins.ofOthers.first)
        #expect(added.kind == .fileKind && added.module == "Mine" && added.version == "1.0")
        for (kind, words) in [
            (Self.fileKind("pdf", "mine"), "the file kind “pdf” is the name of one that is built in; give it another"),
            (Self.fileKind("zip", "mine"), "the file kind “zip” is the name of one that is built in; give it another"),
            (Self.fileKind("Mine", "mine"), "the file kind “Mine” is not a name"),
            (Self.fileKind("mine", "sta"), "the file kind “mine” has the ending “sta”, which belongs to mt940"),
            (Self.fileKind("other", "first"), "the file kind “other” has the ending “first”, which belongs to first"),
            (
                Self.fileKind("first", "other", in: "Other/a.swift"),
                "the file kind “first” has that name in Other, and another one in Mine; leave one out"
            ),
        ] {
            let error = #expect(throws: PluginError.self) {
                try (Plugins.standard + [Self.fileKind("first", "first"), kind]).check()
            }
            #expect(error?.description.hasPrefix(words) == true, "\(error?.description ?? "")")
        }
    }

    @Test("a compiled script that names a kind which is not plugged in is refused with the kinds there are")
    func unpluggedKind() throws {
        let mine = DocumentKind("mine", mediaType: "application/vnd.mine", fileExtension: "mine")
        let script = BankScript("mine", named: "Bank", at: "https://bank.example") { Download("Export", as: mine) }
        let error = #expect(throws: PluginError.self) { try (Plugins.standard + [.script(script)]).check() }
        #expect(error?.description.contains("no kind of document “mine” is plugged in; the kinds are: pdf") == true)
        try (Plugins.standard + [.script(script), Self.fileKind("mine", "mine")]).check()
    }
}
