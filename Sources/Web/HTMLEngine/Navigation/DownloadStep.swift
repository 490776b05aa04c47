import CurlClient
import Encodings
import Foundation
import Machine
import Markup
import WebURL

/// The way from a page that came instead of a document to the document, where a browser goes it without a click.
struct DownloadStep {
    let hop: Hop
    let delay: Duration
    /// False for a frame, which may hold something else.
    let isCertain: Bool
}

extension Page {
    /// More text than this is a page of its own, whatever frame it has.
    private static let longestViewer = 300
    private static let documentSchemes = ["https", "http", "data"]

    func stepToDocument(within longestRefresh: Duration) throws -> DownloadStep? {
        guard (200...299).contains(status) else { return nil }
        if let form = selfSubmittingForm { return try stepBySubmitting(form) }
        if let target = refreshTarget(within: longestRefresh), let delay = refresh?.delay,
            Self.documentSchemes.contains(target.scheme)
        {
            return DownloadStep(hop: hop(to: target), delay: delay, isCertain: true)
        }
        return shownDocument
    }

    private func stepBySubmitting(_ form: Element) throws -> DownloadStep {
        let submission = try Submission(
            of: form, submitter: nil, state: FormState(), url: location.withoutFragment, base: base)
        var hop = hop(to: submission.url)
        hop.method = submission.method
        hop.body = submission.body
        hop.contentType = submission.contentType
        return DownloadStep(hop: hop, delay: .zero, isCertain: true)
    }

    private func hop(to url: URLRecord) -> Hop {
        var hop = Hop(url: url, referrer: location)
        hop.referrerPolicy = referrerPolicy
        return hop
    }

    /// The one document that a viewer's page shows.
    private var shownDocument: DownloadStep? {
        let shown = (document.root?.descendants.filter(\.isShown) ?? []).compactMap(ShownDocument.init)
        let certain = targets(shown.filter(\.isCertain))
        if certain.count == 1 { return DownloadStep(hop: hop(to: certain[0]), delay: .zero, isCertain: true) }
        let frames = targets(shown)
        guard certain.isEmpty, frames.count == 1, text.count <= Self.longestViewer,
            !document.controls.contains(where: { $0.controlType == .password })
        else { return nil }
        return DownloadStep(hop: hop(to: frames[0]), delay: .zero, isCertain: false)
    }

    private func targets(_ shown: [ShownDocument]) -> [URLRecord] {
        var targets: [URLRecord] = []
        for document in shown {
            guard let url = try? resolve(document.reference), Self.documentSchemes.contains(url.scheme),
                !targets.contains(url.withoutFragment)
            else { continue }
            targets.append(url.withoutFragment)
        }
        return targets
    }
}

/// An element that shows a document of its own.
private struct ShownDocument {
    let reference: String
    /// True for what is a document and no page, by its element, its type or its name.
    let isCertain: Bool

    init?(_ element: Element) {
        let attribute: String
        switch element.tag {
        case .embed, .iframe, .frame: attribute = "src"
        case .object: attribute = "data"
        default: return nil
        }
        guard let source = element[attribute: attribute]?.trimmingCharacters(in: .whitespacesAndNewlines),
            !source.isEmpty
        else { return nil }
        let type = element[attribute: "type"]?.lowercased()
        if let type, !["application/pdf", "application/octet-stream", "text/html"].contains(type) { return nil }
        if let file = Self.file(shownBy: source) {
            (reference, isCertain) = (file, true)
            return
        }
        reference = source
        let path = source.prefix { $0 != "?" && $0 != "#" }.lowercased()
        isCertain =
            type == "application/pdf" || path.hasSuffix(".pdf") || path.hasPrefix("data:application/pdf")
            || element.tag == .embed || element.tag == .object && type != "text/html"
    }

    /// Returns the file that a viewer in JavaScript is told to show, such as in `viewer.html?file=%2Fd.pdf`.
    private static func file(shownBy source: String) -> String? {
        guard let query = source.firstIndex(of: "?") else { return nil }
        let fields = source[source.index(after: query)...].prefix { $0 != "#" }.split(separator: "&")
        guard let field = fields.first(where: { $0.hasPrefix("file=") }) else { return nil }
        let file = String(decoding: PercentEncoding.decode(String(field.dropFirst(5))), as: UTF8.self)
        return file.isEmpty ? nil : file
    }
}

extension HTTPDownload {
    /// The size up to which an answer can be a page that leads on.
    private static let largestPage = 1 << 20

    /// True for an answer that is not a page.
    var isDocument: Bool { (200...299).contains(status) && !looksLikePage }

    private var looksLikePage: Bool {
        let type = header("content-type")?.lowercased()
        guard type == nil || type?.contains("html") == true else { return false }
        let begin = firstBytes.firstIndex { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
        if header("refresh") != nil { return !firstBytes[(begin ?? 0)...].starts(with: "%PDF".utf8) }
        return begin.map { firstBytes[$0] } == UInt8(ascii: "<")
    }

    /// Reads the answer as a page; nil for a document, and for a file that is too large for a page.
    func page(at url: URLRecord, _ limits: DocumentLimits) -> Page? {
        guard looksLikePage, bytes <= Self.largestPage, let body = try? OpenedFile(file).bytes(atMost: Self.largestPage)
        else {
            return nil
        }
        return try? Page(HTTPResponse(head: head, body: body), location: url, limits: limits)
    }

    /// Writes the content of a `data:` URL into a new file.
    init(inline url: URLRecord, to file: URL, limit: Int?) throws {
        guard let content = DataURL(url.description) else {
            throw NavigationError(code: .invalidRequest, message: "the data: address cannot be decoded")
        }
        if let limit, content.bytes.count > limit {
            throw NavigationError(
                code: .invalidRequest, message: "the data: address has more than the download limit of \(limit) bytes")
        }
        try self.init(writing: content.bytes, of: content.mediaType, to: file)
    }
}
