import ArgumentParser
import Clocks
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
            if requests.isEmpty, !json { Console.standard.line("no requests found") }
            for request in requests {
                if json {
                    Console.standard.line(request.json.compactText())
                } else {
                    let period = request.json["params"].flatMap { params in
                        let type =
                            params["periods"] == nil ? RequestEnvelope.statementType : RequestEnvelope.documentsType
                        return try? RequestSubject(type: type, parameters: params)
                    }
                    Console.standard.line(
                        "\(request.id)  \(request.status.rawValue.padding(toLength: 16, withPad: " ", startingAt: 0))"
                            + "  \(period?.words ?? "")  \(request.errorCode ?? request.filePath ?? "")")
                }
            }
        }
    }
}
