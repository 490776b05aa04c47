import Automation
import BankScript
import DefaultBank
import DeviceTrust
import FileKinds
import FinTS
import Inbox
import Messages
import Notifications
import Synchronization

/// The plug-ins of one program, in order.
public struct Plugins: Sendable {
    public let all: [Plugin]

    /// The plug-ins that every program has: the bank script that ships. The engines `html` and `browser`, and the sources
    /// `vault` and `person`, are built in.
    public static let standard = Plugins([
        .shippedScript,
        .documentSource { FinTSSource(certificateAuthority: $0.certificateAuthority) },
    ])

    public init(_ all: [Plugin]) {
        self.all = all
    }

    public static func + (some: Plugins, more: [Plugin]) -> Plugins { Plugins(some.all + more) }

    /// The plug-ins of this program. ``install()`` sets them once, before any command runs.
    package static var current: Plugins { installed.withLock { $0 } }

    /// The plug-ins that Countersign does not ship.
    package var ofOthers: [Plugin] { all.filter { $0.module != Self.ownModule } }

    private static let installed = Mutex(Plugins.standard)

    /// Makes these the plug-ins of this program.
    ///
    /// - Throws: ``PluginError`` when two of one kind have one name, or when a name cannot stand in a script.
    package func install() throws(PluginError) {
        try check()
        Self.installed.withLock { $0 = self }
    }

    func check() throws(PluginError) {
        var seen: [String: Plugin] = [:]
        var kinds = FileKind.standard
        for plugin in all {
            for name in plugin.names {
                try check(plugin, named: name)
                let other = seen.updateValue(plugin, forKey: "\(plugin.kind.words) \(name)")
                guard let other, !plugin.mayReplace(other) else { continue }
                throw PluginError(
                    plugin, name,
                    "has that name in \(plugin.module), and another one in \(other.module); leave one out")
            }
            if case .fileKind(let kind) = plugin.part {
                if let problem = kind.problem(beside: kinds) { throw PluginError(plugin, plugin.name, problem) }
                kinds.append(kind)
            }
        }
        try checkScripts()
    }

    /// Checks the scripts that are compiled in as lint checks a file. They need no acceptance, so without this only a visit would
    /// show that they name what is not plugged in.
    private func checkScripts() throws(PluginError) {
        for plugin in ofOthers {
            guard case .script(let script) = plugin.part,
                let finding = ScriptLint.findings(in: script(), plugged: names)
                    .first(where: { ScriptLint.pluginRules.contains($0.rule) })
            else { continue }
            throw PluginError(plugin, plugin.name, "cannot run in this program: \(finding.message)")
        }
    }

    private func check(_ plugin: Plugin, named name: String) throws(PluginError) {
        guard plugin.kind != .script else {
            guard BankIdentifier.isValid(name) else {
                throw PluginError(plugin, name, "is not a bank's identifier; \(BankIdentifier.hint)")
            }
            return
        }
        guard PluginName.isValid(name) else {
            throw PluginError(
                plugin, name, "is not a name; use small letters, digits and hyphens, \(PluginName.longest) at most")
        }
        guard !Self.builtIn(plugin.kind).contains(name) else {
            throw PluginError(plugin, name, "is the name of one that is built in; give it another")
        }
        // A line of a script has one step, so a part beside it with a step's name would end each script that has that step.
        let steps = names.steps.names
        if case .step(let step) = plugin.part, let part = step.companions.first(where: { steps.contains($0.name) }) {
            throw PluginError(
                plugin, name, "has a part “\(part.name)”, which is the name of a step; give the part another")
        }
    }

    /// The names of a kind that need no plug-in.
    package static func builtIn(_ kind: Plugin.Kind) -> [String] {
        switch kind {
        case .script: []
        case .engine: ScriptEngine.standard.map(\.rawValue)
        case .codeSource: SecondFactorStep.Source.standard.map(\.rawValue)
        case .credentials: ["vault", "program"]
        case .documentSource: [SourceName.web.rawValue]
        case .step: StepList.standard.names
        case .channel: ["telegram", "webhook", "web-push", "apns", "desktop"]
        case .inbox: ["folder"]
        case .deviceKey: ["vault"]
        case .fileKind: (DocumentKind.standard.map { FileKind($0) } + [.zip]).map(\.rawValue)
        }
    }

    /// This module, from which the standard plug-ins come.
    fileprivate static let ownModule = String(#fileID.prefix { $0 != "/" })

    // MARK: By kind

    /// The compiled scripts. When two are for the same bank, the later one counts.
    package var scripts: [BankScript] {
        all.compactMap { if case .script(let script) = $0.part { script() } else { nil } }
    }

    package func engine(_ name: ScriptEngine) -> Plugin.EngineStart? {
        for plugin in all where plugin.name == name.rawValue {
            if case .engine(let start) = plugin.part { return start }
        }
        return nil
    }

    package var codeSources: [SecondFactorStep.Source: any SecondFactorProvider] {
        var sources: [SecondFactorStep.Source: any SecondFactorProvider] = [:]
        for plugin in all {
            if case .codeSource(let provider) = plugin.part, let source = SecondFactorStep.Source(rawValue: plugin.name)
            {
                sources[source] = provider
            }
        }
        return sources
    }

    /// Returns the sources of documents, by the name that a bank's file gives.
    package func sources(_ settings: EngineSettings) -> [SourceName: any DocumentSource] {
        var sources: [SourceName: any DocumentSource] = [:]
        for plugin in all {
            if case .documentSource(let rule, let start) = plugin.part { sources[rule.source] = start(settings) }
        }
        return sources
    }

    package var channels: [NamedChannel] {
        all.compactMap { plugin in
            if case .channel(let channel) = plugin.part { NamedChannel(plugin.name, channel) } else { nil }
        }
    }

    package var credentials: [String: any CredentialProvider] {
        var providers: [String: any CredentialProvider] = [:]
        for plugin in all {
            if case .credentials(let provider) = plugin.part { providers[plugin.name] = provider }
        }
        return providers
    }

    package var inboxes: [NamedInbox] {
        all.compactMap { plugin in
            if case .inbox(let way) = plugin.part { NamedInbox(plugin.name, way) } else { nil }
        }
    }

    package var deviceKeys: [String: any DeviceKeyMaker] {
        var makers: [String: any DeviceKeyMaker] = [:]
        for plugin in all {
            if case .deviceKey(let maker) = plugin.part { makers[plugin.name] = maker }
        }
        return makers
    }

    private var steps: [any StepDescription.Type] {
        all.compactMap { plugin -> (any StepDescription.Type)? in
            if case .step(let step) = plugin.part { step } else { nil }
        }
    }

    /// The names that a script may call for.
    package var names: PluggedNames {
        PluggedNames(
            engines: ScriptEngine.standard
                + all.filter { $0.kind == .engine }.compactMap { ScriptEngine(rawValue: $0.name) },
            codeSources: SecondFactorStep.Source.standard
                + all.filter { $0.kind == .codeSource }.compactMap { SecondFactorStep.Source(rawValue: $0.name) },
            sources: all.compactMap { plugin in
                if case .documentSource(let rule, _) = plugin.part { rule } else { nil }
            }, steps: .standard + steps,
            kinds: DocumentKind.standard
                + all.compactMap { if case .fileKind(let kind) = $0.part { kind.document } else { nil } })
    }
}

extension Plugin {
    /// The names by which it is called for: a step may have several.
    fileprivate var names: [String] {
        if case .step(let step) = part, !step.names.isEmpty { step.names } else { [name] }
    }

    /// Returns whether it may take the other's place: an own bank's script that of the fictitious bank that ships.
    fileprivate func mayReplace(_ other: Plugin) -> Bool {
        kind == .script && name == MeridianSavings.bankID && other.module == Plugins.ownModule
    }
}

/// A list of plug-ins that no program can have.
public struct PluginError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ plugin: Plugin, _ name: String, _ problem: String) {
        description = "the \(plugin.kind.words) “\(name)” \(problem)"
    }
}

extension Plugin.Kind {
    /// The kind as a person calls it.
    package var words: String {
        switch self {
        case .script: "script"
        case .engine: "engine"
        case .codeSource: "source of codes"
        case .credentials: "credential provider"
        case .documentSource: "source of documents"
        case .channel: "channel"
        case .inbox: "inbox"
        case .deviceKey: "device key"
        case .step: "step"
        case .fileKind: "file kind"
        }
    }
}
