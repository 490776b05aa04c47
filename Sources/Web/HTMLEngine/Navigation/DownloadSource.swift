import CurlClient
import Foundation
import Selectors

/// The source of a download.
public enum DownloadSource: Sendable {
    /// A link, or a button that submits its form.
    case control(Locator)
    case open(String)
    case request(JSONRequest)
}

extension BrowserSession {
    /// Streams a download into a new file. The open page does not change. Several may be called for at the same time: those
    /// that send no body run side by side.
    ///
    /// Redirects are followed, each hop checked against the egress policy; their bodies are not kept. The caller judges
    /// the answer's status and type: an error page is stored like any other file.
    ///
    /// - Parameter limit: the largest download in bytes; the configuration's limit when nil.
    public func download(_ source: DownloadSource, to file: URL, limit: Int? = nil) async throws -> HTTPDownload {
        var hop = try hop(for: source)
        var trail = RedirectTrail(limit: configuration.maximumRedirects)
        while true {
            try trail.admit(hop, by: configuration.egress)
            var request = request(for: hop)
            request.mayRunBesideOthers = hop.method == "GET" && hop.body == nil
            let startedAt = Date()
            let download = try await http.download(request, to: file, limit: limit)
            observe(request, download.head, body: nil, bytes: download.bytes, at: startedAt)
            guard let next = try hop.redirected(by: download.head) else { return download }
            try? FileManager.default.removeItem(at: file)
            if next.body != nil { try checkBeforeRepeating?() }
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
        }
    }
}
