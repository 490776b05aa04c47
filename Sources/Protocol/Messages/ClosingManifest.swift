import Clocks
import Encodings

/// The phone's signed end of a request for several documents: what became of each (documents.md).
///
/// It is written after the last document. Before it, the request is not complete; with it, a file that is missing, changed
/// or extra is noticed.
public struct ClosingManifest: Sendable, Hashable {
    public static let version = "2"

    /// The end of one document.
    public enum Outcome: Sendable, Hashable {
        /// It was delivered: its SHA-256 in lower-case hex.
        case delivered(sha256: String)
        /// It is missing, for this reason in the phone's words.
        case failed(ErrorCode, message: String)
    }

    public struct Entry: Sendable, Hashable {
        public let id: DocumentID
        public let outcome: Outcome

        public init(id: DocumentID, outcome: Outcome) {
            self.id = id
            self.outcome = outcome
        }
    }

    /// The longest message, in characters.
    public static let longestMessage = 500

    public var requestID: RequestID
    /// Every document of the request, in the order of its envelope.
    public var entries: [Entry]
    public var completedAt: Timestamp
    public var nonce: Nonce

    public init(requestID: RequestID, entries: [Entry], completedAt: Timestamp, nonce: Nonce = Nonce()) {
        self.requestID = requestID
        self.entries = entries
        self.completedAt = completedAt
        self.nonce = nonce
    }

    /// The name of its file in the inbox.
    public static func filename(for request: RequestID) -> String { "\(request).closing.json" }

    /// All members but the signature.
    package var members: [String: JSONValue] {
        [
            "version": .string(Self.version), "type": "closing", "request_id": .string(requestID.description),
            "documents": .array(entries.map(\.json)), "completed_at": .string(completedAt.description),
            "nonce": .string(nonce.description),
        ]
    }

    /// Reads version, type and every field.
    package init(_ fields: MessageFields) throws(MessageError) {
        try fields.check(version: Self.version)
        guard try fields.text("type") == "closing" else { throw MessageError(.malformed, "“type” must be “closing”") }
        guard let items = fields.members["documents"]?.arrayValue, (1...DocumentSelection.most).contains(items.count)
        else {
            throw MessageError(.malformed, "“documents” must be a list of 1 to \(DocumentSelection.most) documents")
        }
        var entries: [Entry] = []
        for item in items { entries.append(try Entry(item)) }
        guard Set(entries.map(\.id)).count == entries.count else {
            throw MessageError(.malformed, "“documents” names a document twice")
        }
        self.init(
            requestID: try fields.read("request_id", "a UUID in lower case", RequestID.init), entries: entries,
            completedAt: try fields.read("completed_at", "an ISO 8601 time", Timestamp.init),
            nonce: try fields.read("nonce", "32 lower-case hexadecimal digits", Nonce.init))
    }
}

extension ClosingManifest.Entry {
    fileprivate var json: JSONValue {
        switch outcome {
        case .delivered(let sha256): ["document_id": .string(id.description), "sha256": .string(sha256)]
        case .failed(let code, let message):
            [
                "document_id": .string(id.description), "error_code": .string(code.rawValue),
                "error_message": .string(message),
            ]
        }
    }

    fileprivate init(_ json: JSONValue) throws(MessageError) {
        let fields = try MessageFields(json, what: "a document")
        id = try fields.read("document_id", "32 lower-case hexadecimal digits", DocumentID.init)
        if fields.members["error_code"] == nil {
            let sha256 = try fields.read("sha256", "a SHA-256 in lower-case hex") { text in
                Base16.isEncoding(text, ofBytes: 32) ? text : nil
            }
            outcome = .delivered(sha256: sha256)
            return
        }
        let code = try fields.read("error_code", "a code that a phone may report") { text in
            ErrorCode(rawValue: text).flatMap { ErrorCode.phoneReports.contains($0) ? $0 : nil }
        }
        guard fields.members["sha256"] == nil else {
            throw MessageError(.malformed, "a document has either “sha256” or “error_code”")
        }
        let message = try fields.text("error_message")
        guard message.count <= ClosingManifest.longestMessage else {
            throw MessageError(
                .malformed, "“error_message” is longer than \(ClosingManifest.longestMessage) characters")
        }
        outcome = .failed(code, message: message)
    }
}

/// A closing manifest as it arrived, not verified yet. Only `Signer` turns it into a verified one.
public struct SignedClosing: Sendable, Hashable {
    public let json: JSONValue

    public init(json: JSONValue) {
        self.json = json
    }

    /// The request's ID according to the manifest: use it to find the right secret, never for a decision.
    public var claimedRequestID: RequestID? { json["request_id"]?.stringValue.flatMap { RequestID($0) } }

    /// The file's bytes.
    public var bytes: [UInt8] { (try? json.canonicalBytes()) ?? [] }
}
