import Foundation
import JSON
import Secrets
import Selectors
import TextMatching

/// A JSON exchange.
public struct EngineRequest: Sendable {
    public var method: String
    public var reference: String
    public var headers: [(name: String, value: Input)]
    public var body: JSONBody<Input>?
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
    /// The first kilobyte, which tells what kind of file it is.
    public var firstBytes: [UInt8]
    /// The last kilobyte, which tells whether the file is whole.
    public var lastBytes: [UInt8]
    /// The page or the JSON answer that came instead of a document; nil for a document, and for anything else that the
    /// engine cannot read as a page.
    public var page: EnginePage?

    public init(
        status: Int, mediaType: String?, sha256: String, bytes: Int, firstBytes: [UInt8], lastBytes: [UInt8],
        page: EnginePage? = nil
    ) {
        self.status = status
        self.mediaType = mediaType
        self.sha256 = sha256
        self.bytes = bytes
        self.firstBytes = firstBytes
        self.lastBytes = lastBytes
        self.page = page
    }
}

extension EngineFile {
    /// The file is a PDF by its bytes: `%PDF-` stands within the first kilobyte (ISO 32000-1, annex H, implementation
    /// note 13). The server's label does not count.
    package var isPDF: Bool { firstBytes.prefix(1024).contains(text: "%PDF-") }

    /// The PDF has its end: `%%EOF` stands within the last kilobyte (ISO 32000-1, annex H, implementation note 18).
    var isWholePDF: Bool { lastBytes.contains(text: "%%EOF") }
}

extension ContiguousBytes {
    fileprivate func contains(text: String) -> Bool {
        var text = text
        return withUnsafeBytes { bytes in
            text.withUTF8 { bytes.bindMemory(to: UInt8.self).firstOffset(of: $0) != nil }
        }
    }
}
