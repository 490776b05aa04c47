import BankScript
import TestServers
import Testing

@testable import BrowserAutomation

/// A browser at a bank of a few pages on this machine.
enum BrowserVisit {
    /// Starts the bank and the browser, does something with both, and ends them. An error becomes an issue of the test.
    ///
    /// - Parameters:
    ///   - page: returns the page at a path, as HTML without its document type; nil for no answer at all.
    ///   - body: gets the browser, which has no page open yet, and the bank's origin.
    /// - Returns: the paths that the browser asked for.
    @discardableResult static func run(
        _ configuration: ChromiumConfiguration = ChromiumConfiguration(patience: .seconds(4)),
        answering dialogs: [DialogRule] = [], page: @escaping @Sendable (_ path: String) -> String?,
        _ body: (BrowserNavigationEngine, _ origin: String) async throws -> Void
    ) async throws -> Set<String> {
        try await run(configuration, answering: dialogs, answer: { page($0).map { answer(with: $0) } ?? "" }, body)
    }

    /// The answer that has a page, given without its document type.
    static func answer(with page: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n<!doctype html>" + page
    }

    /// Does the same at a bank that gives whole answers.
    ///
    /// - Parameter answer: returns the answer to a path, with its head.
    @discardableResult static func run(
        _ configuration: ChromiumConfiguration = ChromiumConfiguration(patience: .seconds(4)),
        answering dialogs: [DialogRule] = [], answer: @escaping @Sendable (_ path: String) -> String,
        _ body: (BrowserNavigationEngine, _ origin: String) async throws -> Void
    ) async throws -> Set<String> {
        let site = try await LoopbackSite.start(answer)
        let origin = "http://localhost:\(site.port)"
        let script = BankScript(
            "bank", named: "Bank", at: origin, isForTesting: true, engine: .browser, dialogs: dialogs,
            steps: { Open("/") })
        let engine = try await BrowserNavigationEngine.start(for: script, configuration: configuration)
        do {
            try await body(engine, origin)
        } catch {
            Issue.record(error)
        }
        await engine.close()
        await site.stop()
        return site.arrivals.paths
    }
}
