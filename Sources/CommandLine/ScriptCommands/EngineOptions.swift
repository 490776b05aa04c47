import ArgumentParser
import Automation
import BankScript
import BrowserAutomation
import CountersignPlugins
import HTMLAutomation
import Secrets
import Synchronization
import Terminal

extension ScriptEngine: ExpressibleByArgument {}

/// The engine that runs a script.
struct EngineOptions: ParsableArguments {
    enum Choice: ExpressibleByArgument, Hashable {
        case engine(ScriptEngine)
        case auto

        static let html = Choice.engine(.html)
        static let browser = Choice.engine(.browser)

        init?(argument: String) {
            if argument == "auto" {
                self = .auto
            } else if let engine = ScriptEngine(rawValue: argument), Plugins.current.names.engines.contains(engine) {
                self = .engine(engine)
            } else {
                return nil
            }
        }

        static var allValueStrings: [String] { Plugins.current.names.engines.map(\.rawValue) + ["auto"] }

        var name: String { if case .engine(let engine) = self { engine.rawValue } else { "auto" } }

        /// The engine that begins.
        var first: ScriptEngine { if case .engine(let engine) = self { engine } else { .html } }
    }

    @Option(
        help: """
            The engine: html; browser, which is Chromium with JavaScript; or auto, which begins with html and changes to \
            browser if the bank needs JavaScript before any credential was given. By default, the script's own.
            """)
    var engine: Choice?

    @Flag(help: "Show the browser's window.")
    var headed = false

    @Flag(
        help: """
            Sign in with your own hands in the browser's window. The script opens its first page, waits for you, and goes on \
            after its own sign-in; it needs no credentials.
            """)
    var attach = false

    @Flag(help: .sharedNetwork)
    var sharedNetwork = false

    func validate() throws {
        if headed, engine == .html { throw ValidationError("--headed needs --engine browser") }
        if attach, let engine, engine != .browser { throw ValidationError("--attach needs --engine browser") }
    }

    /// - Throws: ``CommandFailure`` with status 2 when the script cannot run on the engine that was asked for.
    func choice(for script: BankScript) throws -> Choice {
        let choice = engine ?? (headed || attach ? .browser : .engine(script.engine))
        guard choice == .browser || !script.printsPage else {
            throw CommandFailure(
                "the script prints a page, which only the browser can; leave out --engine \(choice.name)", status: 2
            )
        }
        return choice
    }

    /// Starts an engine for a script.
    func start(
        _ engine: ScriptEngine, for script: BankScript, _ configuration: EngineConfiguration,
        _ watch: BrowserWatch = BrowserWatch()
    ) async throws -> any NavigationEngine {
        try await engine.start(
            for: script, configuration, watch, isHeaded: headed || attach, sharesNetwork: sharedNetwork)
    }
}

extension ArgumentHelp {
    package static let sharedNetwork: ArgumentHelp = """
        Let the browser use this machine's network, for systems that allow it no separate one. Other users of the \
        machine can then take over the browser, and run programs as you.
        """
}

extension ScriptEngine {
    /// Starts an engine for a script.
    package func start(
        for script: BankScript, _ configuration: EngineConfiguration, _ watch: BrowserWatch = BrowserWatch(),
        isHeaded: Bool = false, sharesNetwork: Bool
    ) async throws -> any NavigationEngine {
        switch self {
        case .html: return try HTMLNavigationEngine(for: script, configuration: configuration)
        case .browser:
            return try await BrowserNavigationEngine.start(
                for: script,
                configuration: .init(
                    certificateAuthority: configuration.certificateAuthority, isHeaded: isHeaded,
                    sharesNetwork: sharesNetwork, pictures: watch.pictures, console: watch.console,
                    observer: configuration.observer))
        default:
            guard let start = Plugins.current.engine(self) else {
                let names = Plugins.current.names.engines.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure("no engine “\(rawValue)” is plugged in; the engines are: \(names)", status: 2)
            }
            return try await start(
                script,
                EngineSettings(
                    certificateAuthority: configuration.certificateAuthority, isHeaded: isHeaded,
                    sharesNetwork: sharesNetwork))
        }
    }
}

/// Credentials that remember whether any was given.
final class WatchedCredentials: CredentialProvider {
    private let credentials: any CredentialProvider
    private let given = Mutex(false)

    init(_ credentials: any CredentialProvider) {
        self.credentials = credentials
    }

    var wereGiven: Bool { given.withLock { $0 } }
    var adviceForMissing: String? { credentials.adviceForMissing }

    func credential(named name: String, forBank bankID: String) async throws -> Secret? {
        given.withLock { $0 = true }
        return try await credentials.credential(named: name, forBank: bankID)
    }
}
