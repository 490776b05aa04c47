import Clocks
import Encodings
import Foundation
import Terminal
import Testing

@testable import BrokerClient
@testable import BrokerCommands

@Suite("The table of requests")
struct RequestsTableTests {
    private static let now = Date(timeIntervalSince1970: 1_795_608_000)

    private func request(_ id: String, _ status: String, _ more: [String: JSONValue]) throws -> AgentRequest {
        let asked = Timestamp(Self.now.addingTimeInterval(-7200)).description
        let members: [String: JSONValue] = [
            "request_id": .string(id), "status": .string(status), "created_at": .string(asked),
            "params": ["month": 5, "year": 2026],
        ]
        return try AgentRequest(.object(members.merging(more) { $1 }))
    }

    @Test("fits 80 columns, with short ids, relative times and the whole path of the filed document")
    func narrow() throws {
        let path = "/home/robin/SecureFetcher/inbox/accepted/3f2a9c1e-7b64-4f0e-9a51-0d2c8e6b7f10-may-2026.pdf"
        let filed = "/home/robin/Documents/Statements/my-bank/2026/2026-05 statement.pdf"
        let lines = RequestsCommand.table(
            of: [
                try request(
                    "3f2a9c1e-7b64-4f0e-9a51-0d2c8e6b7f10", "COMPLETED",
                    ["file_path": .string(path), "filed_path": .string(filed)]),
                try request(
                    "7b644f0e-3f2a-4f0e-9a51-0d2c8e6b7f10", "FAILED", ["error_code": "BANK_LOGIN_FAILED"]),
                try request("0d2c8e6b-3f2a-4f0e-9a51-0d2c8e6b7f10", "COMPLETED", ["file_path": .string(path)]),
            ], at: Self.now
        ).lines(width: 80)
        #expect(lines.allSatisfy { $0.text.count <= 80 }, "\(lines.map(\.text))")
        #expect(lines[0].text.hasPrefix("ID        STATUS     WHAT"))
        #expect(lines[1].text.hasPrefix("3f2a9c1e  COMPLETED  2026-05  2 h ago  /home/robin/Doc"), "\(lines[1].text)")
        let whole = lines.dropFirst().map { $0.text.dropFirst(39) }.joined().filter { $0 != " " }
        #expect(whole == filed.filter { $0 != " " } + "BANK_LOGIN_FAILED" + path, "\(whole)")
        #expect(lines.contains { $0.text.hasSuffix("BANK_LOGIN_FAILED") && $0.style == .bad })
    }

    @Test("says how many of several documents came")
    func counts() throws {
        func result(_ delivered: Int) throws -> Substring? {
            let request = try request(
                "3f2a9c1e-7b64-4f0e-9a51-0d2c8e6b7f10", "COMPLETED",
                ["documents_delivered": .number(Double(delivered)), "documents_asked": 27])
            return RequestsCommand.table(of: [request], at: Self.now).lines(width: 80)[1].text.split(separator: "ago  ")
                .last
        }
        #expect(try result(24) == "24 of 27 documents")
        #expect(try result(27) == "27 documents")
    }

    @Test("names the banks where there are several")
    func banks() throws {
        let requests = try ["canal-clyde", "north"].map { bank in
            try request("3f2a9c1e-7b64-4f0e-9a51-0d2c8e6b7f10", "DENIED", ["bank_id": .string(bank)])
        }
        let lines = RequestsCommand.table(of: requests, at: Self.now).lines(width: 80).map(\.text)
        #expect(lines[0].hasPrefix("ID        STATUS  BANK         WHAT"), "\(lines)")
        #expect(lines[1].contains("canal-clyde  2026-05") && lines[2].contains("north        2026-05"), "\(lines)")
        #expect(!RequestsCommand.table(of: [requests[0]], at: Self.now).lines(width: 80)[0].text.contains("BANK"))
    }
}
