import Broker
import Clocks
import CurlClient
import Encodings
import Foundation
import Messages
import Testing

@testable import BrokerCommands

@Suite("Instructions in a stranger's text", .timeLimit(.minutes(5)))
struct InjectionCorpusTests {
    /// Each page of every document is one of the texts, and so is the excerpt of a search.
    private struct Library: DocumentLibrary {
        func pages(of file: URL, _ kind: DocumentKind) async throws -> [String] { InjectionCorpus.texts }
        func places(of digests: Set<String>) async -> [String: URL] { [:] }
        func find(_ words: String) async throws -> [FoundText] {
            guard let number = Int(words) else { return [] }
            let file = Data("%PDF-1.4 statement startxref 0 %%EOF".utf8)
            return [FoundText(sha256: MCPSession.digest(of: file), excerpt: InjectionCorpus.texts[number])]
        }
    }

    /// Returns an answer without the members that are for a stranger's text. A text that is JSON is read, too.
    private static func trusted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            .object(members.filter { !$0.key.hasSuffix("_untrusted") }.mapValues(trusted))
        case .array(let items): .array(items.map(trusted))
        case .string(let text):
            (try? JSONReader.read(text)).flatMap { $0.objectValue == nil ? nil : trusted($0) } ?? value
        default: value
        }
    }

    /// Checks that a text is in the answer, and only where a stranger's text belongs.
    private static func check(_ answer: JSONValue, _ numbers: some Sequence<Int>, _ way: Comment, isShown: Bool = true)
    {
        let rest = trusted(answer).compactText()
        let whole = answer.compactText()
        for number in numbers {
            let mark = InjectionCorpus.mark(number)
            #expect(whole.contains(mark) == isShown, "\(way): \(number)")
            #expect(!rest.contains(mark), "\(way): \(InjectionCorpus.texts[number])")
        }
    }

    @Test("is in members that say so, and nowhere else: 50 texts in documents, excerpts, bank's messages and reasons")
    func everywhere() async throws {
        #expect(InjectionCorpus.texts.count == 50)
        try await MCPSession.with(library: Library()) { session in
            let asked = try await session.callTool("request_statement", ["month": 1, "year": 2026])
            let first = try #require(
                asked["structuredContent"]?["request_id"]?.stringValue.flatMap { RequestID($0) })
            try await session.deliver(first, pdf: "%PDF-1.4 statement startxref 0 %%EOF")
            while try await session.client.request(first).status != .completed {
                try await Task.sleep(for: .milliseconds(50))
            }
            let listed = try await session.callTool("list_documents", [:])
            let document = try #require(
                listed["structuredContent"]?["documents"]?.arrayValue?.first?["document_id"]?.stringValue)
            let all = try await session.callTool("read_document", ["document_id": .string(document)])
            Self.check(all, 0..<50, "a document's text")

            var failed: [RequestID] = []
            for (number, text) in InjectionCorpus.texts.enumerated() {
                let found = try await session.callTool("find_documents", ["words": .string("\(number)")])
                Self.check(found, [number], "an excerpt")

                let period: [String: JSONValue] = [
                    "month": .number(Double(number % 12 + 1)), "year": .number(Double(2000 + number / 12)),
                ]
                let reason = String(String.UnicodeScalarView(text.unicodeScalars.prefix(AgentReason.longest)))
                let made = try await session.callTool(
                    "request_statement", .object(period.merging(["reason": .string(reason)]) { $1 }))
                Self.check(made, [number], "a reason", isShown: false)
                let id = try #require(
                    made["structuredContent"]?["request_id"]?.stringValue.flatMap { RequestID($0) }, "\(made)")
                try await session.approve(id)
                try await session.fail(id, saying: text)
                failed.append(id)
                let state = try await session.callTool("get_request", ["request_id": .string(id.description)])
                Self.check(state, [number], "a bank's message")
            }
            let requests = try await session.callTool("list_requests", ["limit": 200])
            Self.check(requests, 0..<50, "the list of requests")
            #expect(failed.count == 50)
        }
    }
}
