import Automation
import CurlClient
import Encodings
import Foundation
import Machine
import Messages
import Phone
import Secrets
import TestParties
import TestServers
import TestSupport
import Testing

@testable import ApprovalPage

/// The page reveals no secret: not in its HTML, its event stream, its cookies or its exports.
@Suite("Secrets and the approval page", .timeLimit(.minutes(3)))
struct CanaryPageTests {
    /// The secrets as plain text, and as a page or an address would encode them.
    private static let secrets: [String] = [
        TestPhone.passphrase.revealed(), "ada.lovelace", "analytical engine", FakeBroker.token, FakeBroker.secretText,
    ].flatMap { secret in
        [
            secret, secret.replacing(" ", with: "+"), secret.replacing(" ", with: "%20"),
            Data(secret.utf8).base64EncodedString(), Data(secret.utf8).map { String(format: "%02x", $0) }.joined(),
        ]
    }

    private static func expectClean(_ text: String, _ place: String) {
        for secret in secrets { #expect(!text.contains(secret), "\(secret) in \(place)") }
    }

    @Test("a password that the bank repeats appears on no page")
    func pages() async throws {
        try await TestPhone.with { phone in
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            phone.engine.tell {
                $0.pressError = EngineError(
                    .notFound, "no button; the page says “ada.lovelace, your password analytical engine is wrong”")
            }
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                try await phone.until(server) { try await browser.page().contains(id.short) }
                let events = try await Self.listening(browser) {
                    let form = [
                        "csrf": csrf, "script": TestPhone.script.digest.hex,
                        "passphrase": TestPhone.passphrase.revealed(),
                    ]
                    #expect(try await browser.post("/requests/\(id)/approve", form: form).status == 303)
                    try await phone.until(server) { try await server.state.store.request(id)?.status == .failed }
                }
                #expect(events.contains("event: change"))
                Self.expectClean(events, "the event stream")
                let paths = [
                    "/", "/history", "/audit", "/passkeys", "/audit/export?format=csv", "/audit/export?format=jsonl",
                    "/page.js", "/style.css",
                ]
                for path in paths {
                    let response = try await browser.get(path)
                    #expect(response.status == 200)
                    Self.expectClean(String(decoding: response.body, as: UTF8.self), path)
                    Self.expectClean(response.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n"), path)
                    #expect(!String(decoding: response.body, as: UTF8.self).contains(">nil<"), "\(path)")
                }
                for cookie in await browser.session.cookies() {
                    Self.expectClean(cookie.value, "the cookie \(cookie.name)")
                }
                #expect(try await browser.page("/history").contains("•••"))
            }
        }
    }

    /// Returns the content of the event stream while `body` runs.
    private static func listening(
        _ browser: PageBrowser, _ body: @Sendable () async throws -> Void
    ) async throws -> String {
        let cookie = await browser.session.cookies().map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
        let url = try #require(URL(string: browser.origin))
        let stream = try EventStream(port: url.port ?? 0, base: browser.base, cookie: cookie)
        try await body()
        let deadline = ContinuousClock.now + .seconds(60)
        while !stream.text.contains("event: change"), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(50))
        }
        return stream.text
    }
}

/// A connection to `/events` that collects what it receives.
private final class EventStream: @unchecked Sendable {
    private let socket: Int32
    private let lock = NSLock()
    private var bytes: [UInt8] = []

    var text: String { lock.withLock { String(decoding: bytes, as: UTF8.self) } }

    init(port: Int, base: String, cookie: String) throws {
        socket = try LoopbackSocket.connected(to: port)
        let request = "GET \(base)/events HTTP/1.1\r\nHost: localhost:\(port)\r\nCookie: \(cookie)\r\n\r\n"
        _ = Array(request.utf8).withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        Thread { [weak self, socket] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(socket, &buffer, buffer.count, 0)
                guard count > 0, let self else { return }
                self.lock.withLock { self.bytes += buffer.prefix(count) }
            }
        }.start()
    }

    deinit { shutdown(socket, Int32(SHUT_RDWR)) }
}

/// The program that serves the page, seen from outside.
@Suite("Secrets and the process", .timeLimit(.minutes(3)))
struct CanaryProcessTests {
    /// The executable beside the test bundle.
    private static let executable =
        Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
        .map { $0.deletingLastPathComponent().appending(path: "countersign") }
        ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "countersign")

    @Test(
        "the environment and the command line contain no secret",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/environ"), "there is no /proc"))
    func process() async throws {
        try await TestPhone.with { phone in
            let file = phone.home.folder.appending(path: "passphrase")
            try (TestPhone.passphrase.revealed() + "\n").write(to: file, atomically: true, encoding: .utf8)
            let process = try RunningProgram(
                [
                    Self.executable.path, "phone", "serve", "--port", "0", "--home", phone.home.folder.path,
                    "--passphrase-file", file.path,
                ])
            defer {
                process.send(SIGTERM)
                process.end()
            }
            let greeting = try await BlockingWork.run { process.line() ?? "" }
            #expect(greeting.contains("The approval page is open at"))
            for place in ["environ", "cmdline"] {
                let text = try String(contentsOfFile: "/proc/\(process.id)/\(place)", encoding: .utf8)
                #expect(place == "environ" || text.contains("serve"))
                for secret in [
                    TestPhone.passphrase.revealed(), "ada.lovelace", "analytical engine", FakeBroker.token,
                    FakeBroker.secretText,
                ] { #expect(!text.contains(secret), "\(secret) in \(place)") }
            }
        }
    }
}
