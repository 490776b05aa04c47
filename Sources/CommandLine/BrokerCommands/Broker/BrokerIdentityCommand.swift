import ArgumentParser
import Broker
import Encodings
import Foundation
import HouseholdCommands
import Terminal

struct BrokerIdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity", abstract: "Show the broker's id, key and certificate.",
        discussion: """
            The broker makes them at its first start. It uses its own certificate if other machines can reach it and \
            BROKER_TLS_CERT is not set. Nothing shown here is secret.
            """)

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let broker = try BrokerAdministration.onThisMachine()
            let identity = try broker.identity()
            // Without the broker's secret the key of receipts cannot be opened; the rest can be shown.
            let receipts = try? await broker.receiptKey()
            let serving = broker.isRunning ? broker.listening() : nil
            let endpoint = serving == nil ? nil : try broker.endpoint()
            guard !json else {
                let answer: JSONValue = [
                    "server_id": .string(identity.server.id.description),
                    "server_pubkey": .string(identity.server.publicKey.description),
                    "certificate_sha256": .string(identity.fingerprint.hex),
                    "receipt_key_sha256": receipts.map { .string($0.id) } ?? .null,
                    "created_at": .string(identity.createdAt.description),
                    "endpoint": endpoint.map { .string($0) } ?? .null,
                    "tls_sha256": (serving?.certificate).map { .string($0.hex) } ?? .null,
                ]
                return Console.standard.line(answer.compactText())
            }
            Console.standard.line("id           \(identity.server.id)")
            Console.standard.line("key          \(identity.server.publicKey)")
            Console.standard.line("certificate  \(identity.fingerprint)")
            if let receipts { Console.standard.line("receipts     \(receipts.id)") }
            Console.standard.line("made         \(identity.createdAt)")
            guard let serving, let endpoint else {
                return Console.standard.line("no broker is running on this database", .faint)
            }
            let tls =
                switch serving.certificate {
                case nil: "without its own TLS"
                case identity.fingerprint?: "with this certificate"
                case let other?: "with the certificate of BROKER_TLS_CERT, \(other)"
                }
            Console.standard.line("runs at      \(endpoint), \(tls)")
        }
    }
}
