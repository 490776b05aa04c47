import CurlClient
import Secrets
import WebURL

/// The place where a page keeps the token that its own requests must carry (against cross-site request forgery).
public enum TokenSource: Sendable, Hashable {
    /// A cookie of the session, percent-decoded, as scripts do that copy it into a header.
    case cookie(String)
    /// A header of the open page.
    case header(String)
    /// The content of a `meta` with a name.
    case meta(String)
    /// The value of a field with a `name`, hidden or not.
    case field(String)
}

extension BrowserSession {
    /// Returns the token, for a header or the body of a ``JSONRequest``.
    public func token(from source: TokenSource) async throws -> Secret {
        let page = try currentPage
        let found: String?
        switch source {
        case .cookie(let name):
            let origin = try URLRecord(parsing: page.url).host?.description ?? ""
            let cookies = await cookies().filter { $0.name == name }
            let own = cookies.first { $0.domain == origin } ?? cookies.last
            found = own.map { String(decoding: PercentEncoding.decode($0.value), as: UTF8.self) }
        case .header(let name): found = page.headers.last { $0.isNamed(name) }?.value
        case .meta(let name):
            found =
                page.document.root?.descendants.first { $0.name == "meta" && $0[attribute: "name"] == name }?[
                    attribute: "content"]
        case .field(let name):
            found = page.document.controls.first { $0[attribute: "name"] == name }?[attribute: "value"]
        }
        guard let found, !found.isEmpty else {
            throw NavigationError(code: .noToken, message: "\(page.place) has no token in \(source)")
        }
        return Secret(found)
    }
}
