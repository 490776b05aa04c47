import CurlClient
import Encodings
import Foundation
import Secrets
import Synchronization

/// A browser as the page's server sees one: cookies, Origin, forms and script calls.
package struct PageBrowser: Sendable {
    package let origin: String
    package let session: CurlSession
    package var sentOrigin: String?
    package var host: String?
    /// Headers that a browser's owner has made up.
    package var invented: [HTTPHeader] = []
    /// The folder of this browser's pages, once it has shown a code from the terminal.
    private let place = Place()

    private final class Place: Sendable {
        let base = Mutex("")
    }

    /// A browser that knows the page's origin only.
    package init(_ origin: String, _ session: CurlSession = CurlSession()) {
        self.origin = origin
        self.session = session
        sentOrigin = origin
    }

    package var base: String { place.base.withLock { $0 } }

    private static let ofTheSite = [
        "/page.js", "/style.css", "/worker.js", "/offline.html", "/icon.svg", "/icon-180.png", "/icon-192.png",
        "/icon-512.png", "/badge.png",
    ]

    /// Returns an address of the page: below this browser's folder, except for what the site has once.
    package func url(_ path: String) -> String {
        Self.ofTheSite.contains(path) ? origin + path : origin + base + path
    }

    package func get(_ path: String) async throws -> HTTPResponse {
        try await session.send(HTTPRequest("GET", url(path), headers: headers()))
    }

    package func page(_ path: String = "/") async throws -> String {
        String(decoding: try await get(path).body, as: UTF8.self)
    }

    package func post(_ path: String, form: [String: String]) async throws -> HTTPResponse {
        let allowed = CharacterSet.alphanumerics
        let body = form.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
        }.joined(separator: "&")
        let headers = headers() + [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")]
        return try await session.send(HTTPRequest("POST", url(path), headers: headers, body: Array(body.utf8)))
    }

    package func post(_ path: String, _ json: JSONValue, csrf: String = "") async throws -> (
        status: Int, json: JSONValue
    ) {
        let headers =
            headers() + [HTTPHeader("Content-Type", "application/json"), HTTPHeader("X-CSRF-Token", csrf)]
        let response = try await session.send(
            HTTPRequest("POST", url(path), headers: headers, body: try json.canonicalBytes()))
        return (response.status, (try? JSONReader.read(Data(response.body))) ?? .null)
    }

    private func headers() -> [HTTPHeader] {
        var headers = invented
        if let sentOrigin { headers.append(HTTPHeader("Origin", sentOrigin)) }
        if let host { headers.append(HTTPHeader("Host", host)) }
        return headers
    }

    // MARK: Entering and signing in

    /// Shows the code that the terminal has printed.
    ///
    /// - Returns: the status of the answer; 303 when the page lets the browser in.
    @discardableResult
    package func enter(_ code: Secret) async throws -> Int {
        let answer = try await post("/", form: ["code": code.revealed()])
        if answer.status == 303, let location = answer.header("Location") {
            place.base.withLock { $0 = String(location.dropLast()) }
        }
        return answer.status
    }

    /// Types a passphrase into the form for signing in.
    package func signIn(passphrase: String) async throws -> HTTPResponse {
        try await post("/sign-in", form: ["csrf": token(), "passphrase": passphrase])
    }

    /// Signs in, and returns the form token of the pages.
    package func signIn() async throws -> String {
        _ = try await signIn(passphrase: TestPhone.passphrase.revealed())
        return try await csrf()
    }

    /// Returns the form token of a signed-in browser; empty for any other.
    package func csrf() async throws -> String { try await page().contains("Sign out") ? token() : "" }

    /// Returns the form token of the page that the browser sees, signed in or not.
    package func token() async throws -> String {
        try await page().firstMatch(of: /data-csrf="([^"]+)"/).map { String($0.1) } ?? ""
    }
}
