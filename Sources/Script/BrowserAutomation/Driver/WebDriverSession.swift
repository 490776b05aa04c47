import Encodings
import Foundation

/// A session of WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/#module-session), which starts the browser.
struct WebDriverSession: Sendable {
    /// The oldest browser whose BiDi has what this engine uses.
    static let oldestVersion = 140

    /// The driver's name for the session. Commands of classic WebDriver need it: the tests send some.
    let id: String

    /// Starts the browser, and checks its version and the driver's.
    ///
    /// - Throws: ``BrowserError``.
    static func begin(
        _ options: BrowserOptions, over connection: BiDiConnection, limit: Duration
    ) async throws -> WebDriverSession {
        let answer: JSONValue
        do {
            answer = try await connection.call(
                "session.new", ["capabilities": options.capabilities], limit: limit)
        } catch let error as BrowserError {
            throw failure(error, options)
        }
        let capabilities = answer["capabilities"]
        let browser = capabilities?["browserVersion"]?.stringValue ?? ""
        let driver = capabilities?["chrome"]?["chromedriverVersion"]?.stringValue ?? ""
        guard let version = major(browser), let other = major(driver) else {
            throw BrowserError(.nonsense, "chromedriver began a session without a version; install a newer one")
        }
        guard version == other else {
            throw BrowserError(
                .wrongVersion, "chromium is \(browser) and chromedriver \(driver); install the same version of both")
        }
        guard version >= oldestVersion else {
            throw BrowserError(.wrongVersion, "chromium is \(browser); this engine needs \(oldestVersion) or later")
        }
        guard let id = answer["sessionId"]?.stringValue, !id.isEmpty else {
            throw BrowserError(.nonsense, "chromedriver began a session without an id; install a newer one")
        }
        return WebDriverSession(id: id)
    }

    private static func major(_ version: String) -> Int? { Int(version.prefix { $0 != "." }) }

    private static func failure(_ error: BrowserError, _ options: BrowserOptions) -> BrowserError {
        let line = error.message.split(separator: "\n").first.map(String.init) ?? error.message
        switch error.code {
        case .hung:
            return BrowserError(
                .hung, "the browser did not start in time; start \(options.binary.path) by hand once")
        case .crashed: return BrowserError(.crashed, "chromedriver ended before the browser started; run it again")
        case .refused where line.contains("only supports"):
            return BrowserError(.wrongVersion, "\(line); install the same version of both")
        case .refused: return BrowserError(.crashed, "\(options.binary.path) does not start: \(line)")
        default: return error
        }
    }
}
