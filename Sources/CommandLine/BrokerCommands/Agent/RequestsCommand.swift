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
                let namesBanks = Self.namesBanks(requests)
                for request in requests {
                    let bank = namesBanks ? request.bankID.map { " of \($0.inLine())" } ?? "" : ""
                    Console.standard.line(
                        "\(request.id)  \(request.status.rawValue.padding(toLength: 16, withPad: " ", startingAt: 0))"
                            + "  \(Self.words(for: request).inLine(limit: 400))\(bank)  \(Self.result(of: request))")
                }
            }
        }
    }

    static func table(of requests: [AgentRequest], at now: Date) -> Table {
        let namesBanks = namesBanks(requests)
        var header = ["ID", "STATUS", "WHAT", "ASKED", "RESULT"]
        if namesBanks { header.insert("BANK", at: 2) }
        var table = Table(header, wrapsLast: true)
        for request in requests {
            let asked = request.json["created_at"]?.stringValue.flatMap { Timestamp($0) }?.date.ago(at: now) ?? ""
            var cells = [request.id.short, request.status.rawValue, words(for: request), asked, result(of: request)]
            if namesBanks { cells.insert(request.bankID?.inLine() ?? "", at: 2) }
            table.add(cells, style: request.status == .failed ? .bad : .plain)
        }
        return table
    }

    /// Returns whether the list has to say which bank each request is for.
    private static func namesBanks(_ requests: [AgentRequest]) -> Bool { Set(requests.compactMap(\.bankID)).count > 1 }

    /// Returns the error, the place of the document, or the number of the documents that came.
    private static func result(of request: AgentRequest) -> String {
        request.errorCode?.inLine() ?? place(of: request)?.inLine(limit: 1000) ?? request.documentCounts?.description
            ?? ""
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
