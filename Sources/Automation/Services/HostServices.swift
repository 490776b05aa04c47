import Clocks
import Foundation
import Secrets

/// What a run needs from the program around it. A script never sees these; a new one is added without touching the
/// interpreter.
public struct HostServices: Sendable {
    public var credentials: any CredentialProvider
    public var secondFactor: any SecondFactorProvider
    public var person: any HumanPrompt
    public var downloads: any DownloadSink
    public var observer: any RunObserver
    public var clock: any RunClock
    /// Every step but those of `finally` passes here before it begins.
    public var gate: any StepGate

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

    /// Tells the observer, if there is somebody to tell.
    func tell(_ event: @autoclosure () -> RunEvent) {
        if !observer.isSilent { observer.observe(event()) }
    }
}

/// Gives out the person's credentials for one run.
public protocol CredentialProvider: Sendable {
    /// - Parameter name: `username`, `password`, or what else the script names.
    /// - Returns: nil when the person has stored none of that name for that bank.
    func credential(named name: String, forBank bankID: String) async throws -> Secret?
}

/// Answers a bank's request for a code without asking the person: a TOTP vault.
public protocol SecondFactorProvider: Sendable {
    /// - Returns: nil when no token is linked to the bank; then the person is asked.
    func code(for challenge: SecondFactorChallenge) async throws -> Secret?
}

/// Whom a code is for.
public struct SecondFactorChallenge: Sendable, Hashable {
    public var bankID: String
    public var bankName: String
    /// The issuer or account of the token that the script names, if it names one.
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

/// Where the person is: a terminal, a page on the phone.
public protocol HumanPrompt: Sendable {
    /// Shows the prompt and waits for the answer. The caller cancels the task at the prompt's deadline.
    ///
    /// - Returns: what the person typed or picked; an empty secret for ``Prompt/Kind/confirmElsewhere``, which has no
    ///   answer and lasts until it is cancelled.
    func answer(_ prompt: Prompt) async throws -> Secret
}

/// A question to the person.
public struct Prompt: Sendable {
    public enum Kind: Sendable {
        /// A code; the picture, if any, is shown beside the question.
        case code(picture: Picture?)
        /// One of these.
        case choice([String])
        /// The person approves in the bank's own app; nothing is typed here.
        case confirmElsewhere
    }

    public struct Picture: Sendable {
        public var bytes: [UInt8]
        public var mediaType: String

        public init(bytes: [UInt8], mediaType: String) {
            self.bytes = bytes
            self.mediaType = mediaType
        }
    }

    public var kind: Kind
    public var bankName: String
    /// What the bank or the script says, sanitised.
    public var question: String
    public var deadline: Date

    public init(kind: Kind, bankName: String, question: String, deadline: Date) {
        self.kind = kind
        self.bankName = bankName
        self.question = question
        self.deadline = deadline
    }
}

/// Where a download is put.
public protocol DownloadSink: Sendable {
    /// A file URL in an existing folder; nothing may be at that path.
    func destination(forBank bankID: String, parameters: [String: Int]) async throws -> URL
}

/// Downloads into one folder, each under a fresh name.
public struct FolderSink: DownloadSink {
    public let folder: URL

    public init(_ folder: URL) {
        self.folder = folder
    }

    public func destination(forBank bankID: String, parameters: [String: Int]) async throws -> URL {
        folder.appending(path: "\(UInt64.random(in: 0 ... .max)).pdf", directoryHint: .notDirectory)
    }
}
