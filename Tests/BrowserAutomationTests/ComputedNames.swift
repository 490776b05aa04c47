import CurlClient
import Encodings
import Foundation
import HTMLEngine
import Markup

@testable import BrowserAutomation

/// The commands *Get Computed Label* and *Get Computed Role* of classic WebDriver
/// (https://www.w3.org/TR/webdriver2/#get-computed-label), sent to the browser that an engine drives.
///
/// chromedriver takes them for a session of WebDriver BiDi too, and an element has the same id in both protocols. The engine
/// has to share this machine's network, else its driver cannot be reached.
struct ComputedNames: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The name and the role that Chromium computes for an element.
    struct Computed: Sendable, Hashable {
        let label: String
        let role: String
    }

    /// The key of an element's reference in the standard's JSON.
    private static let element = "element-6066-11e4-a52e-4f735466cecf"

    private let engine: BrowserNavigationEngine
    private let http: CurlSession
    private let session: String

    init(of engine: BrowserNavigationEngine) async throws {
        let driver = await engine.driver
        guard driver.sockets == nil, let port = driver.port else {
            throw Failure(description: "the driver is in a network of its own; start the engine with sharesNetwork")
        }
        self.engine = engine
        http = CurlSession()
        session = "http://127.0.0.1:\(port)/session/\(await engine.session.id)"
    }

    func close() async { await http.close() }

    /// Makes the open page the one that the next commands are about: its window, and the frames that lead to it.
    func select() async throws {
        let (window, frames) = try await engine.wayToPage()
        _ = try await send("POST", "/window", ["handle": .string(window)])
        for frame in frames { _ = try await send("POST", "/frame", ["id": [Self.element: .string(frame)]]) }
    }

    /// Returns what Chromium computes for an element of the selected page; nil when the page has removed it.
    func computed(for element: Element) async throws -> Computed? {
        guard let id = try await engine.sharedID(of: element) else { return nil }
        let label = try await send("GET", "/element/\(id)/computedlabel")
        let role = try await send("GET", "/element/\(id)/computedrole")
        return Computed(label: label.stringValue ?? "", role: role.stringValue ?? "")
    }

    private func send(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let response = try await http.send(
            HTTPRequest(
                method, session + path, headers: [HTTPHeader("Content-Type", "application/json")],
                body: try body?.canonicalBytes()))
        let json = try JSONReader.read(Data(response.body))
        guard response.status == 200, let value = json["value"] else {
            throw Failure(
                description: "\(method) \(path): \(json["value"]?["message"]?.stringValue?.prefix(300) ?? "")")
        }
        return value
    }
}

extension BrowserNavigationEngine {
    /// Returns the window of the open page, and the ids of the frames that lead from there to the page.
    fileprivate func wayToPage() async throws -> (window: String, frames: [String]) {
        var window = context
        var frames: [String] = []
        while let parent = activity.window(window).parent {
            let answer = try await connection.call(
                "script.callFunction",
                [
                    "functionDeclaration":
                        "() => [...document.querySelectorAll('iframe, frame')].map((frame) => [frame, frame.contentWindow])",
                    "awaitPromise": false,
                    "target": ["context": .string(parent), "sandbox": .string(PageScripts.sandbox)],
                ])
            let pairs = (answer["result"]?["value"]?.arrayValue ?? []).compactMap { $0["value"]?.arrayValue }
            let pair = pairs.first { $0.last?["value"]?["context"]?.stringValue == window }
            guard let frame = pair?.first?["sharedId"]?.stringValue else {
                throw ComputedNames.Failure(description: "the frame of the open page is not on the page around it")
            }
            frames.insert(frame, at: 0)
            window = parent
        }
        return (window, frames)
    }

    fileprivate func sharedID(of element: Element) async throws -> String? {
        try await value(PageScripts.element, element.number)["sharedId"]?.stringValue
    }
}
