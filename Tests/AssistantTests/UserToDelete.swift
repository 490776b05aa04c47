import AssistantJobs
import AssistantProcesses
import AssistantStore
import Foundation
import Logging
import Testing

@testable import Assistant

/// A connected user who asks that everything be deleted. A text of the user's own must be nowhere afterwards.
struct UserToDelete {
    static let canary = "canary-of-a-deleted-user"

    let id: UUID
    let token: String
    let connector: UUID
    let request = UUID().uuidString.replacing("-", with: "").lowercased()
    private let connected: ConnectedStage
    private let database: AssistantDatabase

    /// - Parameters:
    ///   - name: another one for each user of a stage.
    ///   - database: takes the request itself, because a request of the API would wake the running service's own worker.
    ///   - hasAsked: false for a user whose test asks later.
    init(
        _ name: String, _ connected: ConnectedStage, in database: AssistantDatabase, hasAsked: Bool = true
    ) async throws {
        let stage = connected.stage
        token = try await stage.accessToken("\(name).apple")
        (id, connector) = try connected.ids(token, try await connected.connect(token))
        self.connected = connected
        self.database = database
        _ = try await stage.send(
            "POST", "/v1/devices/apns", token: token,
            [
                "device_id": .string(Self.canary), "apns_token": .string(String(repeating: "ab", count: 32)),
                "environment": "sandbox",
            ])
        if hasAsked { _ = try await database.privacy.accept(request, of: id, at: stage.now) }
    }

    /// Tries the request once, as a process that has just started does.
    func tryDeletion(
        in database: AssistantDatabase? = nil, by enclave: EnclaveClient? = nil
    ) async {
        let worker = PrivacyWorker(
            database: database ?? self.database, enclave: enclave ?? connected.enclave, clock: .init(),
            logger: Logger(label: "worker") { [stage = connected.stage] _ in
                StageLog { line in stage.logged.withLock { $0.append(line) } }
            })
        try? await worker.performDue()
    }

    /// Checks that the request is done, that no row is left, and that one record without a name is.
    func expectDeletion(_ comment: Comment) async throws {
        #expect(try await database.privacy.request(request)?.status == .done, comment)
        let rows = try await PrivacyWorkerTests.rows(of: id, database)
        #expect(rows.allSatisfy { $0.value == 0 }, "\(comment): \(rows)")
        let records = try await database.audit.events(of: PrivacyRequestStore.noUser, before: nil, atMost: 200)
        #expect(records.count { $0.event.metadata["request_id"] == .string("del_\(request)") } == 1, comment)
    }

    /// Checks that Google holds no consent any more, and that neither the database nor the log knows the users' own text.
    static func expectNoTrace(_ store: AssistantStage.Store, _ connected: ConnectedStage) async throws {
        #expect(await connected.google.account.refreshTokens.isEmpty)
        let content = try await PrivacyWorkerTests.content(store, connected.stage)
        #expect(content.range(of: Data(canary.utf8)) == nil)
        #expect(!connected.stage.logged.withLock { $0.joined() }.contains(canary))
    }
}
