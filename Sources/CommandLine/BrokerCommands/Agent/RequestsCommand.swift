import ArgumentParser
import BrokerClient
import Clocks
import Encodings
import Foundation
import Messages
import Terminal

package struct RequestsCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "requests", abstract: "List the newest requests, as an agent.")

    @Option(help: "The number of requests to list, at most 200.")
    var limit = 20

    @Option(help: "Only requests in this state, e.g. COMPLETED.")
    var status: String?

    @Flag(help: "Print JSON, one request per line.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    package init() {}

    package func validate() throws {
        guard (1...200).contains(limit) else { throw ValidationError("--limit must be 1 to 200") }
        guard status.map({ RequestStatus(rawValue: $0) != nil }) ?? true else {
            let states = RequestStatus.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--status must be one of \(states)")
        }
    }

    package func run() async throws {
        let client = try broker.client()
        try await reportingFailures {
            let requests = try await client.page(
                of: status.flatMap { RequestStatus(rawValue: $0) }, limit: limit
            ).requests
            await client.close()
            if json {
                for request in requests { Console.standard.line(request.json.compactText()) }
            } else if requests.isEmpty {
                Console.standard.line("no requests found")
            } else if Console.isTerminal {
                Console.standard.table(Self.table(of: requests, at: Date()))
            } else {
                for request in requests {
                    Console.standard.line(
                        "\(request.id)  \(request.status.rawValue.padding(toLength: 16, withPad: " ", startingAt: 0))"
                            + "  \(Self.words(for: request).inLine(limit: 400))  "
                            + (request.errorCode?.inLine() ?? Self.place(of: request)?.inLine(limit: 1000) ?? ""))
                }
            }
        }
    }

    static func table(of requests: [AgentRequest], at now: Date) -> Table {
        var table = Table("ID", "STATUS", "WHAT", "ASKED", "RESULT", wrapsLast: true)
        for request in requests {
            let asked = request.json["created_at"]?.stringValue.flatMap { Timestamp($0) }
            table.add(
                request.id.short, request.status.rawValue, words(for: request), asked?.date.ago(at: now) ?? "",
                request.errorCode?.inLine() ?? place(of: request)?.inLine(limit: 1000) ?? "",
                style: request.status == .failed ? .bad : .plain)
        }
        return table
    }

    /// The path where the person finds the document: in the owner's archive if it is there.
    private static func place(of request: AgentRequest) -> String? { request.filedPath ?? request.filePath }

    private static func words(for request: AgentRequest) -> String {
        let subject = request.json["params"].flatMap { params in
            let type = params["periods"] == nil ? RequestEnvelope.statementType : RequestEnvelope.documentsType
            return try? RequestSubject(kept: type, parameters: params)
        }
        return subject?.words ?? ""
    }
}
