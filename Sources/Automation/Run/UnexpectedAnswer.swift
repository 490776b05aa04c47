import DOM
import Foundation
import HTMLEngine
import JSON

/// What came where a document was expected: a page, JSON, or anything else.
struct UnexpectedAnswer {
    /// More bytes are no page that says something about itself.
    private static let longest = 1 << 20

    let status: Int
    private let mediaType: String?
    private let bytes: Int
    let page: Document?
    let json: JSONValue?

    init(_ received: EngineFile, at file: URL) {
        status = received.status
        mediaType = received.mediaType
        bytes = received.bytes
        let data = received.bytes <= Self.longest ? try? Data(contentsOf: file) : nil
        let isJSON = received.mediaType?.contains("json") == true
        json = isJSON ? data.flatMap { try? JSONReader.read($0) } : nil
        let isHTML = received.mediaType?.contains("html") ?? true
        page =
            isHTML
            ? data.flatMap { try? Document.parse(Array($0), contentType: received.mediaType, url: "about:blank") } : nil
    }

    var title: String { page?.title ?? "" }
    var text: String { page?.root?.text ?? "" }

    var inWords: String {
        let type = mediaType ?? "an answer without a type"
        return title.isEmpty ? "\(type), \(bytes) bytes" : "a page titled “\(sanitised(title))” (\(type))"
    }

    /// What the answer says about itself: a notice or an error, else its first heading.
    var words: String? {
        if let json { return json.ownWords }
        for selector in ["[role=alert], [role=status]", "h1", "h2", "title"] {
            let found = (try? page?.elements(.css(selector))) ?? []
            if let words = found.lazy.map(\.text).first(where: { !$0.isEmpty }) { return words }
        }
        return nil
    }
}
