import ArgumentParser
import Broker
import Foundation
import Secrets

/// How an agent reaches its broker.
struct BrokerOptions: ParsableArguments {
    @Option(help: "The broker’s address (BROKER_URL).")
    var broker: String?

    @Option(help: "A file whose first line is the agent’s token; BROKER_API_TOKEN otherwise.")
    var tokenFile: String?

    func client() throws -> AgentClient {
        let environment = ProcessInfo.processInfo.environment
        let port = environment["BROKER_PORT"] ?? "8765"
        let address = broker ?? environment["BROKER_URL"] ?? "http://127.0.0.1:\(port)"
        if let tokenFile { return AgentClient(baseURL: address, token: try Asking.secret(inFile: tokenFile)) }
        guard let token = environment["BROKER_API_TOKEN"], !token.isEmpty else {
            throw CommandFailure("the agent’s token is missing; set BROKER_API_TOKEN or give --token-file")
        }
        return AgentClient(baseURL: address, token: Secret(token))
    }
}

struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Ask the broker for a statement, as an agent.",
        discussion: "Exit status: 0 asked for (with --wait: completed), 1 failed, denied or expired.")

    @Option(help: "The statement’s month, 1 to 12.")
    var month: Int

    @Option(help: "The statement’s year.")
    var year: Int

    @Option(help: "A name of your own for this request; asking again under it asks for nothing new.")
    var agentRequestID: String?

    @Flag(help: "Wait until the request has ended, and print the PDF’s path.")
    var wait = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    func run() async throws {
        let client = try broker.client()
        do {
            var request = try await client.requestStatement(
                month: month, year: year, agentRequestID: agentRequestID)
            report(request)
            while wait, !request.status.isTerminal {
                let before = request.status
                request = try await client.request(request.id, wait: 30)
                if request.status != before { report(request) }
            }
            await client.close()
            if request.status.isTerminal, request.status != .completed { throw ExitCode(1) }
        } catch let error as AgentError {
            throw CommandFailure(error.description)
        }
    }

    private func report(_ request: AgentRequest) {
        if json { return Console.standard.line(request.json.compactText()) }
        var text = "\(request.id)  \(request.status.rawValue)"
        if let path = request.filePath { text += "\nPDF: \(path)" }
        if let code = request.errorCode { text += "  \(code)" }
        if let message = request.errorMessage { text += ": \(message)" }
        Console.standard.line(text)
    }
}

struct RequestsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requests", abstract: "List the newest requests, as an agent.")

    @Option(help: "How many, at most 200.")
    var limit = 20

    @Flag(help: "Print JSON, one request a line.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        guard (1...200).contains(limit) else { throw ValidationError("--limit goes from 1 to 200") }
    }

    func run() async throws {
        let client = try broker.client()
        do {
            let requests = try await client.requests(limit: limit)
            await client.close()
            if requests.isEmpty, !json { Console.standard.line("no requests yet") }
            for request in requests {
                if json {
                    Console.standard.line(request.json.compactText())
                } else {
                    let period = request.json["params"].flatMap {
                        "\($0["year"]?.intValue ?? 0)-\($0["month"]?.intValue ?? 0)"
                    }
                    Console.standard.line(
                        "\(request.id)  \(request.status.rawValue.padding(toLength: 16, withPad: " ", startingAt: 0))"
                            + "  \(period ?? "")  \(request.errorCode ?? request.filePath ?? "")")
                }
            }
        } catch {
            throw CommandFailure("\(error)")
        }
    }
}
