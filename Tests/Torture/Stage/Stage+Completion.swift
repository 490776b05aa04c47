import Clocks
import Foundation
import Messages
import MockBank

extension Stage {
    /// Follows a request to its end, and asks again until the statement is there.
    func complete(_ month: MonthYear, _ first: RequestID?, _ row: inout Tally) async throws {
        var next = first
        for _ in 0..<5 {
            let id: RequestID
            if let next {
                id = next
            } else {
                id = try await agent.requestStatement(month: month.month, year: month.year).id
            }
            next = nil
            _ = await eventually(within: .seconds(60)) {
                (try? await agent.request(id).status.isTerminal) == true
            }
            let request = try await agent.request(id)
            guard request.status == .completed else { continue }
            let bytes = request.filePath.flatMap { FileManager.default.contents(atPath: $0) }
            if bytes != Data(MockBankServer.statement(month: month.month, year: month.year)) {
                row.lose("the file of \(month) is not the bank's")
            }
            return
        }
        row.loseByTime("the statement of \(month) did not come in five requests")
    }
}
