import Automation
import BankScript
import Clocks
import CurlClient
import Encodings
import Foundation
import HTMLAutomation
import Secrets
import Synchronization
import TestCases

import struct Crypto.SHA256

/// A bank of a few answers, without a network.
final class StagedBank: HTTPTransport {
    struct Answer {
        var status = 200
        var type = "text/html; charset=utf-8"
        var headers: [HTTPHeader] = []
        var body: [UInt8]

        static func page(_ body: String, title: String = "Bank", status: Int = 200) -> Answer {
            Answer(status: status, body: Array("<!doctype html><title>\(title)</title><body>\(body)".utf8))
        }

        static func json(_ text: String, status: Int = 200, headers: [HTTPHeader] = []) -> Answer {
            Answer(status: status, type: "application/json", headers: headers, body: Array(text.utf8))
        }

        static func redirect(_ place: String) -> Answer {
            Answer(status: 303, headers: [HTTPHeader("Location", place)], body: [])
        }

        static func pdf(_ text: String = "%PDF-1.4 a statement\nstartxref\n0\n%%EOF\n") -> Answer {
            Answer(type: "application/pdf", body: Array(text.utf8))
        }
    }

    struct Request: Sendable {
        var line: String
        var body: String
        var headers: [HTTPHeader]
    }

    private let requests = Mutex<[Request]>([])
    private let jar: [HTTPCookie]
    private let answer: @Sendable (_ line: String, _ body: String) -> Answer

    /// - Parameter answer: gets the method and the path with its query, and the body.
    init(cookies: [HTTPCookie] = [], _ answer: @escaping @Sendable (_ line: String, _ body: String) -> Answer) {
        jar = cookies
        self.answer = answer
    }

    var seen: [Request] { requests.withLock { $0 } }
    var lines: [String] { seen.map(\.line) }

    private func take(_ request: HTTPRequest) -> (HTTPResponseHead, [UInt8]) {
        let path = request.url.replacing("https://bank.example", with: "")
        let body = String(decoding: request.body ?? [], as: UTF8.self)
        let line = "\(request.method) \(path)"
        requests.withLock { $0.append(Request(line: line, body: body, headers: request.headers)) }
        let answer = answer(line, body)
        let head = HTTPResponseHead(
            status: answer.status, url: request.url, version: "1.1",
            headers: [HTTPHeader("Content-Type", answer.type)] + answer.headers,
            timings: HTTPTimings(connected: .zero, firstByte: .zero, total: .zero))
        return (head, answer.body)
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (head, body) = take(request)
        return HTTPResponse(head: head, body: body)
    }

    func download(_ request: HTTPRequest, to file: URL, limit: Int?) async throws -> HTTPDownload {
        let (head, body) = take(request)
        try Data(body).write(to: file)
        return HTTPDownload(
            head: head, file: file, bytes: body.count, sha256: Base16.encode(SHA256.hash(data: body)),
            firstBytes: Array(body.prefix(1024)), lastBytes: Array(body.suffix(1024)))
    }

    func cookies() async -> [HTTPCookie] { jar }
    func close() async {}
}

/// One run of a script at a staged bank.
struct StagedRun {
    var document: FetchedDocument?
    var failure: RunFailure?
    var steps: [String]
    var prompts: [Prompt]
    var warnings: [String]
    /// The files that are left in the run's folder.
    var files: [String]

    static let head = "bank: staged\nname: Staged Bank\norigins: [https://bank.example]\n"

    static func perform(
        _ yaml: String, at bank: StagedBank, parameters: [String: ParameterValue] = ["month": 3, "year": 2026],
        credentials: [String: String] = ["username": "robin-of-the-stage", "password": "a long passphrase"],
        code: String? = nil, person: (any HumanPrompt)? = nil,
        secondFactor: any SecondFactorProvider = NoSecondFactor(),
        codeSources: [SecondFactorStep.Source: any SecondFactorProvider] = [:],
        codesRefusedBefore: Int = 0, language: StepList = .standard,
        changing change: (inout BankScript) -> Void = { _ in }, keeping keep: ([UInt8]) -> Void = { _ in }
    ) async throws -> StagedRun {
        let folder = FileManager.default.temporaryDirectory.appending(path: "staged-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = StagedLog()
        var services = HostServices(
            credentials: TestCredentials(values: credentials), secondFactor: secondFactor,
            person: person ?? TestPerson(code: code), downloads: FolderSink(folder), observer: log, clock: StagedClock()
        )
        services.codeSources = codeSources
        services.codesRefusedBefore = codesRefusedBefore
        let runner = ScriptRunner(services: services, limit: .seconds(30)) { script in
            try HTMLNavigationEngine(for: script, configuration: EngineConfiguration(transport: bank))
        }
        var script = try BankScript(yaml: head + yaml, file: "staged.yaml", steps: language)
        change(&script)
        var run = StagedRun(steps: [], prompts: [], warnings: [], files: [])
        do {
            let document = try await runner.run(script, parameters: parameters)
            run.document = document
            if let bytes = try? Data(contentsOf: document.file) { keep(Array(bytes)) }
        } catch {
            run.failure = error
        }
        (run.steps, run.prompts, run.warnings) = log.record
        run.files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return run
    }
}

final class StagedLog: RunObserver {
    private let seen = Mutex<(steps: [String], prompts: [Prompt], warnings: [String])>(([], [], []))

    var record: (steps: [String], prompts: [Prompt], warnings: [String]) {
        seen.withLock { ($0.steps, $0.prompts, $0.warnings) }
    }

    func observe(_ event: RunEvent) {
        seen.withLock { seen in
            switch event {
            case .stepEnded(let place, _): seen.steps.append("✓ \(place.words)")
            case .stepFailed(let place, let failure, _): seen.steps.append("✗ \(place.words): \(failure.message)")
            case .secondFactor(.asked(let prompt)): seen.prompts.append(prompt)
            case .warned(_, let words): seen.warnings.append(words)
            default: break
            }
        }
    }
}

/// A clock without the pauses between two requests; the limits stay.
private struct StagedClock: RunClock {
    var now: Date { Date() }

    func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration > .seconds(10) ? duration : .zero)
    }
}

/// Counts from 1.
final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

/// A text that grows.
final class Typed: Sendable {
    private let typed = Mutex("")

    var text: String { typed.withLock { $0 } }

    func add(_ more: String) { typed.withLock { $0 += more } }
}
