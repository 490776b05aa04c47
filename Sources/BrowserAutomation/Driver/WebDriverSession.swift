import CurlClient
import Foundation
import JSON

/// A session of classic WebDriver (https://www.w3.org/TR/webdriver2/), which opens the door to BiDi.
enum WebDriverSession {
    /// The oldest browser whose BiDi has what this engine uses.
    static let oldestVersion = 140

    /// Begins a session, and returns its identifier.
    ///
    /// - Throws: ``BrowserError``.
    static func begin(_ options: BrowserOptions, port: Int, http: CurlSession) async throws -> String {
        let body = try JSONValue.object(["capabilities": options.capabilities]).canonicalBytes()
        let answer: HTTPResponse
        do {
            answer = try await http.send(
                HTTPRequest(
                    "POST", "http://127.0.0.1:\(port)/session",
                    headers: [HTTPHeader("Content-Type", "application/json")], body: body))
        } catch  where error.code == .timeout {
            throw BrowserError(.hung, "the browser did not start in time; start \(options.binary.path) by hand once")
        } catch {
            throw BrowserError(.crashed, "chromedriver ended before the browser started: \(error.message)")
        }
        guard let json = try? JSONReader.read(answer.body), let value = json["value"] else {
            throw BrowserError(.nonsense, "chromedriver answered \(answer.status) without JSON; is it chromedriver?")
        }
        guard answer.status == 200 else { throw failure(value, options) }
        let capabilities = value["capabilities"]
        let browser = capabilities?["browserVersion"]?.stringValue ?? ""
        let driver = capabilities?["chrome"]?["chromedriverVersion"]?.stringValue ?? ""
        guard let version = major(browser), let other = major(driver), let id = value["sessionId"]?.stringValue,
            capabilities?["webSocketUrl"]?.stringValue != nil
        else {
            throw BrowserError(
                .nonsense, "chromedriver began a session without a version or a WebSocket; install a newer one")
        }
        guard version == other else {
            throw BrowserError(
                .wrongVersion, "chromium is \(browser) and chromedriver \(driver); install the same version of both")
        }
        guard version >= oldestVersion else {
            throw BrowserError(.wrongVersion, "chromium is \(browser); this engine needs \(oldestVersion) or later")
        }
        return id
    }

    private static func major(_ version: String) -> Int? { Int(version.prefix { $0 != "." }) }

    private static func failure(_ value: JSONValue, _ options: BrowserOptions) -> BrowserError {
        let words = value["message"]?.stringValue ?? ""
        let line = words.split(separator: "\n").first.map(String.init) ?? words
        guard line.contains("only supports") else {
            return BrowserError(.crashed, "\(options.binary.path) does not start: \(line.prefix(300))")
        }
        return BrowserError(.wrongVersion, "\(line.prefix(300)); install the same version of both")
    }
}
