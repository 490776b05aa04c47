import Broker
import CurlClient
import Files
import Foundation
import LoopbackSockets
import Secrets
import Synchronization
import Testing

/// The executable as a child process.
final class Program: Sendable {
    /// It lies beside the test bundle.
    static let executable =
        (Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
        ?? URL(filePath: CommandLine.arguments[0])).deletingLastPathComponent().appending(path: "countersign")

    private let process: Process
    private let output: Mutex<(text: String, errors: String)>
    private let input: Pipe

    var printed: String { output.withLock { $0.text } }
    var errors: String { output.withLock { $0.errors } }

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        process = Process()
        input = Pipe()
        output = Mutex(("", ""))
        process.executableURL = Self.executable
        process.arguments = arguments
        process.environment = CountersignProcess.plainEnvironment.merging(environment) { $1 }
        let (text, errors) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = text
        process.standardError = errors
        try process.run()
        follow(text) { $0.text += $1 }
        follow(errors) { $0.errors += $1 }
    }

    private func follow(
        _ pipe: Pipe, _ add: @escaping @Sendable (inout (text: String, errors: String), String) -> Void
    ) {
        Thread.detachNewThread { [self] in
            while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
                output.withLock { add(&$0, String(decoding: data, as: UTF8.self)) }
            }
        }
    }

    func write(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    func endInput() throws { try input.fileHandleForWriting.close() }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// - Returns: the exit status, or the signal's number that ended it.
    func status() async throws -> Int32 {
        try await BlockingWork.run { [process] in
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> (
        status: Int32, output: String, errors: String
    ) {
        let program = try Program(arguments, environment: environment)
        try program.endInput()
        let status = try await program.status()
        // The readers are done when both pipes have ended, which is soon after the process.
        try await Task.sleep(for: .milliseconds(30))
        return (status, program.printed, program.errors)
    }
}

/// A broker in a process of its own, with a home that outlives it.
final class BrokerProcess: Sendable {
    let root: URL
    let port: Int

    static let agentToken = "agent-token-agent-token-agent-token"
    static let phoneToken = "phone-token-phone-token-phone-token"
    static let secret = "a shared secret of more than thirty-two bytes"

    var inbox: URL { root.appending(path: "inbox", directoryHint: .isDirectory) }
    var database: URL { root.appending(path: "broker/broker.sqlite") }
    var url: String { "http://127.0.0.1:\(port)" }

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: root.appending(path: "inbox"), withIntermediateDirectories: true)
        port = try FreePort.find()
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    var environment: [String: String] {
        [
            "BROKER_API_TOKEN": Self.agentToken, "PHONE_API_TOKEN": Self.phoneToken,
            "BROKER_PHONE_SHARED_SECRET": Self.secret, "ICLOUD_INBOX_PATH": inbox.path,
            "BROKER_DATABASE_PATH": database.path, "BROKER_PORT": String(port),
            "BROKER_REQUESTS_PER_SECOND": "100000", "BROKER_TOKEN_REQUESTS_PER_SECOND": "100000",
        ]
    }

    /// Starts it, and waits until it answers.
    func start(_ more: String...) async throws -> Program {
        let program = try Program(["broker", "serve", "--no-telegram"] + more, environment: environment)
        let http = CurlSession()
        let end = ContinuousClock.now + .seconds(30)
        while true {
            if (try? await http.send(HTTPRequest("GET", url + "/healthz")).status) == 200 { break }
            try #require(ContinuousClock.now < end, "the broker does not answer: \(program.errors)")
            try await Task.sleep(for: .milliseconds(10))
        }
        await http.close()
        return program
    }
}
