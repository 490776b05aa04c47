import Automation
import BankScript
import DefaultBank
import DeviceTrust
import FileKinds
import Inbox
import Notifications

/// One thing that a program adds to Countersign: a bank's script, an engine that shows pages, a source of codes, of
/// credentials or of documents, a channel that tells the owner, a way for documents, a place for the device key, a step of
/// the language, or a kind of files.
///
/// Put it into the program's list: `Countersign.main(with: .standard + [.script(MyBank.script)])`.
public struct Plugin: Sendable {
    /// The kind of thing that a plug-in adds.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case script
        case engine
        case codeSource = "code-source"
        case credentials = "credential-provider"
        case documentSource = "document-source"
        case channel
        case inbox
        case deviceKey = "device-key"
        case step
        case fileKind = "file-kind"
    }

    /// Starts an engine for one run of a script.
    public typealias EngineStart = @Sendable (BankScript, EngineSettings) async throws -> any NavigationEngine

    /// Makes a source of documents for one command.
    public typealias DocumentSourceStart = @Sendable (EngineSettings) -> any DocumentSource

    enum Part: Sendable {
        /// Made when it is looked at: most commands need no script that is compiled in.
        case script(@Sendable () -> BankScript)
        case engine(EngineStart)
        case codeSource(any SecondFactorProvider)
        case credentials(any CredentialProvider)
        case documentSource(SourceRule, DocumentSourceStart)
        case channel(any OwnerChannel)
        case inbox(any InboxWay)
        case deviceKey(any DeviceKeyMaker)
        case step(any PerformedStep.Type)
        case fileKind(FileKind)
    }

    public var kind: Kind {
        switch part {
        case .script: .script
        case .engine: .engine
        case .codeSource: .codeSource
        case .credentials: .credentials
        case .documentSource: .documentSource
        case .channel: .channel
        case .inbox: .inbox
        case .deviceKey: .deviceKey
        case .step: .step
        case .fileKind: .fileKind
        }
    }
    /// The name by which it is called for: a bank's identifier, or a name in scripts, see ``PluginName``.
    public let name: String
    /// The version that its author gives; nil when none is given.
    public let version: String?
    /// The module whose code named it, such as `MyBank`.
    public let module: String
    let part: Part

    private init(_ name: String, _ version: String?, _ file: String, _ part: Part) {
        self.name = name
        self.version = version
        module = String(file.prefix { $0 != "/" })
        self.part = part
    }

    /// A bank's script, compiled in. It needs no acceptance: who builds the program has read it.
    public static func script(_ script: BankScript, version: String? = nil, in file: String = #fileID) -> Plugin {
        Plugin(script.id, version, file, .script { script })
    }

    /// The script that ships.
    static let shippedScript = Plugin(MeridianSavings.bankID, nil, #fileID, .script { MeridianSavings.script })

    /// An engine that shows pages, for scripts that say `engine: NAME`.
    ///
    /// - Parameter start: makes the engine for one run. It receives what the script fills in, credentials too, but not the vault.
    public static func engine(
        _ name: String, version: String? = nil, in file: String = #fileID, start: @escaping EngineStart
    ) -> Plugin {
        Plugin(name, version, file, .engine(start))
    }

    /// A source of one-time codes, for scripts that say `from: [NAME, person]`. It learns the bank's name and the deadline,
    /// and nothing of the session.
    public static func codeSource(
        _ name: String, _ provider: any SecondFactorProvider, version: String? = nil, in file: String = #fileID
    ) -> Plugin {
        Plugin(name, version, file, .codeSource(provider))
    }

    /// A source of credentials, for `countersign phone banks program --provider NAME`. It learns the bank's id and the credential's
    /// name, after an approval, once in a visit.
    public static func credentials(
        _ name: String, _ provider: any CredentialProvider, version: String? = nil, in file: String = #fileID
    ) -> Plugin {
        Plugin(name, version, file, .credentials(provider))
    }

    /// A source of documents that is not a bank's pages, for files that say `source: NAME`, with the name in its rule.
    ///
    /// - Parameter start: makes the source for one command. It receives credentials and codes, but not the vault.
    public static func documentSource<Source: DocumentSource>(
        version: String? = nil, in file: String = #fileID, start: @escaping @Sendable (EngineSettings) -> Source
    ) -> Plugin {
        Plugin(Source.rule.source.rawValue, version, file, .documentSource(Source.rule, { start($0) }))
    }

    /// A channel that tells the owner of requests, besides Telegram and the page's notifications.
    public static func channel(
        _ name: String, _ channel: any OwnerChannel, version: String? = nil, in file: String = #fileID
    ) -> Plugin {
        Plugin(name, version, file, .channel(channel))
    }

    /// A way for documents from the phone to the broker, around the standard inbox and those before it in the list. Both programs
    /// need it. It receives signed files, and not the secret that signs.
    public static func inbox(
        _ name: String, _ way: any InboxWay, version: String? = nil, in file: String = #fileID
    ) -> Plugin {
        Plugin(name, version, file, .inbox(way))
    }

    /// A place that keeps the key with which a phone signs approvals, for `countersign phone pair --key NAME`. It receives what
    /// is to be signed, and nothing else of the phone.
    public static func deviceKey(
        _ name: String, _ maker: any DeviceKeyMaker, version: String? = nil, in file: String = #fileID
    ) -> Plugin {
        Plugin(name, version, file, .deviceKey(maker))
    }

    /// A step for scripts, under the first of its names. It receives the open page and the values that the script gives it.
    public static func step(
        _ step: any PerformedStep.Type, version: String? = nil, in file: String = #fileID
    ) -> Plugin {
        Plugin(step.names.first ?? "", version, file, .step(step))
    }

    /// A kind of files. `Countersign.main(with:fileKinds:)` takes it apart from the list: the process that reads foreign files has
    /// the kinds, and makes no other plug-in.
    package static func fileKind(_ kind: FileKind) -> Plugin {
        Plugin(kind.rawValue, kind.origin?.version, kind.origin?.file ?? #fileID, .fileKind(kind))
    }
}
