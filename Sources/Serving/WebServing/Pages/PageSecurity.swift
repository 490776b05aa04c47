import HTTPTypes
import Hummingbird

extension Response {
    /// Adds the headers that every answer of a page needs, and forbids storing it unless the answer allows that itself.
    ///
    /// - Parameters:
    ///   - policy: the page's `Content-Security-Policy`.
    ///   - isStrict: true when browsers may refuse plain HTTP and every other certificate for a year (RFC 6797).
    package mutating func protect(by policy: String, isStrict: Bool) {
        headers[.contentSecurityPolicy] = policy
        headers[.xContentTypeOptions] = "nosniff"
        // Not "no-referrer": with that, browsers send a form's Origin as "null".
        headers[.referrerPolicy] = "same-origin"
        headers[.crossOriginOpenerPolicy] = "same-origin"
        headers[.crossOriginResourcePolicy] = "same-origin"
        headers[.permissionsPolicy] = "publickey-credentials-get=(self), publickey-credentials-create=(self)"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        if isStrict { headers[.strictTransportSecurity] = "max-age=31536000" }
    }

    /// Answers with a sentence and no page.
    package static func sentence(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: .init(byteBuffer: .init(string: text + "\n")))
    }
}

extension Request {
    /// Returns a refusal when the request changes something and does not come from a page of this origin.
    package func refusalUnless(from origin: String) -> Response? {
        guard method != .get, method != .head else { return nil }
        let site = headers[.secFetchSite]
        guard headers[.origin] == origin, site == nil || site == "same-origin" else {
            return .sentence(.forbidden, "The request does not come from this page.")
        }
        return nil
    }
}

extension HTTPField.Name {
    fileprivate static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
    fileprivate static let permissionsPolicy = Self("Permissions-Policy")!
    fileprivate static let referrerPolicy = Self("Referrer-Policy")!
    /// The header in which a browser says where a request comes from: `same-origin`, `same-site`, `cross-site` or `none`.
    package static let secFetchSite = Self("Sec-Fetch-Site")!
    /// The form token of a call that a page's script makes.
    package static let csrfToken = Self("X-CSRF-Token")!
}
