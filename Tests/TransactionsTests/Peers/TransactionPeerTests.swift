import Foundation
import TestSupport
import Testing

@testable import Transactions

@Suite("Against ofxtools, mt-940 and beancount", .needsPeers)
struct TransactionPeerTests {
    private func numbers(_ kind: String, _ file: URL) async throws -> [String] {
        let outcome = try await Peers.run(script: "transactions.py", [kind, file.path])
        #expect(outcome.status == 0)
        return String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func expected(_ history: AccountHistory) -> [String] {
        history.transactions.map(\.amount.description) + [history.closing?.amount.description ?? ""]
    }

    @Test("our OFX and journals have the same amounts and balance", arguments: ["ofx", "beancount"])
    func exports(kind: String) async throws {
        let histories = AccountHistory.of(try TransactionFile.read(Array(CAMTReaderTests.statement.utf8)))
        let format = try #require(TransactionExport(rawValue: kind))
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).\(kind)")
        defer { try? FileManager.default.removeItem(at: file) }
        try format.text(histories).write(to: file, atomically: true, encoding: .utf8)
        #expect(try await numbers(kind, file) == expected(histories[0]))
    }

    @Test(
        "MT940 as banks write it has the same amounts", .needsVectors,
        arguments: ["mBank/mt940.sta"])
    func swift(file: String) async throws {
        let place = try Vectors.url("mt940/\(file)")
        let histories = AccountHistory.of(try TransactionFile.read(Array(try Data(contentsOf: place))))
        #expect(try await numbers("mt940", place).sorted() == expected(histories[0]).sorted())
    }
}
