import BrokerClient
import BrokerStore
import CurlClient
import DeviceTrust
import Encodings
import Foundation
import Messages
import Secrets
import TestParties
import Testing

import struct Crypto.SHA256

@testable import Broker

@Suite("The file of a document, for an agent on another machine")
struct DocumentFileTests {
    /// A request of this agent that is complete, and its document.
    private struct Held {
        let request: RequestID
        let document: DocumentID
        let path: String
    }

    private func configuration(_ stage: BrokerStage, files: String) throws -> BrokerConfiguration {
        var configuration = stage.configuration
        configuration.policy = try ApprovalPolicy(
            yaml: "version: 1\nagents:\n  - agent: default\n    files: \(files)\n")
        return configuration
    }

    private func complete(_ stage: BrokerStage) async throws -> Held {
        let id = try await stage.request()
        _ = try await stage.decide(id, "APPROVE")
        try stage.publish(id)
        #expect(try await BrokerStage.wait(for: id, on: stage) == "COMPLETED")
        let documents = try await stage.send("GET", "/documents").json["documents"]?.arrayValue
        let document = try #require(documents?.first?["document_id"]?.stringValue.flatMap { DocumentID($0) })
        return Held(request: id, document: document, path: try #require(try stage.column("result_file_path", of: id)))
    }

    private func get(
        _ stage: BrokerStage, _ document: DocumentID, _ headers: [String: String] = [:],
        token: String = BrokerStage.agentToken
    ) async throws -> HTTPResponse {
        let http = CurlSession()
        let answer = try await http.send(
            HTTPRequest(
                "GET", "\(stage.url)/documents/\(document)/file",
                headers: [HTTPHeader("Authorization", "Bearer \(token)")] + headers.map { HTTPHeader($0.key, $0.value) }
            ))
        await http.close()
        return answer
    }

    @Test("comes whole with its digest, and in parts; each is in the audit log")
    func parts() async throws {
        let stage = try BrokerStage()
        try await stage.run(try configuration(stage, files: "bytes")) { stage in
            let held = try await complete(stage)
            let file = Array("%PDF-1.4 \(held.request) startxref 0 %%EOF".utf8)
            let digest = Data(SHA256.hash(data: file)).base64EncodedString()
            let whole = try await get(stage, held.document)
            #expect(whole.status == 200 && whole.body == file)
            #expect(whole.header("repr-digest") == "sha-256=:\(digest):")
            #expect(whole.header("content-type") == "application/pdf" && whole.header("accept-ranges") == "bytes")
            #expect(whole.header("x-content-type-options") == "nosniff" && whole.header("cache-control") == "no-store")
            let tag = try #require(whole.header("etag"))
            for (range, part) in [("bytes=0-7", file[0...7]), ("bytes=-5", file.suffix(5))] {
                let answer = try await get(stage, held.document, ["Range": range, "If-Range": tag])
                #expect(answer.status == 206 && answer.body == Array(part))
                #expect(answer.header("content-range") == "bytes \(part.startIndex)-\(part.endIndex - 1)/\(file.count)")
                #expect(answer.header("repr-digest") == "sha-256=:\(digest):")
            }
            #expect(try await get(stage, held.document, ["Range": "bytes=0-7", "If-Range": "\"other\""]).status == 200)
            let none = try await get(stage, held.document, ["Range": "bytes=\(file.count)-"])
            #expect(none.status == 416 && none.header("content-range") == "bytes */\(file.count)")

            let client = AgentClient(baseURL: stage.url, token: Secret(BrokerStage.agentToken))
            #expect(try await client.file(of: held.document) == file)
            await client.close()
            let events = try await BrokerAudit.open(stage.database).records().map(\.event)
                .filter { $0.type == "document.sent" }
            #expect(events.count == 5 && events.allSatisfy { $0.requestID == held.request.description })
            #expect(events[0].details["first_byte"] == nil && events[1].details["last_byte"] == 7)
            #expect(events[0].details["agent"] == "default")
        }
    }

    @Test("is not for another agent, nor for one that the policy does not give it")
    func refused() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let held = try await complete(stage)
            let usual = try await get(stage, held.document)
            #expect(usual.status == 403)
            #expect(try JSONReader.read(usual.body)["error_code"] == "AGENT_NOT_ALLOWED")
        }
        var configuration = stage.configuration
        configuration.policy = try ApprovalPolicy(yaml: "version: 1\nagents: [{ agent: \"*\", files: bytes }]\n")
        try await stage.run(configuration) { stage in
            let held = try await complete(stage)
            let other = try await stage.administration().agents.add(try #require(AgentName("other"))).revealed()
            #expect(try await get(stage, held.document, token: other).status == 404)
            #expect(try await get(stage, held.document, token: "wrong-token-wrong-token").status == 401)
            #expect(try await get(stage, try #require(DocumentID(String(repeating: "0", count: 32)))).status == 404)
        }
    }

    @Test("is not sent when it is not the file any more that the phone delivered")
    func changed() async throws {
        let stage = try BrokerStage()
        try await stage.run(try configuration(stage, files: "bytes")) { stage in
            let held = try await complete(stage)
            chmod(held.path, 0o600)
            try Data("%PDF-1.4 another startxref 0 %%EOF".utf8).write(to: URL(filePath: held.path))
            let answer = try await get(stage, held.document)
            #expect(answer.status == 409 && !String(decoding: answer.body, as: UTF8.self).contains("another startxref"))
        }
    }

    @Test(
        "its path, text and bytes follow the policy",
        arguments: [
            ("path", true, true, false), ("bytes", false, true, true), ("text", false, true, false),
            ("none", false, false, false),
        ])
    func ways(files: String, path: Bool, text: Bool, bytes: Bool) async throws {
        let stage = try BrokerStage()
        try await stage.run(try configuration(stage, files: files), library: Words()) { stage in
            let held = try await complete(stage)
            let places = [
                try await stage.send("GET", "/request/\(held.request)").json["file_path"],
                try await stage.send("GET", "/requests").json["requests"]?.arrayValue?.first?["file_path"],
                try await stage.send("GET", "/documents").json["documents"]?.arrayValue?.first?["file_path"],
            ]
            #expect(places.allSatisfy { ($0 != nil) == path }, "\(places)")
            #expect(try await stage.send("GET", "/request/\(held.request)").json["sha256"] != nil)
            #expect(try await stage.send("GET", "/documents/\(held.document)/text").status == (text ? 200 : 403))
            #expect(try await stage.send("GET", "/documents?q=a").status == (text ? 200 : 403))
            #expect(try await get(stage, held.document).status == (bytes ? 200 : 403))
        }
    }

    private struct Words: DocumentLibrary {
        func pages(of file: URL, _ kind: DocumentKind) async throws -> [String] { ["a"] }
        func places(of digests: Set<String>) async -> [String: URL] { [:] }
        func find(_ words: String) async throws -> [FoundText] { [] }
    }
}
