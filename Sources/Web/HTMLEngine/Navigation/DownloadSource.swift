import CurlClient
import Foundation
import Machine
import Secrets
import Selectors

/// The source of a download.
public enum DownloadSource: Sendable {
    /// A link, or a button that submits its form.
    case control(Locator)
    case open(String)
    case request(JSONRequest)
    /// The answer to a form, submitted without its button and with these values by their names.
    case submit(form: Locator, with: [(name: String, value: Input)])
}

extension BrowserSession {
    /// Streams a download into a new file. The open page does not change. Several may be called for at the same time: those
    /// that send no body run side by side.
    ///
    /// Redirects are followed, each hop checked against the egress policy; their bodies are not kept. So is a page that leads
    /// on by itself: with a refresh, a form that its script submits, or the one document that it shows. The caller judges
    /// the answer's status and type: an error page is stored like any other file.
    ///
    /// - Parameter limit: the largest download in bytes; the configuration's limit when nil.
    public func download(_ source: DownloadSource, to file: URL, limit: Int? = nil) async throws -> HTTPDownload {
        var trail = RedirectTrail(limit: configuration.maximumRedirects)
        var (download, hop) = try await receive(try hop(for: source), &trail, to: file, limit: limit)
        // No page is followed from an address with a secret: that address would become the referrer.
        while hop.secretQuery.isEmpty, let page = download.page(at: hop.url, configuration.document),
            let step = try page.stepToDocument(
                within: configuration.longestRefresh)
        {
            if step.delay > .zero { try await Task.sleep(for: step.delay) }
            let kept = step.isCertain ? nil : Data(try OpenedFile(file).bytes(atMost: download.bytes))
            try? FileManager.default.removeItem(at: file)
            do {
                let next = try await receive(step.hop, &trail, to: file, limit: limit)
                guard let kept, !next.0.isDocument, !leadsToDocument(next.0, next.1) else {
                    (download, hop) = next
                    continue
                }
                // The frame held no document, so the page that came first gives the reason.
                try? FileManager.default.removeItem(at: file)
                try kept.write(to: file)
                return download
            } catch let error as EgressError {
                guard let kept else { throw error }
                try kept.write(to: file)
                return download
            }
        }
        return download
    }

    /// True for a page, such as a viewer in a frame, that certainly shows one document.
    private func leadsToDocument(_ download: HTTPDownload, _ hop: Hop) -> Bool {
        guard let page = download.page(at: hop.url, configuration.document) else { return false }
        return (try? page.stepToDocument(within: configuration.longestRefresh))?.isCertain == true
    }

    /// Streams one answer into a new file, after its redirects.
    ///
    /// - Returns: the answer, and the hop that it answers.
    private func receive(
        _ first: Hop, _ trail: inout RedirectTrail, to file: URL, limit: Int?
    ) async throws -> (HTTPDownload, Hop) {
        // Nothing is sent for a document that is in its own address. A redirect to one is refused like any other scheme.
        if first.url.scheme == "data" { return (try HTTPDownload(inline: first.url, to: file, limit: limit), first) }
        var hop = first
        while true {
            try trail.admit(hop, by: configuration.egress)
            var request = request(for: hop)
            request.mayRunBesideOthers = hop.method == "GET" && hop.body == nil
            let startedAt = Date()
            let download = try await counting { try await http.download(request, to: file, limit: limit) }
            observe(request, download.head, body: nil, bytes: download.bytes, at: startedAt)
            guard let next = try hop.redirected(by: download.head) else { return (download, hop) }
            try? FileManager.default.removeItem(at: file)
            if next.body != nil, next.bodyLeft == nil { try checkBeforeRepeating?() }
            hop = next
        }
    }

    private func hop(for source: DownloadSource) throws -> Hop {
        switch source {
        case .open(let reference): return try hop(opening: reference)
        case .request(let request): return try hop(request)
        case .control(let locator):
            guard case .visit(let hop) = try activation(of: try pressable(locator)) else {
                throw NavigationError(code: .notALink, message: "\(locator) leads to the page itself, not to a file")
            }
            return hop
        case .submit(let form, let fields):
            guard case .visit(let hop) = try submission(of: form, with: fields) else {
                throw NavigationError(code: .notALink, message: "\(form) leads to the page itself, not to a file")
            }
            return hop
        }
    }
}
