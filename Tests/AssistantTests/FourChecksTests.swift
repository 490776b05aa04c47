import AttestedKeys
import Crypto
import Encodings
import Foundation
import KeyCustody
import Machine
import TestSupport
import Testing

@testable import Assistant

/// The rules by which a token is opened (specification, section 10.2), over the sockets of all processes.
@Suite("The four checks, end to end", .timeLimit(.minutes(3))) struct FourChecksTests {
    private static let codes = [
        "RUNTIME_MISMATCH", "MEASUREMENT_NOT_ALLOWED", "EVIDENCE_INVALID", "KEY_METADATA_MISMATCH",
    ]

    @Test("of sixteen combinations one permits; a refusal has its code, is audited, and leaves the connection active")
    func matrix() async throws {
        try await ConnectedStage.run { connected in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            let right = try connected.policy.read()
            let rightKey = try Data(contentsOf: connected.places.evidenceKey)
            var permitted = 0
            for combination in 0..<16 {
                let isBroken = (0..<4).map { combination >> $0 & 1 == 1 }
                var policy = right
                if isBroken[0] { policy.runtime = "nitro" }
                if isBroken[1] { policy.measurements = [String(repeating: "a", count: 64)] }
                if isBroken[3] {
                    policy.activeKey = KeyReference(tokenKeyID: right.activeKey.tokenKeyID, tokenVersion: 2)
                }
                try connected.policy.write(policy)
                let key = isBroken[2] ? Data(P256.Signing.PrivateKey().publicKey.pemRepresentation.utf8) : rightKey
                try key.write(to: connected.places.evidenceKey)
                chmod(connected.places.evidenceKey.path, 0o644)
                guard let first = isBroken.firstIndex(of: true) else {
                    _ = try await connected.enclave.accessToken(of: connector, user: user)
                    permitted += 1
                    continue
                }
                await ConnectorAPITests.expectRefusal(Self.codes[first]) {
                    try await connected.enclave.accessToken(of: connector, user: user)
                }
            }
            #expect(permitted == 1)
            let events = try await connected.events("TOKEN_DECRYPT", token)
            let denied = events.filter { $0["result"] == "DENIED" }
            #expect(denied.count == 15)
            for (index, code) in Self.codes.enumerated() {
                // The first broken check is the audit's reason: 8, 4, 2 and 1 of the fifteen.
                let count = denied.filter { $0["metadata"]?["reason"] == .string(code) }.count
                #expect(count == 8 >> index, "\(code)")
            }
            #expect(try await connected.connectors(token).first?["status"] == "ACTIVE")
        }
    }

    @Test("during an upgrade two programs may open tokens, and afterwards the new one alone; each policy is logged")
    func upgrade() async throws {
        try await ConnectedStage.run { connected in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            // The enclave of this test stays the same: first it is the old program, then the new one.
            let this = try #require(try connected.policy.read().measurements.first)
            let other = String(repeating: "a", count: 64)
            try connected.allow(this) { $0.measurements.insert(other) }
            _ = try await connected.enclave.accessToken(of: connector, user: user)
            try connected.allow(other)
            await ConnectorAPITests.expectRefusal("MEASUREMENT_NOT_ALLOWED") {
                try await connected.enclave.accessToken(of: connector, user: user)
            }
            try connected.allow(this)
            _ = try await connected.enclave.accessToken(of: connector, user: user)
            let log = try BreakGlassLog(connected.keyService.breakGlass)
            let logged = try await log.entries().filter { $0.event.type == "policy.in_force" }
                .map { $0.event.details["measurements"]?.arrayValue?.count }
            #expect(logged == [2, 1, 1])
        }
    }

    @Test("an age of 0 refuses everything, at once and without a restart")
    func age() async throws {
        try await ConnectedStage.run { connected in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            var policy = try connected.policy.read()
            policy.evidenceMaxAge = 0
            try connected.policy.write(policy)
            await ConnectorAPITests.expectRefusal("EVIDENCE_STALE") {
                try await connected.enclave.accessToken(of: connector, user: user)
            }
            #expect(
                try await connected.events("TOKEN_DECRYPT", token).first?["metadata"]?["reason"] == "EVIDENCE_STALE")
            policy.evidenceMaxAge = 60
            try connected.policy.write(policy)
            _ = try await connected.enclave.accessToken(of: connector, user: user)
        }
    }

    @Test("evidence that is 61 seconds old is stale, and of 59 seconds is not", arguments: [(61.0, false), (59, true)])
    func stale(_ age: TimeInterval, _ isPermitted: Bool) async throws {
        try await ConnectedStage.run(enclaveIsBehind: age) { connected in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            guard !isPermitted else {
                _ = try await connected.enclave.accessToken(of: connector, user: user)
                return
            }
            await ConnectorAPITests.expectRefusal("EVIDENCE_STALE") {
                try await connected.enclave.accessToken(of: connector, user: user)
            }
        }
    }

    @Test(
        "a policy that cannot be used opens nothing",
        arguments: ["", "{}", #"{"version":2}"#, "not JSON", "absent", "readable by others"])
    func policies(_ text: String) async throws {
        try await ConnectedStage.run { connected in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            let file = connected.places.policy
            switch text {
            case "absent": try FileManager.default.removeItem(at: file)
            case "readable by others": chmod(file.path, 0o644)
            default:
                try Data(text.utf8).write(to: file)
                chmod(file.path, 0o600)
            }
            await ConnectorAPITests.expectRefusal("KEY_UNAVAILABLE") {
                try await connected.enclave.accessToken(of: connector, user: user)
            }
            let event = try #require(try await connected.events("TOKEN_DECRYPT", token).first)
            #expect(event["result"] == "FAILURE" && event["metadata"]?["reason"] == "KEY_UNAVAILABLE")
        }
    }

    @Test(
        "a rotation seals every token again, and is logged; the tokens still open", arguments: AssistantStage.Store.all)
    func rotation(_ store: AssistantStage.Store) async throws {
        try await ConnectedStage.run(store) { connected in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            let before = try connected.policy.read().activeKey

            let outcome = try await KeyRotation(connected.keyService).rotate(at: connected.stage.now)
            #expect(outcome.active == KeyReference(tokenKeyID: before.tokenKeyID, tokenVersion: 2))
            #expect(outcome.resealed == 1 && outcome.lost.isEmpty)
            let stored = try #require(
                try await connected.stage.openDatabase().connectors.connector(connector, of: user))
            #expect(stored.tokenVersion == 2)
            _ = try await connected.enclave.accessToken(of: connector, user: user)

            // As after a rotation that was killed between its two halves: the policy is ahead of the tokens.
            var policy = try connected.policy.read()
            policy.activeKey = before
            try connected.policy.write(policy)
            await ConnectorAPITests.expectRefusal("KEY_METADATA_MISMATCH") {
                try await connected.enclave.accessToken(of: connector, user: user)
            }
            #expect(try await KeyRotation(connected.keyService).finish(at: connected.stage.now).resealed == 1)
            _ = try await connected.enclave.accessToken(of: connector, user: user)

            let log = try BreakGlassLog(connected.keyService.breakGlass)
            let types = try await log.entries().map(\.event.type)
            #expect(types.filter { $0 == "keys.rotated" }.count == 1)
            #expect(types.filter { $0 == "tokens.resealed" }.count == 2)
            #expect(types.filter { $0 == "policy.in_force" }.count >= 2)
            guard case .intact = try await log.verify() else {
                Issue.record("the log is broken")
                return
            }
        }
    }

    @Test(
        "an earlier version of the key stays until every token is sealed again, and can be removed then",
        arguments: AssistantStage.Store.all)
    func versions(_ store: AssistantStage.Store) async throws {
        try await ConnectedStage.run(store) { connected in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            let versions = KeyVersions(connected.keyService)
            let first = try connected.policy.read().activeKey
            func expectRefusal(_ number: Int, _ words: String) async throws {
                let error = try await #require(throws: KeyServiceError.self) {
                    try await versions.remove(number, at: connected.stage.now)
                }
                #expect(error.description.contains(words))
            }
            try await expectRefusal(1, "is the active one")
            let backup = try #require(
                try await connected.stage.openDatabase().connectors.connector(connector, of: user))
            let second = try await KeyRotation(connected.keyService).rotate(at: connected.stage.now).active
            // As after a rotation that was killed: the token is still sealed under the first version.
            var policy = try connected.policy.read()
            policy.activeKey = first
            try connected.policy.write(policy)
            _ = try await KeyRotation(connected.keyService).finish(at: connected.stage.now)
            policy.activeKey = second
            try connected.policy.write(policy)
            #expect(
                try await versions.all() == [
                    .init(key: first, isActive: false, tokens: 1), .init(key: second, isActive: true, tokens: 0),
                ])
            try await expectRefusal(1, "would be lost: 1. Seal them again")
            try await expectRefusal(3, "these do: 1, 2")

            #expect(try await KeyRotation(connected.keyService).finish(at: connected.stage.now).resealed == 1)
            #expect(try await versions.remove(1, at: connected.stage.now) == first)
            #expect(try await versions.all() == [.init(key: second, isActive: true, tokens: 1)])
            _ = try await connected.enclave.accessToken(of: connector, user: user)

            // The token of an old backup is lost now, and a rotation names it.
            let database = try await connected.stage.openDatabase()
            let current = try #require(try await database.connectors.connector(connector, of: user))
            #expect(
                try await database.connectors.reseal(
                    current, .init(sealed: backup.sealedToken, keyID: first.tokenKeyID, version: first.tokenVersion),
                    at: connected.stage.now))
            #expect(try await KeyRotation(connected.keyService).finish(at: connected.stage.now).lost == [connector])
            let log = try BreakGlassLog(connected.keyService.breakGlass)
            #expect(try await log.entries().map(\.event.type).filter { $0 == "keys.removed" }.count == 1)
        }
    }

    @Test("of commands at once that remove the same version, one does it, and it is logged once")
    func removedAtOnce() async throws {
        try await ConnectedStage.run { connected in
            let versions = KeyVersions(connected.keyService)
            let first = try connected.policy.read().activeKey
            let second = try await KeyRotation(connected.keyService).rotate(at: connected.stage.now).active
            let outcomes = await withTaskGroup(of: Result<KeyReference, any Error>.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        do {
                            return .success(try await versions.remove(1, at: connected.stage.now))
                        } catch {
                            return .failure(error)
                        }
                    }
                }
                var outcomes: [Result<KeyReference, any Error>] = []
                for await outcome in group { outcomes.append(outcome) }
                return outcomes
            }
            #expect(outcomes.compactMap { try? $0.get() } == [first])
            for case .failure(let error) in outcomes {
                #expect("\(error)".contains("version 1 of the master key does not exist; these do: 2"))
            }
            #expect(try await versions.all() == [.init(key: second, isActive: true, tokens: 0)])
            let log = try BreakGlassLog(connected.keyService.breakGlass)
            #expect(try await log.entries().map(\.event.type).filter { $0 == "keys.removed" }.count == 1)
        }
    }

    @Test("a version that becomes active while its removal waits stays")
    func activatedMeanwhile() async throws {
        try await ConnectedStage.run { connected in
            let versions = KeyVersions(connected.keyService)
            let first = try connected.policy.read().activeKey
            _ = try await KeyRotation(connected.keyService).rotate(at: connected.stage.now)
            let removal: Task<KeyReference, any Error>
            do {
                // As a command that goes back to the first version.
                let lock = try connected.policy.lock()
                removal = Task { try await versions.remove(1, at: connected.stage.now) }
                var policy = try connected.policy.read()
                policy.activeKey = first
                try lock.write(policy)
            }
            let error = await #expect(throws: KeyServiceError.self) { try await removal.value }
            #expect(error?.description.contains("version 1 is the active one") == true)
        }
    }

    @Test("of rotations at once, the newest version stays active, and every token is sealed under it")
    func rotatedAtOnce() async throws {
        try await ConnectedStage.run { connected in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { _ = try await KeyRotation(connected.keyService).rotate(at: connected.stage.now) }
                }
                try await group.waitForAll()
            }
            let versions = try await KeyVersions(connected.keyService).all()
            #expect(versions.map(\.key.tokenVersion) == [1, 2, 3, 4, 5])
            #expect(versions.map(\.isActive) == [false, false, false, false, true])
            _ = try await KeyRotation(connected.keyService).finish(at: connected.stage.now)
            _ = try await connected.enclave.accessToken(of: connector, user: user)
        }
    }

    @Test("a token that cannot be opened any more does not stop a rotation, and is named")
    func lost() async throws {
        try await ConnectedStage.run { connected in
            let token = try await connected.stage.accessToken()
            let other = try await connected.stage.accessToken("other.apple")
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            try await connected.connect(other)
            let database = try await connected.stage.openDatabase()
            let stored = try #require(try await database.connectors.connector(connector, of: user))
            _ = try await database.connectors.reseal(
                stored,
                .init(sealed: [1, 2, 3], keyID: stored.tokenKeyID, version: stored.tokenVersion),
                at: connected.stage.now)
            let outcome = try await KeyRotation(connected.keyService).rotate(at: connected.stage.now)
            #expect(outcome.resealed == 1 && outcome.lost == [connector])
        }
    }
}
