import Foundation
import Secrets
import TestServers
import TestSupport
import Testing

@testable import Broker

@Suite("pypaperless against the fake paperless-ngx", .needsPeers)
struct PaperlessPeerTests {
    @Test("reads what our client uploaded, and uploads what our client then finds", .timeLimit(.minutes(4)))
    func library() async throws {
        try await FakePaperless.with { paperless, url in
            let client = PaperlessClient(PaperlessServer(url: url, token: Secret(FakePaperless.token)))
            let upload = anUpload()
            let task = try await client.upload(upload)
            #expect(try await client.state(ofTask: task) == .filed(1))
            let outcome = try await Peers.run(script: "paperless.py", [url, FakePaperless.token])
            #expect(outcome.status == 0, "\(outcome.text)")
            for expected in [
                "read 1 Meridian Savings 2026-01 | Meridian Savings | Bank statement | countersign,Household | 2026-01-31",
                "sha256 \(upload.sha256)", "made tag 3", "uploaded as 2 SUCCESS", "again FAILURE",
            ] { #expect(outcome.text.contains(expected), "\(expected) in \(outcome.text)") }
            let theirs = try #require(await paperless.documents.last)
            #expect(theirs.title == "From the library" && theirs.content == Array("%PDF-1.4 by pypaperless".utf8))
            var same = anUpload()
            same.bytes = theirs.content
            let second = try await client.upload(same)
            #expect(try await client.state(ofTask: second) == .duplicate(2))
            await client.close()
        }
    }
}
