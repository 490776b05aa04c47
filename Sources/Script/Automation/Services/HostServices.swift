import BankScript
import Clocks
import Foundation
import Secrets

/// The services that a run needs from the program around it. A script never sees them. A new provider needs no change to
/// the interpreter.
public struct HostServices: Sendable {
    public var credentials: any CredentialProvider
    public var secondFactor: any SecondFactorProvider
    /// The providers that were plugged in, by the name that a script's `from:` gives.
    public var codeSources: [SecondFactorStep.Source: any SecondFactorProvider] = [:]
    /// The sources of documents that a bank's file may name.
    public var sources: [SourceName: any DocumentSource] = [:]
    public var memory: any SourceMemory = NoSourceMemory()
    /// Keeps what a bank gives in exchange for a credential. Without it nothing is exchanged, and ``credentials`` has to have all.
    public var grants: (any GrantStore)?
    /// Keeps the cookies by which a bank knows this device. Without it, each visit is a device that the bank has not seen.
    public var devices: (any DeviceMemory)?
    public var consents: any ConsentBook = NoConsents()
    public var requests: any RequestCounter = UncountedRequests()
    public var person: any HumanPrompt
    public var downloads: any DownloadSink
    public var observer: any RunObserver
    public var clock: any RunClock
    /// Every step passes this gate before it begins, except the steps of `finally`.
    public var gate: any StepGate
    /// The one-time codes in a row that the bank refused in earlier runs. They count against those that a step may send.
    public var codesRefusedBefore = 0

    public init(
        credentials: any CredentialProvider, secondFactor: any SecondFactorProvider = NoSecondFactor(),
        person: any HumanPrompt, downloads: any DownloadSink, observer: any RunObserver = SilentObserver(),
        clock: any RunClock = SystemClock(), gate: any StepGate = OpenGate()
    ) {
        self.credentials = credentials
        self.secondFactor = secondFactor
        self.person = person
        self.downloads = downloads
        self.observer = observer
        self.clock = clock
        self.gate = gate
    }

    /// Tells the observer, unless it is silent.
    package func tell(_ event: @autoclosure () -> RunEvent) {
        if !observer.isSilent { observer.observe(event()) }
    }
}

/// Provides the person's credentials for one run.
public protocol CredentialProvider: Sendable {
    /// - Parameter name: `username`, `password`, or another name that the script uses.
    /// - Returns: nil when the person has stored no credential of that name for that bank.
    func credential(named name: String, forBank bankID: String) async throws -> Secret?

    /// The remedy for a missing credential, e.g. “store it: countersign phone setup”. The end of an error
    /// message; nil by default.
    var adviceForMissing: String? { get }
}

extension CredentialProvider {
    public var adviceForMissing: String? { nil }
}

/// Answers a bank's request for a code without asking the person, e.g. from a TOTP vault.
public protocol SecondFactorProvider: Sendable {
    /// - Returns: nil when no token is linked to the bank; then the person is asked.
    func code(for challenge: SecondFactorChallenge) async throws -> Secret?
}

/// A bank's request for a code.
public struct SecondFactorChallenge: Sendable, Hashable {
    public var bankID: String
    public var bankName: String
    /// The issuer or account of the token, when the script names one.
    public var token: String?
    /// When the bank, or the script, stops waiting.
    public var deadline: Date

    public init(bankID: String, bankName: String, token: String? = nil, deadline: Date) {
        self.bankID = bankID
        self.bankName = bankName
        self.token = token
        self.deadline = deadline
    }
}

/// No vault: the person is always asked.
public struct NoSecondFactor: SecondFactorProvider {
    public init() {}

    public func code(for challenge: SecondFactorChallenge) async throws -> Secret? { nil }
}

/// The way to ask the person: a terminal, or a page on the phone.
public protocol HumanPrompt: Sendable {
    /// Shows the prompt and waits for the answer. The caller cancels the task at the prompt's deadline.
    ///
    /// - Returns: the text that the person typed or picked; an empty secret for ``Prompt/Kind/confirmElsewhere``, which has
    ///   no answer and lasts until it is cancelled.
    func answer(_ prompt: Prompt) async throws -> Secret
}

/// Decides where a download is stored.
public protocol DownloadSink: Sendable {
    /// Returns a file URL in an existing folder. No file may exist at that path.
    func destination() async throws -> URL
}

/// Stores downloads in one folder, each under a new name.
public struct FolderSink: DownloadSink {
    public let folder: URL

    public init(_ folder: URL) {
        self.folder = folder
    }

    public func destination() async throws -> URL {
        folder.appending(path: "\(UInt64.random(in: 0 ... .max)).pdf", directoryHint: .notDirectory)
    }
}
