import Broker
import BrokerStore
import Foundation
import GRDB
import Messages
import Secrets
import TestParties
import TestServers
import TestSupport
import Testing

@Suite("Filing with paperless-ngx", .timeLimit(.minutes(4)))
struct PaperlessFilingTests {
    private static func configuration(of stage: BrokerStage, _ url: String) -> BrokerConfiguration {
        var configuration = stage.configuration
        configuration.paperless = .server(PaperlessServer(url: url, token: Secret(FakePaperless.token)))
        configuration.outgoingLook = .milliseconds(10)
        return configuration
    }

    /// Runs a broker that files with a fake paperless-ngx. Its tasks go on until the test lets them finish.
    private static func run(
        _ body: @escaping @Sendable (BrokerStage, FakePaperless) async throws -> Void
    ) async throws {
        try await FakePaperless.with { paperless, url in
            await paperless.keepTasksRunning(for: .max)
            let stage = try BrokerStage()
            try await stage.run(configuration(of: stage, url)) { stage in try await body(stage, paperless) }
        }
    }

    /// The state of the only document, its failed attempts, its reason, and the time of its next step.
    private static func row(_ stage: BrokerStage) throws -> (state: String, attempts: Int, reason: String, due: Date) {
        let row = try stage.readDatabase { db in
            try Row.fetchOne(db, sql: "SELECT * FROM paperless_documents")
        }
        return (
            row?["state"] ?? "", row?["attempts"] ?? 0, row?["reason"] ?? "",
            Date(timeIntervalSince1970: row?["due"] ?? 0)
        )
    }

    /// Moves the clock to the document's next step whenever that is in the future. A slow broker only makes the test slower.
    private static func takeSteps(of stage: BrokerStage, until holds: () async throws -> Bool) async throws {
        try await BrokerStage.until {
            // Before `holds`: the clock must not move for a step of a state that `holds` has not seen.
            let due = try row(stage).due
            if try await holds() { return true }
            let left = due.timeIntervalSince(stage.clock.now).rounded(.up)
            // At most a minute at a time: the pause after a lost task is six hours, and it must not pass in one step.
            if left > 0 { stage.clock.advance(by: min(left, 60)) }
            return false
        }
    }

    @Test("an accepted statement is uploaded, followed to its end, and recorded")
    func files() async throws {
        try await Self.run { stage, paperless in
            let id = try await stage.complete()
            try await BrokerStage.until { try Self.row(stage).state == "uploaded" }
            await paperless.finishTasks()
            try await Self.takeSteps(of: stage) { try Self.row(stage).state == "filed" }
            let document = try #require(await paperless.documents.first)
            #expect(document.title == "default 2026-01" && document.created == "2026-01-31")
            #expect(document.content == Array("%PDF-1.4 \(id) startxref 0 %%EOF".utf8))
            #expect(try stage.events(of: "document.in_paperless") == [#"{"paperless_id":1,"was_there":false}"#])
            #expect(await paperless.uploads == 1)
        }
    }

    @Test("an upload that failed in passing is repeated after a minute, then after two")
    func pauses() async throws {
        try await Self.run { stage, paperless in
            await paperless.failUploads(.status(503), .lost)
            _ = try await stage.complete()
            try await BrokerStage.until { try Self.row(stage).attempts == 1 }
            #expect(try Self.row(stage).reason.contains("503"))
            stage.clock.advance(by: 20)
            // The next minute's attempt is not made yet. Twenty looks pass meanwhile.
            try await BrokerStage.passTwentyLooks()
            #expect(await paperless.uploads == 1)
            stage.clock.advance(by: 42)
            try await BrokerStage.until { try Self.row(stage).attempts == 2 }
            stage.clock.advance(by: 125)
            try await BrokerStage.until { try Self.row(stage).state == "uploaded" }
            #expect(await paperless.uploads == 3)
        }
    }

    @Test("an answer that was lost makes no second document: the duplicate counts as filed")
    func lostAnswer() async throws {
        try await Self.run { stage, paperless in
            await paperless.failUploads(.takenAndLost)
            _ = try await stage.complete()
            try await BrokerStage.until { try Self.row(stage).attempts == 1 }
            stage.clock.advance(by: 65)
            try await BrokerStage.until { try Self.row(stage).state == "uploaded" }
            await paperless.finishTasks()
            try await Self.takeSteps(of: stage) { try Self.row(stage).state == "filed" }
            #expect(await paperless.documents.count == 1)
            #expect(try stage.events(of: "document.in_paperless") == [#"{"paperless_id":1,"was_there":true}"#])
        }
    }

    @Test("a broker that starts again follows the task it knows, and uploads nothing twice")
    func restart() async throws {
        try await FakePaperless.with { paperless, url in
            await paperless.keepTasksRunning(for: .max)
            let stage = try BrokerStage()
            let configuration = Self.configuration(of: stage, url)
            try await stage.run(configuration) { stage in
                _ = try await stage.complete()
                try await BrokerStage.until { try Self.row(stage).state == "uploaded" }
            }
            await paperless.finishTasks()
            try await stage.run(configuration) { stage in
                try await Self.takeSteps(of: stage) { try Self.row(stage).state == "filed" }
            }
            #expect(await paperless.uploads == 1)
        }
    }

    @Test("a task that paperless-ngx forgot is given up after some looks, and the document uploaded again")
    func forgottenTask() async throws {
        try await Self.run { stage, paperless in
            _ = try await stage.complete()
            try await BrokerStage.until { try Self.row(stage).state == "uploaded" }
            await paperless.forgetTasks()
            try await Self.takeSteps(of: stage) { await paperless.uploads == 2 }
            await paperless.finishTasks()
            try await Self.takeSteps(of: stage) { try Self.row(stage).state == "filed" }
        }
    }

    @Test("a task that is lost again is followed by one more upload only after six hours")
    func lostAgain() async throws {
        try await Self.run { stage, paperless in
            _ = try await stage.complete()
            for uploads in 1...2 {
                try await Self.takeSteps(of: stage) {
                    try await paperless.uploads == uploads && Self.row(stage).state == "uploaded"
                }
                await paperless.forgetTasks()
            }
            try await Self.takeSteps(of: stage) { try Self.row(stage).state == "waiting" }
            #expect(try Self.row(stage).reason == "paperless-ngx forgot the task")
            stage.clock.advance(by: 3600)
            // Twenty looks pass meanwhile.
            try await BrokerStage.passTwentyLooks()
            #expect(await paperless.uploads == 2)
            stage.clock.advance(by: 5 * 3600 + 60)
            try await BrokerStage.until { await paperless.uploads == 3 }
        }
    }

    @Test(
        "a database that cannot record an upload is left alone for a while, so that nothing is uploaded again and again"
    )
    func failingDatabase() async throws {
        try await Self.run { stage, paperless in
            try stage.fail("UPDATE", "paperless_documents")
            _ = try await stage.complete()
            try await BrokerStage.until { stage.logged.contains { $0.contains("could not be read or recorded") } }
            // Twenty looks would pass meanwhile.
            try await BrokerStage.passTwentyLooks()
            #expect(await paperless.uploads == 1)
            #expect(try await stage.send("GET", "/requests").status == 200, "the broker goes on")
        }
    }

    @Test("a document that paperless-ngx refuses has failed, until the owner has it tried again")
    func refused() async throws {
        try await Self.run { stage, paperless in
            await paperless.failTasks("the file is damaged")
            _ = try await stage.complete()
            try await BrokerStage.until { try Self.row(stage).state == "uploaded" }
            await paperless.finishTasks()
            try await Self.takeSteps(of: stage) { try Self.row(stage).state == "failed" }
            #expect(try Self.row(stage).reason == "paperless-ngx: the file is damaged")
            let owner = try BrokerAdministration(environment: ["BROKER_DATABASE_PATH": stage.database.path])
            #expect(try await owner.paperless.counts() == [.failed: 1])
            #expect(try await owner.paperless.tryAgain() == 1)
            try await Self.takeSteps(of: stage) { try Self.row(stage).state == "filed" }
            #expect(try await owner.paperless.unfiled(limit: 5).isEmpty)
        }
    }

    @Test("a copy that changed since it was accepted is not filed")
    func changed() async throws {
        try await FakePaperless.with { paperless, url in
            let stage = try BrokerStage()
            try await stage.run { stage in
                let id = try await stage.complete()
                let file = try #require(try stage.column("result_file_path", of: id))
                try Data("%PDF-1.4 another one startxref 0 %%EOF".utf8).write(to: URL(filePath: file))
            }
            try await stage.run(Self.configuration(of: stage, url)) { stage in
                try await BrokerStage.until { try Self.row(stage).state == "failed" }
                #expect(try Self.row(stage).reason.contains("has changed since it was accepted"))
                #expect(await paperless.calls.isEmpty)
            }
        }
    }

    @Test("with a folder, the document is in it")
    func folder() async throws {
        let stage = try BrokerStage()
        let folder = try TemporaryFolder()
        var configuration = stage.configuration
        configuration.paperless = .folder(folder.url)
        configuration.outgoingLook = .milliseconds(10)
        try await stage.run(configuration) { stage in
            let id = try await stage.complete()
            try await BrokerStage.until { try Self.row(stage).state == "filed" }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            #expect(names.count == 1 && names[0].hasPrefix("default 2026-01 ") && names[0].hasSuffix(".pdf"))
            #expect(
                try Data(contentsOf: folder.appending(names[0])) == Data("%PDF-1.4 \(id) startxref 0 %%EOF".utf8))
        }
    }
}
