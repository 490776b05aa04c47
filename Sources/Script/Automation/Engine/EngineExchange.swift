import Encodings
import Foundation
import Machine
import Secrets
import Selectors

/// A JSON exchange.
public struct EngineRequest: Sendable {
    public var method: String
    public var reference: String
    public var headers: [(name: String, value: Input)]
    /// Values to add to the address's query. A secret among them leaves with no redirect.
    public var query: [(name: String, value: Input)] = []
    public var body: JSONBody<Input>?
    /// The fields of a form (application/x-www-form-urlencoded, in UTF-8), instead of a JSON body.
    public var form: [(name: String, value: Input)]?
    /// The answer's body is a secret: it is read by ``EngineAnswer/secretBody`` alone.
    public var keepsBodySecret = false

    public init(
        method: String, reference: String, headers: [(name: String, value: Input)],
        query: [(name: String, value: Input)] = [], body: JSONBody<Input>? = nil,
        form: [(name: String, value: Input)]? = nil
    ) {
        self.method = method
        self.reference = reference
        self.headers = headers
        self.query = query
        self.body = body
        self.form = form
    }
}

public struct EngineAnswer: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var json: JSONValue?
    /// Why the answer was not read as JSON, with the byte; nil when it was, or when it is empty.
    public var unreadable: String?
    /// The answer as a text, where it is not JSON: XML, or a part of a page.
    public var markup: String?
    /// The body, where ``EngineRequest/keepsBodySecret`` asked for it; nil for an empty one.
    public var secretBody: Secret?

    public init(
        status: Int, headers: [(name: String, value: String)] = [], json: JSONValue?, unreadable: String? = nil,
        markup: String? = nil
    ) {
        self.status = status
        self.headers = headers
        self.json = json
        self.unreadable = unreadable
        self.markup = markup
    }
}

public enum EngineDownload: Sendable {
    case control(Locator)
    case open(String)
    case request(EngineRequest)
    /// The answer to a form, submitted without its button and with these values by their names in the form's data.
    case submit(form: Locator, with: [(name: String, value: Input)])
    /// The open page, printed as a PDF.
    case printedPage
}

/// A body that was streamed to a file.
public struct EngineFile: Sendable {
    public var status: Int
    public var mediaType: String?
    /// Lower-case hex.
    public var sha256: String
    public var bytes: Int
    /// The first kilobyte, which tells what kind of file it is.
    public var firstBytes: [UInt8]
    /// The last kilobyte, which tells whether the file is whole.
    public var lastBytes: [UInt8]
    /// The answer's `Retry-After`, if it has one.
    public var retryAfter: String?
    /// The page or the JSON answer that came instead of a document; nil for a document, and for anything else that the
    /// engine cannot read as a page.
    public var page: EnginePage?

    public init(
        status: Int, mediaType: String?, sha256: String, bytes: Int, firstBytes: [UInt8], lastBytes: [UInt8],
        retryAfter: String? = nil, page: EnginePage? = nil
    ) {
        self.status = status
        self.mediaType = mediaType
        self.sha256 = sha256
        self.bytes = bytes
        self.firstBytes = firstBytes
        self.lastBytes = lastBytes
        self.retryAfter = retryAfter
        self.page = page
    }
}

extension EngineFile {
    private var frame: PDFFrame { PDFFrame(first: firstBytes, last: lastBytes) }

    /// The file begins as a PDF does. The server's label does not count.
    package var isPDF: Bool { frame.hasHeader }

    /// The PDF has its header and its end.
    var isWholePDF: Bool { frame.problem == nil }
}
