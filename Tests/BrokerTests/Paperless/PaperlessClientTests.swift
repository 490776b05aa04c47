import Clocks
import Crypto
import Encodings
import Foundation
import Secrets
import TestServers
import TestSupport
import Testing

@testable import Broker

/// Makes a document with a text of its own.
func anUpload(_ text: String = UUID().uuidString, title: String = "Meridian Savings 2026-01") -> PaperlessUpload {
    let bytes = Array("%PDF-1.4 \(text) startxref 0 %%EOF".utf8)
    return PaperlessUpload(
        bytes: bytes, mediaType: "application/pdf", fileExtension: "pdf",
        sha256: Base16.encode(SHA256.hash(data: bytes)), title: title, created: "2026-01-31",
        correspondent: "Meridian Savings", documentType: "Bank statement", tags: ["countersign", "Household"])
}

@Suite("The client of paperless-ngx", .timeLimit(.minutes(4)))
struct PaperlessClientTests {
    private static func with(
        version: Int = 2, _ body: @escaping @Sendable (FakePaperless, PaperlessClient) async throws -> Void
    ) async throws {
        try await FakePaperless.with(version: version) { paperless, url in
            let client = PaperlessClient(PaperlessServer(url: url, token: Secret(FakePaperless.token)))
            try await body(paperless, client)
            await client.close()
        }
    }

    @Test("uploads a document with all that is known of it, and makes each name once", arguments: [2, 3])
    func uploads(version: Int) async throws {
        try await Self.with(version: version) { paperless, client in
            await paperless.keepTasksRunning(for: 2)
            let upload = anUpload()
            let task = try await client.upload(upload)
            #expect(try await client.state(ofTask: task) == .running)
            #expect(try await client.state(ofTask: task) == .filed(1))
            let document = try #require(await paperless.documents.first)
            #expect(document.title == upload.title && document.created == "2026-01-31")
            #expect(document.correspondent == "Meridian Savings" && document.documentType == "Bank statement")
            #expect(document.tags == ["countersign", "Household"])
            #expect(document.content == upload.bytes && document.mediaType == "application/pdf")
            #expect(document.fileName == "Meridian Savings 2026-01 \(upload.sha256.prefix(12)).pdf")
            _ = try await client.upload(anUpload())
            #expect(await paperless.calls.count { $0.hasPrefix("POST /api/tags/") } == 2)
            #expect(await paperless.calls.count { $0.hasPrefix("GET /api/correspondents/") } == 1)
        }
    }

    @Test("a duplicate has the number of the document that was there", arguments: [2, 3])
    func duplicate(version: Int) async throws {
        try await Self.with(version: version) { _, client in
            let upload = anUpload()
            for expected in [PaperlessClient.TaskState.filed(1), .duplicate(1)] {
                let task = try await client.upload(upload)
                #expect(try await client.state(ofTask: task) == expected)
            }
        }
    }

    @Test("a task that failed says why, and one that is unknown is nil", arguments: [2, 3])
    func tasks(version: Int) async throws {
        try await Self.with(version: version) { paperless, client in
            await paperless.failTasks("Unsupported mime type application/x-nothing")
            let task = try await client.upload(anUpload())
            let state = try await client.state(ofTask: task)
            #expect(state == .failed("paperless-ngx: Unsupported mime type application/x-nothing"))
            await paperless.forgetTasks()
            #expect(try await client.state(ofTask: task) == nil)
        }
    }

    @Test(
        "says what failed, what may pass, and what to do",
        arguments: [
            (FakePaperless.Fault.status(500), PaperlessError.Kind.passing, "answered 500"),
            (.status(429), .passing, "answered 429"), (.status(401), .passing, "PAPERLESS_TOKEN_FILE"),
            (.status(403), .passing, "permissions"), (.status(404), .passing, "does not lead to paperless-ngx"),
            (.status(400), .refused, "refused the document (400)"), (.status(413), .refused, "413"),
            (.lost, .passing, "was not reached"), (.redirect("http://127.0.0.1:9/"), .passing, "not followed"),
        ])
    func faults(fault: FakePaperless.Fault, kind: PaperlessError.Kind, words: String) async throws {
        try await Self.with { paperless, client in
            await paperless.failUploads(fault)
            let error = await #expect(throws: PaperlessError.self) { try await client.upload(anUpload()) }
            #expect(error?.kind == kind && error?.description.contains(words) == true, "\(String(describing: error))")
        }
    }

    @Test("the fake refuses a version of the API as paperless-ngx does", arguments: [(2, 10), (3, 2)])
    func versions(version: Int, asked: Int) async throws {
        let paperless = FakePaperless(version: version)
        let answer = await paperless.answer(
            "GET", "/api/tags/", query: [:], authorization: "Token \(FakePaperless.token)",
            accept: "application/json; version=\(asked)", type: "", body: [])
        #expect(answer?.status == 406)
    }

    @Test("the token goes to the server's own origin only")
    func redirect() async throws {
        try await FakePaperless.with { other, otherURL in
            try await Self.with { paperless, client in
                await paperless.failUploads(.redirect("\(otherURL)/api/documents/post_document/"))
                await #expect(throws: PaperlessError.self) { try await client.upload(anUpload()) }
                #expect(await other.calls.isEmpty)
                #expect(await paperless.tokens == ["Token \(FakePaperless.token)"])
            }
        }
    }
}

@Suite("The folder that paperless-ngx watches")
struct ConsumeFolderTests {
    @Test("a document appears under its own name; a repetition makes no second file")
    func put() throws {
        let folder = try TemporaryFolder()
        let upload = anUpload(title: "../Bank/Giro\n2026-01")
        let place = ConsumeFolder(folder.url)
        // What a broker that was killed leaves.
        try Data("half".utf8).write(to: folder.appending(".\(upload.fileName).part"))
        try place.put(upload)
        try place.put(upload)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names == ["---Bank-Giro-2026-01 \(upload.sha256.prefix(12)).pdf"])
        #expect(try Data(contentsOf: folder.appending(names[0])) == Data(upload.bytes))
    }

    @Test("a folder that is gone is a failure that may pass")
    func gone() throws {
        let error = #expect(throws: PaperlessError.self) {
            try ConsumeFolder(URL(filePath: "/no/such/folder")).put(anUpload())
        }
        #expect(error?.kind == .passing && error?.description.contains("PAPERLESS_CONSUME_PATH") == true)
    }
}
