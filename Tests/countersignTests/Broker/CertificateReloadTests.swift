import CurlClient
import Foundation
import TestServers
import TestSupport
import Testing

@Suite("A certificate that is renewed while the broker runs", .timeLimit(.minutes(4)))
struct CertificateReloadTests {
    private let broker: BrokerProcess

    init() throws {
        broker = try BrokerProcess()
    }

    private var certificate: URL { broker.root.appending(path: "fullchain.pem") }
    private var key: URL { broker.root.appending(path: "privkey.pem") }

    /// Writes a new certificate with its key.
    ///
    /// - Parameter isPair: false for the key of another certificate.
    /// - Returns: a copy of the certificate, to trust it as an authority.
    private func write(isPair: Bool = true) throws -> URL {
        let made = try LoopbackCertificate("Renewed", isAuthority: true)
        let other = try isPair ? made : LoopbackCertificate("Another", isAuthority: true)
        let copy = broker.root.appending(path: "\(UUID().uuidString).pem")
        try Data((made.pem + "\n").utf8).write(to: copy)
        try Data((made.pem + "\n").utf8).write(to: certificate)
        try Data((other.key.pemRepresentation + "\n").utf8).write(to: key)
        return copy
    }

    private func answers(toClientsOf authority: URL) async -> Bool {
        var configuration = CurlConfiguration()
        configuration.extraCAFile = authority
        let http = CurlSession(configuration)
        let answer = try? await http.send(HTTPRequest("GET", "https://127.0.0.1:\(broker.port)/healthz"))
        await http.close()
        return answer?.status == 200
    }

    private func reload(_ program: Program, until words: String) async throws {
        program.signal(SIGHUP)
        try await wait(program, until: words)
    }

    private func wait(_ program: Program, until words: String) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while !program.errors.contains(words) {
            try #require(ContinuousClock.now < end, "\(words): \(program.errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("SIGHUP takes a new pair for new connections, and keeps the old one when a pair does not fit")
    func renewed() async throws {
        let first = try write()
        let environment = broker.environment.merging([
            "BROKER_TLS_CERT": certificate.path, "BROKER_TLS_KEY": key.path,
        ]) { $1 }
        let program = try Program(["broker", "serve", "--no-telegram"], environment: environment)
        try await wait(program, until: "broker is ready")
        #expect(await answers(toClientsOf: first))

        let second = try write()
        #expect(await answers(toClientsOf: first), "nothing changes before the signal")
        try await reload(program, until: "the certificate is renewed")
        #expect(await answers(toClientsOf: second))
        #expect(await !answers(toClientsOf: first))

        let third = try write(isPair: false)
        try await reload(program, until: "the certificate cannot be renewed; the one before stays")
        #expect(program.errors.contains("\(key.path) is not the key of the certificate in \(certificate.path)"))
        #expect(await answers(toClientsOf: second))
        #expect(await !answers(toClientsOf: third))

        let audit = try await Program.run(["broker", "audit"], environment: environment)
        #expect(audit.output.contains("certificate.renewed") && audit.output.contains("certificate.refused"))
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }

    @Test("SIGHUP does not end a broker without a certificate")
    func plain() async throws {
        let program = try await broker.start()
        try await wait(program, until: "broker is ready")
        try await reload(program, until: "nothing to reload")
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }
}
