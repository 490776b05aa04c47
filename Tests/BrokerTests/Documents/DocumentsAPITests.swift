import Broker
import BrokerClient
import Clocks
import Foundation
import Messages
import Secrets
import Synchronization
import TestParties
import TestSupport
import Testing

@Suite("The documents that an agent has")
struct DocumentsAPITests {
    /// Knows three pages of each file, and one word.
    private struct Library: DocumentLibrary {
        let sha256: String

        func pages(of file: URL, _ kind: DocumentKind) async throws -> [String] {
            guard FileManager.default.fileExists(atPath: file.path) else { throw DocumentLibraryError("it is gone") }
            return ["one", "two", "three"]
        }

        func places(of digests: Set<String>) async -> [String: URL] {
            digests.contains(sha256) ? [sha256: URL(filePath: "/home/robin/Statements/January.pdf")] : [:]
        }

        func find(_ words: String) async throws -> [FoundText] {
            guard words == "insurance" else { throw DocumentLibraryError("it has no words") }
            return [
                FoundText(sha256: String(repeating: "a", count: 64), excerpt: "of another agent"),
                FoundText(sha256: sha256, excerpt: "an\u{202E} [insurance]\n"),
            ]
        }
    }

    private static func complete(_ stage: BrokerStage) async throws -> RequestID {
        let id = try await stage.request()
        _ = try await stage.decide(id, "APPROVE")
        try stage.publish(id)
        #expect(try await BrokerStage.wait(for: id, on: stage) == "COMPLETED")
        return id
    }

    @Test("are listed, found and read page by page")
    func reading() async throws {
        let stage = try BrokerStage()
        let completed = Mutex<RequestID?>(nil)
        try await stage.run { stage in
            let id = try await Self.complete(stage)
            completed.withLock { $0 = id }
        }
        let request = try #require(completed.withLock { $0 })
        let sha256 = try #require(try stage.column("result_sha256", of: request))
        try await stage.run(library: Library(sha256: sha256)) { stage in
            let client = Self.client(stage)
            let page = try await client.documents()
            let held = try #require(page.documents.first)
            #expect(page.documents.count == 1 && page.nextCursor == nil)
            #expect(held.bankID == "default" && held.document.kind == .pdf && held.document.sha256 == sha256)
            #expect(try await client.documents(HeldDocumentFilter(kind: .csv)).documents.isEmpty)
            #expect(try await client.documents(HeldDocumentFilter(to: MonthYear("1999-01"))).documents.isEmpty)
            #expect(try await client.documents(HeldDocumentFilter(bankID: "other")).documents.isEmpty)

            let found = try await client.documents(finding: "insurance").documents
            #expect(found.map(\.excerptUntrusted) == ["an [insurance]"], "other agents' documents are not found")
            let filed = [
                held.document.filedPath, found.first?.document.filedPath, try await client.request(request).filedPath,
                try await client.page(of: .completed, limit: 10).requests.first?.filedPath,
            ]
            #expect(filed == Array(repeating: "/home/robin/Statements/January.pdf", count: 4))
            await #expect { try await client.documents(finding: "x") } throws: { "\($0)".contains("it has no words") }

            let id = held.document.id
            let all = try await client.text(of: id)
            #expect(all["text_untrusted"]?.stringValue == "one\n\u{C}\ntwo\n\u{C}\nthree" && all["page_count"] == 3)
            let one = try await client.text(of: id, from: 2, to: 2)
            #expect(one["text_untrusted"] == "two" && one["first_page"] == 2 && one["last_page"] == 2)
            #expect(try await client.text(of: id, from: 3, to: 9)["last_page"] == 3)
            await #expect { try await client.text(of: id, from: 4) } throws: {
                "\($0)".contains("after the last page: the document has 3")
            }
            await #expect { try await client.text(of: id, from: 3, to: 2) } throws: { "\($0)".contains("last_page") }
            let stranger = try #require(DocumentID(String(repeating: "0", count: 32)))
            await #expect { try await client.text(of: stranger) } throws: { "\($0)".contains("has no such document") }
            await client.close()
        }
    }

    private static func client(_ stage: BrokerStage) -> AgentClient {
        AgentClient(baseURL: stage.url, token: Secret(BrokerStage.agentToken))
    }

    @Test("are listed by an account whose spaces are written as %20 or as +", arguments: ["x%20y", "x+y"])
    func spaces(_ account: String) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let known = try await stage.send("GET", "/documents?account=\(account)")
            #expect(known.status == 200, "\(known)")
            let unknown = try await stage.send("GET", "/documents?account=x%2By")
            #expect(unknown.status == 400)
        }
    }

    @Test("are neither searched nor read by a broker without a library, and another agent has none of them")
    func none() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            _ = try await Self.complete(stage)
            let client = Self.client(stage)
            let held = try #require(try await client.documents().documents.first)
            await #expect { try await client.documents(finding: "x") } throws: {
                "\($0)".contains("no archive to search in")
            }
            await #expect { try await client.text(of: held.document.id) } throws: { "\($0)".contains("reads no text") }
            await client.close()
        }
    }
}
