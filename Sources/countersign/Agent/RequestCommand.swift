import Agent
import ArgumentParser
import Clocks
import Foundation
import Terminal

struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Ask the broker for a statement, as an agent.",
        discussion: "Exit status: 0 the request was made (with --wait: completed), 1 it failed, was denied or expired.")

    @Argument(help: "The statement's month: 2026-01, last-month or this-month.")
    var period: StatementMonth?

    @Option(help: "The statement's month, 1 to 12; with --year, instead of the argument.")
    var month: Int?

    @Option(help: "The statement's year; with --month.")
    var year: Int?

    @Option(help: "The bank, by its id in countersign banks; by default the broker's own.")
    var bank: String?

    @Option(help: "Your own name for this request; the same name again returns the same request.")
    var agentRequestID: String?

    @Flag(help: "Wait until the request ends, and print the PDF's path.")
    var wait = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        let isNamed = period != nil
        guard isNamed == (month == nil), isNamed == (year == nil) else {
            throw ValidationError("give the month once: 2026-01 or last-month, or both --month and --year")
        }
    }

    func run() async throws {
        let named = period?.period()
        guard let month = named?.month ?? month, let year = named?.year ?? year else {
            throw CommandFailure("last-month needs a clock after January 1900; set the machine's clock", status: 2)
        }
        let client = try broker.client()
        try await reportingFailures {
            var request = try await client.requestStatement(
                month: month, year: year, bankID: bank, agentRequestID: agentRequestID)
            report(request)
            if wait { request = try await outcome(of: request, client) }
            await client.close()
            if request.status.isTerminal, request.status != .completed { throw ExitCode(1) }
        }
    }

    /// Waits for the request's end, and shows its state on one line of the terminal meanwhile.
    private func outcome(of first: AgentRequest, _ client: AgentClient) async throws -> AgentRequest {
        let line = StatusLine()
        let writing = Task { await line.run() }
        defer {
            writing.cancel()
            line.clear()
        }
        let deadline = first.json["approval_expires_at"]?.stringValue.flatMap(Timestamp.init)?.date
        var request = first
        while !request.status.isTerminal {
            if !json { line.show(RequestProgress(status: request.status, deadline: deadline)) }
            let before = request.status
            request = try await client.request(request.id, wait: 30)
            guard request.status != before else { continue }
            line.clear()
            report(request)
        }
        return request
    }

    private func report(_ request: AgentRequest) {
        if json { return Console.standard.line(request.json.compactText()) }
        var text = "\(request.id)  \(request.status.rawValue)"
        if let path = request.filePath { text += "\nPDF: \(path)" }
        if let code = request.errorCode { text += "  \(code)" }
        if let message = request.errorMessage { text += ": \(message)" }
        if let words = request.bankSaysUntrusted {
            text += "\nThe phone reports, in words that may be the bank's: “\(words)”"
        }
        Console.standard.line(text)
    }
}
