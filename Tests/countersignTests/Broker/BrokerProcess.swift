import CurlClient
import Foundation
import TestServers
import TestSupport
import Testing

/// A broker in its own process, with a home that outlives the process.
final class BrokerProcess: Sendable {
    private let folder: TemporaryFolder
    let port: Int

    static let agentToken = "agent-token-agent-token-agent-token"
    static let phoneToken = "phone-token-phone-token-phone-token"
    static let secret = "a shared secret of more than thirty-two bytes"

    var root: URL { folder.url }
    var inbox: URL { root.appending(path: "inbox", directoryHint: .isDirectory) }
    var database: URL { root.appending(path: "broker/broker.sqlite") }
    var url: String { "http://127.0.0.1:\(port)" }

    init() throws {
        folder = try TemporaryFolder()
        port = try FreePort.find()
        try FileManager.default.createDirectory(at: inbox, withIntermediateDirectories: false)
    }

    var environment: [String: String] {
        [
            "BROKER_API_TOKEN": Self.agentToken, "PHONE_API_TOKEN": Self.phoneToken,
            "BROKER_PHONE_SHARED_SECRET": Self.secret, "ICLOUD_INBOX_PATH": inbox.path,
            "BROKER_DATABASE_PATH": database.path, "BROKER_PORT": String(port),
            "BROKER_REQUESTS_PER_SECOND": "100000", "BROKER_TOKEN_REQUESTS_PER_SECOND": "100000",
            "BROKER_MAX_UNDECIDED_REQUESTS": "1000",
        ]
    }

    /// Starts the broker, and waits until it answers.
    func start(_ more: String...) async throws -> Program {
        let program = try Program(["broker", "serve", "--no-telegram"] + more, environment: environment)
        let http = CurlSession()
        let end = ContinuousClock.now + .seconds(60)
        while true {
            if (try? await http.send(HTTPRequest("GET", url + "/healthz")).status) == 200 { break }
            try #require(ContinuousClock.now < end, "the broker does not answer: \(program.errors)")
            try await Task.sleep(for: .milliseconds(10))
        }
        await http.close()
        return program
    }
}
