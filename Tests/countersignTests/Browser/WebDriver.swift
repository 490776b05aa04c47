import CurlClient
import Encodings
import Foundation
import Languages
import Machine
import TestSupport

/// A W3C WebDriver session with its own chromedriver.
actor WebDriver {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The key of an element's reference in the standard's JSON (section 11.1).
    private static let element = "element-6066-11e4-a52e-4f735466cecf"

    /// Nil before the start.
    private var process: RunningProgram?
    private let http: CurlSession
    private var base = ""

    init() {
        var configuration = CurlConfiguration()
        configuration.limits.bodySize = 32 << 20
        http = CurlSession(configuration)
    }

    /// Starts the driver and the browser.
    ///
    /// - Parameters:
    ///   - logs: whether to keep the network events and the console.
    ///   - home: the browser's home folder, with its store of certificates; the tests' own when nil.
    ///   - hosts: the host names that lead to this machine.
    ///   - trustsAnyone: whether a certificate of any authority will do.
    ///   - language: the language that the browser asks for.
    func start(
        logs: Bool = false, home: URL? = nil, hosts: [String] = [], trustsAnyone: Bool = false,
        language: Language = .english
    ) async throws {
        let environment = ProcessInfo.processInfo.environment.merging(home.map { ["HOME": $0.path] } ?? [:]) { $1 }
        let driver = try RunningProgram(
            [Peers.chromedriver?.path ?? "/usr/bin/chromedriver", "--port=0"], environment: environment, in: nil)
        process = driver
        let text = try await BlockingWork.run {
            var text = ""
            while !text.contains("started successfully on port") {
                guard let line = driver.line() else {
                    throw Failure(description: "chromedriver did not start: \(text)")
                }
                text += line + "\n"
            }
            return text
        }
        // It never waits for a reader of what it says later.
        driver.follow { _ in }
        guard let port = text.firstMatch(of: /successfully on port (\d+)/)?.1 else {
            throw Failure(description: "chromedriver names no port: \(text)")
        }
        let server = "http://127.0.0.1:\(port)"
        var arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=390,844"]
        if language != .english { arguments.append("--accept-lang=\(language.tag)") }
        if !hosts.isEmpty {
            arguments.append("--host-resolver-rules=" + hosts.map { "MAP \($0) 127.0.0.1" }.joined(separator: ","))
        }
        let options: JSONValue = ["args": .array(arguments.map(JSONValue.string))]
        base = server + "/session"
        var wanted: [String: JSONValue] = ["goog:chromeOptions": options]
        if trustsAnyone { wanted["acceptInsecureCerts"] = true }
        if logs { wanted["goog:loggingPrefs"] = ["performance": "ALL", "browser": "ALL"] }
        let session = try await call("POST", "", ["capabilities": ["alwaysMatch": .object(wanted)]])
        guard let id = session["sessionId"]?.stringValue else { throw Failure(description: "no session") }
        base = server + "/session/" + id
        _ = try await call("POST", "/timeouts", ["script": 15_000])
    }

    func stop() async {
        guard let process, process.isRunning else { return }
        _ = try? await call("DELETE", "")
        process.kill()
        await http.close()
    }

    /// Adds a platform authenticator with user verification and PRF (WebAuthn level 3, section 11).
    func addAuthenticator() async throws {
        _ = try await call(
            "POST", "/webauthn/authenticator",
            [
                "protocol": "ctap2_1", "transport": "internal", "hasResidentKey": true, "hasUserVerification": true,
                "isUserConsenting": true, "isUserVerified": true, "extensions": ["prf"],
            ])
    }

    func open(_ url: String) async throws { _ = try await call("POST", "/url", ["url": .string(url)]) }

    func resize(width: Int, height: Int) async throws {
        _ = try await call(
            "POST", "/window/rect", ["width": .number(Double(width)), "height": .number(Double(height))])
    }

    func screenshot(to file: URL) async throws {
        let text = try await call("GET", "/screenshot").stringValue ?? ""
        try (Data(base64Encoded: text) ?? Data()).write(to: file)
    }

    /// Takes a picture in light and one in dark colours, but only if `COUNTERSIGN_SCREENSHOTS` names a folder.
    func shoot(_ name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["COUNTERSIGN_SCREENSHOTS"] else { return }
        for scheme in ["light", "dark"] {
            _ = try await tell(
                "Emulation.setEmulatedMedia",
                ["features": [["name": "prefers-color-scheme", "value": .string(scheme)]]])
            try await screenshot(to: URL(filePath: folder).appending(path: "\(name)-\(scheme).png"))
        }
    }

    func text() async throws -> String {
        try await call("POST", "/execute/sync", ["script": "return document.body.innerText", "args": []]).stringValue
            ?? ""
    }

    func source() async throws -> String { try await call("GET", "/source").stringValue ?? "" }

    func click(_ selector: String) async throws {
        _ = try await call("POST", "/element/\(try await find(selector))/click", [:])
    }

    func type(_ text: String, into selector: String) async throws {
        _ = try await call("POST", "/element/\(try await find(selector))/value", ["text": .string(text)])
    }

    /// Presses keys, as the keyboard does it, wherever the focus is (WebDriver, section 15.4.1).
    func press(_ keys: String) async throws {
        let actions: [JSONValue] = keys.flatMap { key in
            [["type": "keyDown", "value": .string(String(key))], ["type": "keyUp", "value": .string(String(key))]]
        }
        _ = try await call(
            "POST", "/actions", ["actions": [["type": "key", "id": "keyboard", "actions": .array(actions)]]])
    }

    /// Presses a key while another one is held down.
    func press(holding held: String, _ key: String) async throws {
        let actions: [JSONValue] = [
            ["type": "keyDown", "value": .string(held)], ["type": "keyDown", "value": .string(key)],
            ["type": "keyUp", "value": .string(key)], ["type": "keyUp", "value": .string(held)],
        ]
        _ = try await call(
            "POST", "/actions", ["actions": [["type": "key", "id": "keyboard", "actions": .array(actions)]]])
    }

    /// Returns the new records of a log: `performance` or `browser`.
    func log(_ type: String) async throws -> [JSONValue] {
        try await call("POST", "/se/log", ["type": .string(type)]).arrayValue ?? []
    }

    /// Sends a command of the DevTools protocol.
    func tell(_ command: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
        try await call("POST", "/goog/cdp/execute", ["cmd": .string(command), "params": parameters])
    }

    func evaluate(_ script: String) async throws -> JSONValue {
        try await call("POST", "/execute/sync", ["script": .string(script), "args": []])
    }

    /// Runs a script that calls its last argument with a result.
    func wait(forResultOf script: String) async throws -> JSONValue {
        try await call("POST", "/execute/async", ["script": .string(script), "args": []])
    }

    /// Waits, with a script in the browser, until the page contains the words.
    func wait(for words: String) async throws {
        let script = """
            const [words, done] = arguments;
            const see = () => { if (document.body && document.body.innerText.includes(words)) { done(true); return true; } };
            if (!see()) { const watch = setInterval(() => { if (see()) clearInterval(watch); }, 50); }
            """
        for _ in 0..<3 {
            // A navigation ends the script: then ask the next page.
            let arguments: JSONValue = ["script": .string(script), "args": [.string(words)]]
            if let seen = try? await call("POST", "/execute/async", arguments), seen == true { return }
        }
        throw Failure(description: "the page never said “\(words)”; it says: \(try await text())")
    }

    /// Waits until the page says a sentence, up to the first of its marks.
    func wait(for key: String, _ values: [String: String] = [:], in sentences: Sentences) async throws {
        let words = sentences(key, values).prefix { $0 != "{" && $0 != "<" }
        try await wait(for: words.trimmingCharacters(in: .whitespaces))
    }

    private func find(_ selector: String) async throws -> String {
        let found = try await call(
            "POST", "/element", ["using": "css selector", "value": .string(selector)])
        guard let id = found[Self.element]?.stringValue else { throw Failure(description: "no \(selector)") }
        return id
    }

    private func call(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let bytes = try body?.canonicalBytes()
        let response = try await http.send(
            HTTPRequest(
                method, base + path, headers: [HTTPHeader("Content-Type", "application/json")], body: bytes))
        let json = try JSONReader.read(Data(response.body), limits: JSONLimits(size: 32 << 20))
        guard response.status == 200 else {
            throw Failure(description: "\(path): \(json["value"]?["message"]?.stringValue?.prefix(300) ?? "")")
        }
        return json["value"] ?? .null
    }
}
