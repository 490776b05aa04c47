import ArgumentParser
import Broker
import BrokerStore
import Encodings
import Foundation
import HouseholdCommands
import Terminal

struct BrokerFilingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "filings", abstract: "Show what is on its way to paperless-ngx and to the webhook.",
        discussion: """
            Lists the documents that are not in paperless-ngx yet, those that failed first, with their reasons. Works on \
            the broker's database (BROKER_DATABASE_PATH), whether the broker runs or not.
            """)

    @Flag(help: "Have everything tried again now that failed or waits for another attempt.")
    var retry = false

    @Option(help: "The most documents to list.")
    var limit = 20

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let broker = try BrokerAdministration.onThisMachine()
            if retry {
                let count = try await broker.paperless.tryAgain() + broker.webhook.tryAgain()
                if !json { Console.standard.line("\(count) are tried again") }
            }
            let counts = try await broker.paperless.counts()
            let documents = try await broker.paperless.unfiled(limit: max(0, limit))
            let events = try await broker.webhook.undelivered()
            guard !json else { return Console.standard.line(Self.json(counts, documents, events).compactText()) }
            let words = PaperlessDocument.State.allCases.map { "\(counts[$0] ?? 0) \($0.rawValue)" }
            Console.standard.line("paperless-ngx  " + words.joined(separator: ", "))
            for document in documents {
                let reason = document.reason.map { ": \($0.inLine(limit: 500))" } ?? ""
                let place = "\(document.bankID) \(document.place)".inLine()
                Console.standard.line(
                    "  \(document.state.rawValue)  \(place)\(reason)",
                    document.state == .failed ? .bad : .plain)
            }
            let reason = events.reason.map { "; last: \($0.inLine(limit: 500))" } ?? ""
            Console.standard.line("webhook        \(events.waiting) waiting, \(events.failed) failed\(reason)")
        }
    }

    private static func json(
        _ counts: [PaperlessDocument.State: Int], _ documents: [PaperlessDocument], _ events: WebhookStore.Undelivered
    ) -> JSONValue {
        let states = PaperlessDocument.State.allCases.map { ($0.rawValue, JSONValue.number(Double(counts[$0] ?? 0))) }
        return [
            "paperless": [
                "counts": .object(Dictionary(uniqueKeysWithValues: states)),
                "documents": .array(documents.map(json)),
            ],
            "webhook": [
                "waiting": .number(Double(events.waiting)), "failed": .number(Double(events.failed)),
                "reason": events.reason.map { .string($0) } ?? .null,
            ],
        ]
    }

    private static func json(_ document: PaperlessDocument) -> JSONValue {
        [
            "request_id": .string(document.key.requestID.description),
            "document_id": document.key.documentID.map { .string($0.description) } ?? .null,
            "bank_id": .string(document.bankID), "period": .string(document.place.period.description),
            "account": document.place.account.map { .string($0.description) } ?? .null,
            "kind": .string(document.place.kind.rawValue), "state": .string(document.state.rawValue),
            "attempts": .number(Double(document.attempts)), "reason": document.reason.map { .string($0) } ?? .null,
        ]
    }
}
