import Encodings
import Foundation
import Messages
import TestSupport
import Testing

@Suite("countersign agent receipt", .timeLimit(.minutes(4)))
struct ReceiptCommandTests {
    @Test("fetches a receipt, and verifies it and a document without a broker")
    func wholeWay() async throws {
        try await MCPSession.with { session in
            let token = session.root.appending(path: "token.txt")
            try Data(MCPSession.token.utf8).write(to: token)
            let file = session.root.appending(path: "receipt.json")
            let environment = ["HOME": session.root.path, "PATH": "/usr/bin:/bin"]
            func run(_ arguments: [String]) async throws -> ChildProcess.Outcome {
                try await ChildProcess.run(
                    Repository.countersign, ["agent", "receipt"] + arguments, environment: environment)
            }
            let id = try await session.client.requestStatement(month: 1, year: 2026).id
            let broker = ["--broker", session.url, "--token-file", token.path]
            let early = try await run(["\(id)", "--out", file.path] + broker)
            #expect(early.status == 1 && early.text.contains("PENDING_APPROVAL"), "\(early.text)")
            try await session.deliver(id, pdf: "%PDF-1.4 statement startxref 0 %%EOF")
            while try await session.client.request(id).status != .completed {
                try await Task.sleep(for: .milliseconds(50))
            }
            let fetched = try await run(["\(id)", "--out", file.path] + broker)
            #expect(fetched.status == 0, "\(fetched.text)")
            let short = try await run(["\(id.description.prefix(8))", "--out", file.path] + broker)
            #expect(short.status == 0, "\(short.text)")
            let unknown = try await run([id.description.hasPrefix("0000") ? "1111" : "0000"] + broker)
            #expect(unknown.status == 1 && unknown.text.contains("no completed request"), "\(unknown.text)")
            #expect(try await run(["xyz"] + broker).status != 0)

            let path = try #require(try await session.client.request(id).filePath)
            let verified = try await run(["verify", file.path, path])
            #expect(verified.status == 0 && verified.text.contains("The receipt is valid."), "\(verified.text)")
            #expect(verified.text.contains("without a signature of a device"))
            #expect(verified.text.contains("this file  \(path) is the pdf of 2026-01\n"), "\(verified.text)")
            #expect(try await run(["verify", file.path]).text.contains("this file") == false)
            let json = try JSONReader.read(Array(try await run(["verify", file.path, "--json"]).output))
            let key = try #require(json["receipt_key"]?.stringValue)
            #expect(json["request_id"]?.stringValue == id.description)
            #expect(try await run(["verify", file.path, "--key", key]).status == 0)
            let other = try await run(["verify", file.path, "--key", String(repeating: "0", count: 64)])
            #expect(other.status == 1 && other.text.contains("another broker"), "\(other.text)")
            let document = try await run(["verify", file.path, token.path])
            #expect(document.status == 1 && document.text.contains("is not in the receipt"), "\(document.text)")

            var bytes = try Data(contentsOf: file)
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: file)
            let changed = try await run(["verify", file.path])
            #expect(changed.status == 1 && changed.text.contains("is not valid"), "\(changed.text)")
            #expect(try await run(["verify", session.root.appending(path: "gone").path]).status != 0)
        }
    }
}
