import AssistantJobs
import AssistantProcesses
import AssistantStore
import Clocks
import Encodings
import Foundation
import Logging
import TestServers
import TestSupport
import Testing

@testable import Assistant

@Suite("Deleting everything of a user", .timeLimit(.minutes(3))) struct PrivacyWorkerTests {
    /// Waits until a request has a status, which its id alone tells.
    static func wait(
        for status: String, of id: String, _ stage: AssistantStage
    ) async throws {
        let end = ContinuousClock.now + .seconds(60)
        var last = JSONValue.null
        while ContinuousClock.now < end {
            last = try await stage.send("GET", "/v1/privacy/requests/\(id)").json
            if last["status"] == .string(status) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("the request is \(last), not \(status)")
    }

    /// Returns everything that the database's files or its dump hold.
    static func content(_ store: AssistantStage.Store, _ stage: AssistantStage) async throws -> Data {
        let url = stage.configuration.databaseURL
        guard store == .sqlite else { return try await LoopbackPostgres.dump(url) }
        let file = URL(filePath: String(url.dropFirst("sqlite:".count)))
        // The file, its log and its journal, and whatever else may lie beside them.
        let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        return names.filter { $0.hasPrefix(file.lastPathComponent) }.reduce(into: Data()) { all, name in
            all.append((try? Data(contentsOf: file.deletingLastPathComponent().appending(path: name))) ?? Data())
        }
    }

    @Test(
        "ends the consent at Google, deletes every row, and leaves one record without a name",
        arguments: AssistantStage.Store.all)
    func whole(_ store: AssistantStage.Store) async throws {
        try await ConnectedStage.run(store) { connected in
            let stage = connected.stage
            let database = try await stage.openDatabase()
            let user = try await UserToDelete("leaving", connected, in: database, hasAsked: false)
            let other = try await stage.accessToken("other.apple")
            try await connected.connect(other)
            _ = try await database.jobs.plan(PlannedJob("CALENDAR_SYNC", due: stage.now), of: user.id)

            let id = try await stage.send("POST", "/v1/privacy/delete-all", token: user.token).text("request_id")
            try await Self.wait(for: "DONE", of: id, stage)
            if store == .sqlite {
                let content = try await Self.content(store, stage)
                let name = user.id.uuidString
                for text in [UserToDelete.canary, name, name.lowercased()] {
                    #expect(content.range(of: Data(text.utf8)) == nil, "\(text) is in the files")
                }
            }

            #expect(await connected.google.account.refreshTokens.count == 1, "only the other user's consent is left")
            let counts = try await Self.rows(of: user.id, database)
            #expect(counts.allSatisfy { $0.value == 0 }, "\(counts)")
            #expect(
                try await Self.rows(of: connected.ids(other, connected.connect(other)).user, database)["connectors"]
                    == 1)

            let final = try await database.audit.events(of: PrivacyRequestStore.noUser, before: nil, atMost: 10)
            #expect(final.map(\.event.type) == ["DELETE_ALL"])
            #expect(final.first?.event.metadata["request_id"] == .string(id))
            #expect(try await database.audit.verify(PrivacyRequestStore.noUser) == .intact(count: 1))

            // Who comes back is a new user.
            let again = try await stage.signIn("leaving.apple")
            #expect(again.status == 200)
            #expect(try SignInTests.claim("sub", of: again.text("access_token")) != user.id.uuidString.lowercased())
            await database.close()
        }
    }

    /// The moments after which the process is killed: before the first step, and after each later one.
    enum Moment: String, Sendable, CaseIterable, CustomTestStringConvertible {
        case accepted, begun, revokedAtGoogle, recordedAsRevoked, finished
        var testDescription: String { rawValue }
    }

    @Test("goes on after a kill at any step", arguments: Moment.allCases)
    func killed(_ moment: Moment) async throws {
        try await ConnectedStage.run { connected in
            let stage = connected.stage
            let database = try await stage.openDatabase()
            let user = try await UserToDelete("killed", connected, in: database)
            // The steps up to the kill, each by itself.
            let deletion = UnfinishedDeletion(id: user.request, userID: user.id, asked: stage.now)
            let steps: [() async throws -> Void] = [
                { try await database.privacy.begin(user.request) },
                { try? await connected.enclave.revoke(user.connector, user: user.id) },
                {
                    _ = try await database.connectors.move(
                        user.connector, of: user.id, to: .revoked, recording: NewAuditEvent("CONNECTOR_REVOKED"),
                        at: stage.now)
                },
                { _ = try await database.privacy.finish(deletion, isRevoked: true, at: stage.now) },
            ]
            for step in steps.prefix(Moment.allCases.firstIndex(of: moment) ?? 0) { try await step() }

            await user.tryDeletion()
            try await Self.wait(for: "DONE", of: "del_\(user.request)", stage)

            #expect(await connected.google.account.refreshTokens.isEmpty)
            try await user.expectDeletion("\(moment)")
            await database.close()
        }
    }

    @Test("a consent that ended at Google by itself counts as ended")
    func ended() async throws {
        try await ConnectedStage.run { connected in
            let token = try await connected.stage.accessToken()
            try await connected.connect(token)
            await connected.google.account.endConsents()
            let id = try await connected.stage.send("POST", "/v1/privacy/delete-all", token: token).text("request_id")
            try await Self.wait(for: "DONE", of: id, connected.stage)
        }
    }

    @Test("without the enclave it waits, holds no other request up, and after twelve hours deletes what is here")
    func withoutEnclave() async throws {
        try await AssistantStage().run { stage in
            let database = try await stage.openDatabase()
            func user(_ subject: String, connected: Bool) async throws -> String {
                let token = try await stage.accessToken(subject)
                let user = try #require(UUID(uuidString: try SignInTests.claim("sub", of: token)))
                if connected {
                    try await database.connectors.connect(
                        UUID(), of: user, provider: "google", scopes: [],
                        NewToken(sealed: [1], keyID: "mk-1", version: 1),
                        recording: NewAuditEvent("CONNECTOR_CONNECTED"), at: stage.now)
                }
                return try await stage.send("POST", "/v1/privacy/delete-all", token: token).text("request_id")
            }
            let stuck = try await user("stuck.apple", connected: true)
            try await Self.wait(for: "RUNNING", of: stuck, stage)
            // While it is being deleted, the user cannot sign in.
            #expect(try await stage.signIn("stuck.apple").status == 403)
            let free = try await user("free.apple", connected: false)
            try await Self.wait(for: "DONE", of: free, stage)
            #expect(try await stage.send("GET", "/v1/privacy/requests/\(stuck)").json["status"] == "RUNNING")

            stage.wait(PrivacyWorker.revocationTime + 60)
            // Each further try comes after its pause.
            let end = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < end,
                try await stage.send("GET", "/v1/privacy/requests/\(stuck)").json["status"] == "RUNNING"
            {
                try await Task.sleep(for: .milliseconds(100))
                stage.wait(5)
            }
            try await Self.wait(for: "FAILED", of: stuck, stage)
            #expect(try await stage.signIn("stuck.apple").status == 200)
            await database.close()
        }
    }

    @Test("a process that starts late does not give up at its first try")
    func lateStart() async throws {
        try await AssistantStage().run { stage in
            let database = try await stage.openDatabase()
            let admitted = try await database.users.admit([1], .open, timeZone: "UTC", at: stage.now)
            guard case .new(let user) = admitted else {
                Issue.record("\(admitted)")
                return
            }
            try await database.connectors.connect(
                UUID(), of: user, provider: "google", scopes: [], NewToken(sealed: [1], keyID: "mk-1", version: 1),
                recording: NewAuditEvent("CONNECTOR_CONNECTED"), at: stage.now)
            let id = String(repeating: "0", count: 32)
            _ = try await database.privacy.accept(id, of: user, at: stage.now - PrivacyWorker.revocationTime - 60)
            let worker = PrivacyWorker(
                database: database, enclave: EnclaveClient(stage.configuration.places),
                clock: BrokerClock(wall: { stage.now }, elapsed: { .zero }, boot: "test"),
                logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
            try await worker.performDue()
            #expect(try await database.privacy.request(id)?.status == .running)
            await database.close()
        }
    }

    @Test("a user whose deletion has begun cannot be connected any more", arguments: AssistantStage.Store.all)
    func noNewConnection(_ store: AssistantStage.Store) async throws {
        try await AssistantStage(store).run { stage in
            let database = try await stage.openDatabase()
            let admitted = try await database.users.admit([1], .open, timeZone: "UTC", at: stage.now)
            guard case .new(let user) = admitted else { return }
            _ = try await database.privacy.accept(String(repeating: "0", count: 32), of: user, at: stage.now)
            let error = await #expect(throws: AssistantStoreError.self) {
                try await database.connectors.connect(
                    UUID(), of: user, provider: "google", scopes: [], NewToken(sealed: [1], keyID: "mk-1", version: 1),
                    recording: NewAuditEvent("CONNECTOR_CONNECTED"), at: stage.now)
            }
            #expect(error?.code == .conflict)
            await database.close()
        }
    }

    /// Counts the rows that name a user, in each table that has a column for one.
    static func rows(of user: UUID, _ database: AssistantDatabase) async throws -> [String: Int] {
        try await database.driver.transaction(.reading) { session in
            let tables = try session.rows(
                session.dialect == .sqlite
                    ? """
                    SELECT tables.name AS name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
                    WHERE tables.type = 'table' AND columns.name = 'user_id'
                    """
                    : """
                    SELECT table_name::text AS name FROM information_schema.columns
                    WHERE column_name = 'user_id' AND table_schema = current_schema()
                    """, []
            ).map { try $0.text("name") }
            var counts: [String: Int] = [:]
            for table in tables {
                counts[table] = try session.row(
                    "SELECT count(*) AS count FROM \(table) WHERE user_id = $1", [.uuid(user)])?.integer("count")
            }
            counts["users"] = try session.row(
                "SELECT count(*) AS count FROM users WHERE id = $1", [.uuid(user)])?.integer("count")
            return counts
        }
    }
}
