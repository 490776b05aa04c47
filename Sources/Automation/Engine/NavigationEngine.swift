import BankScript
import Foundation
import JSON
import Secrets
import Selectors

/// A browser, as the interpreter needs it: pages and what is on them, in the language of locators.
///
/// `HTMLNavigationEngine` is the first implementation; a real browser behind W3C WebDriver would be another, with the
/// same scripts.
///
/// Each method that changes the page returns when the new page is there. All of them throw ``EngineError``.
public protocol NavigationEngine: Sendable {
    /// Where a run on this engine is best done, such as on the thread that its exchanges are made on; nil for anywhere.
    var executor: (any TaskExecutor)? { get }
    /// What keeps one thing after the other here: a run that does the same needs no switch between the two. Nil where
    /// nothing does.
    var isolation: (any Actor)? { get }

    func open(_ reference: String) async throws
    func follow(_ link: Locator) async throws
    func fill(_ field: Locator, with input: EngineInput) async throws
    func choose(_ option: String, in list: Locator) async throws
    func check(_ box: Locator, _ isOn: Bool) async throws
    func press(_ button: Locator) async throws
    /// Submits the form that owns the field, with the form's default button.
    func submit(formOf field: Locator) async throws
    func enter(frame: Locator) async throws
    func reload() async throws
    /// Goes back to the page before.
    func back() async throws

    /// What each of the things says that the locator finds, in document order; none is an answer, not an error.
    func texts(_ locator: Locator) async throws -> [String]
    /// What each row of a table or a list says, but for rows of headers.
    func rows() async throws -> [String]
    /// What the one thing that the locator finds says, as a person reads it.
    func text(of locator: Locator) async throws -> String
    func attribute(_ name: String, of locator: Locator) async throws -> String?
    /// The picture that an `img` shows.
    func picture(_ image: Locator) async throws -> Prompt.Picture
    /// What the page says about itself.
    func glimpse() async -> EnginePage?
    /// The session's cookies, in the jar's order.
    func cookies() async -> [(name: String, value: String)]
    /// The page itself, and what the locator finds on it; nil when no page is open, or none can be shown.
    func snapshot(outlining locator: Locator?) async -> PageSnapshot?

    func request(_ request: EngineRequest) async throws -> EngineAnswer
    func download(_ source: EngineDownload, to file: URL, limit: Int) async throws -> EngineFile
    func close() async
}

extension NavigationEngine {
    public var executor: (any TaskExecutor)? { nil }
    public var isolation: (any Actor)? { nil }

    public func rows() async throws -> [String] { try await texts(.css("tr:has(td), li, [role=row]")) }

    public func back() async throws {
        throw EngineError(.refused, "this browser does not go back; open the page again")
    }

    public func snapshot(outlining locator: Locator?) async -> PageSnapshot? { nil }
}

/// What is typed into a field.
public enum EngineInput: Sendable {
    case text(String)
    case secret(Secret)
}

/// A JSON exchange.
public struct EngineRequest: Sendable {
    public var method: String
    public var reference: String
    public var headers: [(name: String, value: EngineInput)]
    public var body: EngineBody?
}

/// A JSON body, some of whose leaves are secret.
public indirect enum EngineBody: Sendable {
    case input(EngineInput)
    case number(Double)
    case bool(Bool)
    case null
    case array([EngineBody])
    case object([String: EngineBody])
}

public struct EngineAnswer: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var json: JSONValue?

    public init(status: Int, headers: [(name: String, value: String)] = [], json: JSONValue?) {
        self.status = status
        self.headers = headers
        self.json = json
    }
}

public enum EngineDownload: Sendable {
    case control(Locator)
    case open(String)
    case request(EngineRequest)
}

/// A body that was streamed to a file.
public struct EngineFile: Sendable {
    public var status: Int
    public var mediaType: String?
    /// Lower-case hex.
    public var sha256: String
    public var bytes: Int
    /// The first kilobyte, to tell what it is.
    public var firstBytes: [UInt8]
    /// The last kilobyte, to tell whether it is whole.
    public var lastBytes: [UInt8]

    public init(
        status: Int, mediaType: String?, sha256: String, bytes: Int, firstBytes: [UInt8], lastBytes: [UInt8]
    ) {
        self.status = status
        self.mediaType = mediaType
        self.sha256 = sha256
        self.bytes = bytes
        self.firstBytes = firstBytes
        self.lastBytes = lastBytes
    }
}

/// Why the engine could not do what it was told, in terms that are the same for every engine.
public struct EngineError: Error, Sendable {
    public enum Kind: Sendable, Hashable {
        case notFound
        case ambiguous
        /// A person could not have filled this either.
        case notFillable
        case foreignOrigin
        /// A secure page leads over plain HTTP.
        case insecure
        case needsJavaScript
        case network
        /// The server's public key is none of those that the script pins.
        case keyMismatch
        case timeout
        case tooLarge
        case notHTML
        case invalidLocator
        case refused
        case cancelled
        case other
    }

    public var kind: Kind
    public var message: String
    public var candidates: [String]

    public init(_ kind: Kind, _ message: String, candidates: [String] = []) {
        self.kind = kind
        self.message = message
        self.candidates = candidates
    }
}
