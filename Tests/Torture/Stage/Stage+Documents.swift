import Clocks
import Foundation
import Messages
import MockBank
import TestSupport

extension Stage {
    /// Writes the script for several accounts and every kind of document, and returns its path.
    func everyKindScript() throws -> String {
        let script = root.appending(path: "script.yaml")
        let source = Repository.file("BankScripts/DefaultBank/Variants/every-kind.yaml")
        try Data(contentsOf: source).write(to: script)
        return script.path
    }

    /// Makes a first visit: the accounts are known after it.
    ///
    /// - Parameter month: any month.
    func learnAccounts(besides month: MonthYear) async throws {
        try await banksAreTold()
        let request = try await agent.requestDocuments(DocumentsRequest(from: month, to: month))
        try await end(of: request.id)
        let accounts = await eventually(within: .seconds(90)) {
            (try? await agent.banks().first?.accounts.count) == 3
        }
        guard accounts else { throw Impatience(description: "the phone does not tell its accounts") }
    }

    /// Waits for the end of a request.
    func end(of id: RequestID) async throws {
        let hasEnded = await eventually(within: .seconds(120)) {
            (try? await agent.request(id).status.isTerminal) == true
        }
        guard hasEnded else { throw Impatience(description: "request \(id.short) does not end") }
    }
}
