import Broker
import BrokerClient
import CurlClient
import Foundation
import Machine
import Secrets
import TestParties
import TestServers
import Testing

@Suite("The broker over TLS", .timeLimit(.minutes(3)))
struct TLSTests {
    private func environment(_ stage: BrokerStage, _ more: [String: String]) -> [String: String] {
        [
            "BROKER_API_TOKEN": BrokerStage.agentToken, "PHONE_API_TOKEN": BrokerStage.phoneToken,
            "BROKER_PHONE_SHARED_SECRET": "a shared secret of more than thirty-two bytes",
            "ICLOUD_INBOX_PATH": stage.inbox.path, "BROKER_DATABASE_PATH": stage.database.path, "BROKER_PORT": "0",
        ].merging(more) { $1 }
    }

    @Test("serves with its certificate to clients that trust its authority")
    func serves() async throws {
        let stage = try BrokerStage()
        let files = try SelfSigned.write(to: stage.root)
        let configuration = try BrokerConfiguration(
            environment: environment(
                stage, ["BROKER_TLS_CERT": files.certificate.path, "BROKER_TLS_KEY": files.key.path]),
            usesTelegram: false)
        try await stage.run(configuration) { stage in
            let port = try #require(stage.port)
            let known = AgentClient(
                baseURL: "https://127.0.0.1:\(port)", token: Secret(BrokerStage.agentToken),
                authority: files.certificate)
            #expect(try await known.requestStatement(month: 1, year: 2026).status == .pendingApproval)
            await known.close()
            let unknown = AgentClient(baseURL: "https://127.0.0.1:\(port)", token: Secret(BrokerStage.agentToken))
            await #expect(throws: AgentError.self) { try await unknown.page() }
            await unknown.close()
            let plain = AgentClient(baseURL: "http://127.0.0.1:\(port)", token: Secret(BrokerStage.agentToken))
            await #expect(throws: AgentError.self) { try await plain.page() }
            await plain.close()
        }
    }

    @Test("uses the broker's own certificate beyond loopback, unless another or a proxy is configured")
    func addresses() throws {
        let stage = try BrokerStage()
        let open = environment(stage, ["BROKER_HOST": "0.0.0.0"])
        #expect(try BrokerConfiguration(environment: open, usesTelegram: false).usesOwnCertificate)
        let plain = try BrokerConfiguration(environment: open, usesTelegram: false, allowsPlainHTTP: true)
        #expect(!plain.usesOwnCertificate && plain.scheme == "http")
        let files = try SelfSigned.write(to: stage.root)
        let secured = open.merging(
            ["BROKER_TLS_CERT": files.certificate.path, "BROKER_TLS_KEY": files.key.path]) { $1 }
        let known = try BrokerConfiguration(environment: secured, usesTelegram: false)
        #expect(!known.usesOwnCertificate && known.scheme == "https")
        for host in ["127.0.0.1", "localhost", "::1"] {
            let near = environment(stage, ["BROKER_HOST": host])
            #expect(try BrokerConfiguration(environment: near, usesTelegram: false).scheme == "http")
        }
    }

    @Test("reports the problem of each file, alone and in combination")
    func files() throws {
        let stage = try BrokerStage()
        let files = try SelfSigned.write(to: stage.root)
        let others = try SelfSigned.write(to: stage.root.appending(path: "inbox"))
        let cases: [(String?, String?, String)] = [
            (files.certificate.path, nil, "BROKER_TLS_KEY is not set"),
            (nil, files.key.path, "BROKER_TLS_CERT is not set"),
            ("/no/such/file", files.key.path, "cannot be read as a certificate"),
            (files.certificate.path, "/no/such/file", "cannot be read as a private key"),
            (files.key.path, files.key.path, "certificate"),
            (files.certificate.path, others.key.path, "is not the key of the certificate"),
        ]
        for (certificate, key, word) in cases {
            var more = ["BROKER_PORT": "none"]
            more["BROKER_TLS_CERT"] = certificate
            more["BROKER_TLS_KEY"] = key
            let error = try #require(throws: BrokerConfigurationError.self) {
                try BrokerConfiguration(environment: environment(stage, more), usesTelegram: false)
            }
            #expect(error.description.contains(word), "\(error)")
            #expect(error.problems.count == 2, "and the port, at once: \(error)")
        }
    }
}

/// A self-signed certificate for 127.0.0.1.
private enum SelfSigned {
    static func write(to folder: URL) throws -> (certificate: URL, key: URL) {
        let made = try LoopbackCertificate("Countersign broker", hosts: ["localhost"], isAuthority: true)
        let files = (folder.appending(path: "broker.pem"), folder.appending(path: "broker.key.pem"))
        try AtomicFile.write((made.pem + "\n").utf8, to: files.0)
        try AtomicFile.write((made.key.pemRepresentation + "\n").utf8, to: files.1)
        return files
    }
}
