import AssistantProcesses
import AssistantStore
import Foundation
import KeyCustody
import Logging
import TestServers
import Testing

@testable import Assistant

@Suite("Deleting everything, cut at every call between processes and to Google", .timeLimit(.minutes(5)))
struct PrivacyCutsTests {
    /// More calls than a deletion makes on any of the ways.
    private static let mostCalls = 20

    /// The tries to cut a call. Now and then the running service's own worker is quicker.
    private static let tries = 3

    @Test("nothing of the user is left, and Google saw the end", arguments: AssistantStage.Store.all)
    func everyCall(_ store: AssistantStage.Store) async throws {
        try await ConnectedStage.run(store) { connected in
            let database = try await connected.stage.openDatabase()
            try await CuttableCalls.run(connected) { calls in
                for (name, relay) in calls.relays {
                    for cut in CuttingRelay.Cut.allCases {
                        var cuts = 0
                        for call in 1...Self.mostCalls {
                            var wasCut = false
                            for number in 0..<Self.tries where !wasCut {
                                let name = "\(name)-\(cut)-\(call)-\(number)"
                                let user = try await UserToDelete(name, connected, in: database)
                                relay.cut(cut, atCall: call)
                                await user.tryDeletion(by: calls.enclave)
                                wasCut = relay.mend()
                                await user.tryDeletion(by: calls.enclave)
                                try await user.expectDeletion("\(name)")
                            }
                            guard wasCut else { break }
                            cuts += 1
                        }
                        // The key service is asked for a nonce and for the token.
                        #expect(cuts >= (name == "key service" ? 2 : 1), "\(name), \(cut)")
                    }
                }
            }
            await database.close()
            try await UserToDelete.expectNoTrace(store, connected)
        }
    }
}

/// A second enclave, with a relay before itself, before the key service, and before Google.
private struct CuttableCalls: Sendable {
    let enclave: EnclaveClient
    let relays: [(name: String, relay: CuttingRelay)]

    static func run(
        _ connected: ConnectedStage, _ body: @escaping @Sendable (CuttableCalls) async throws -> Void
    ) async throws {
        let usual = connected.places
        var places = usual
        places.enclaveSocket = usual.state.appending(path: "second.sock")
        places.keyServiceSocket = usual.state.appending(path: "cut-kms.sock")
        let entry = usual.state.appending(path: "cut.sock")
        let googlePort = try #require(URL(string: connected.google.url)?.port)
        let google = try CuttingRelay.tcp(to: googlePort)
        let calls = CuttableCalls(
            enclave: EnclaveClient(entry, servedBy: usual.enclaveUser),
            relays: [
                ("enclave", try CuttingRelay.unix(at: entry, to: places.enclaveSocket)),
                ("key service", try CuttingRelay.unix(at: places.keyServiceSocket, to: usual.keyServiceSocket)),
                ("Google", google.relay),
            ])
        defer { for (_, relay) in calls.relays { relay.stop() } }

        var settings = connected.stage.configuration.google
        settings?.endpoints.revocation = "http://127.0.0.1:\(google.port)/revoke"
        var configuration = EnclaveConfiguration(
            places: places, database: DatabaseSettings(url: connected.stage.configuration.databaseURL),
            google: settings)
        configuration.evidence = connected.evidence
        let (ready, report) = AsyncStream<Void>.makeStream()
        let logger = Logger(label: "second enclave") { [stage = connected.stage] _ in
            StageLog { line in stage.logged.withLock { $0.append(line) } }
        }
        let now: @Sendable () -> Date = { [stage = connected.stage] in stage.now }
        let process = EnclaveProcess(configuration, logger: logger, now: now) { report.yield() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { report.finish() }
                try await process.run()
            }
            var iterator = ready.makeAsyncIterator()
            try #require(await iterator.next() != nil, "the second enclave did not start")
            defer { group.cancelAll() }
            try await body(calls)
        }
    }
}
