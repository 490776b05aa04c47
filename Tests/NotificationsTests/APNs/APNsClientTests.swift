import Crypto
import CurlClient
import Foundation
import Secrets
import TestServers
import Testing

@testable import Notifications

/// Tests' access to the fake service.
enum APNsStage {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let device = String(repeating: "a1", count: 32)

    static func configuration(_ service: FakeAPNs, _ address: String) throws -> APNsConfiguration {
        var configuration = try APNsConfiguration(
            key: Secret(service.key.pemRepresentation), keyID: FakeAPNs.keyID, teamID: FakeAPNs.teamID,
            topic: FakeAPNs.topic)
        configuration.address = address
        return configuration
    }

    /// Runs `body` with the fake service and a client of it.
    static func with(
        _ transport: FakeAPNs.Transport = .tls,
        _ body: @escaping @Sendable (FakeAPNs, APNsClient) async throws -> Void
    ) async throws {
        try await FakeAPNs.with(transport) { service, address, authority in
            var http = CurlConfiguration()
            http.extraCAFile = authority
            let client = APNsClient(try configuration(service, address), http: http)
            try await body(service, client)
            await client.close()
        }
    }

    static func message(_ key: String = "meeting-1", isUrgent: Bool = true) -> APNsMessage {
        APNsMessage(
            payload: Array(#"{"aps":{"alert":{"title":"a","body":"b"},"category":"MEETING_REMINDER"}}"#.utf8),
            expires: now.addingTimeInterval(600), collapseID: key, isUrgent: isUrgent)
    }
}

extension APNsClient {
    func send(_ message: APNsMessage, at now: Date = APNsStage.now) async -> Outcome {
        await send(message, to: Secret(APNsStage.device), .sandbox, at: now)
    }
}

@Suite("The client of Apple's push service", .timeLimit(.minutes(4)))
struct APNsClientTests {
    @Test("a message has Apple's headers", arguments: [FakeAPNs.Transport.tls, .plainHTTP2, .plainHTTP1])
    func headers(_ transport: FakeAPNs.Transport) async throws {
        try await APNsStage.with(transport) { service, client in
            #expect(await client.send(APNsStage.message()) == .taken)
            #expect(await client.send(APNsStage.message("k", isUrgent: false)) == .taken)
            let pushes = await service.pushes
            try #require(pushes.map(\.device) == [APNsStage.device, APNsStage.device])
            let headers = pushes[0].headers
            #expect(headers["apns-topic"] == FakeAPNs.topic && headers["apns-push-type"] == "alert")
            #expect(headers["apns-priority"] == "10" && headers["apns-collapse-id"] == "meeting-1")
            #expect(headers["apns-expiration"] == "1800000600")
            #expect(pushes[1].headers["apns-priority"] == "5")
            #expect(pushes[0].body == APNsStage.message().payload)
        }
    }

    @Test("the service is reached over HTTP/2")
    func version() async throws {
        try await FakeAPNs.with { _, address, authority in
            var http = CurlConfiguration()
            http.extraCAFile = authority
            http.http2 = .shared
            let session = CurlSession(http)
            let answer = try await session.send(HTTPRequest("POST", address + "/3/device/00", body: Array("{}".utf8)))
            #expect(answer.head.version == "2")
            await session.close()
        }
    }

    @Test("messages that are sent at once share one token, and few connections")
    func together() async throws {
        try await APNsStage.with { service, client in
            #expect(await client.send(APNsStage.message()) == .taken)
            await withTaskGroup(of: APNsClient.Outcome.self) { group in
                for number in 0..<60 {
                    // In no order, as messages that were begun at other times are.
                    let now = APNsStage.now.addingTimeInterval(Double(30 - number))
                    group.addTask { await client.send(APNsStage.message("k\(number)"), at: now) }
                }
                for await outcome in group { #expect(outcome == .taken) }
            }
            let pushes = await service.pushes
            #expect(pushes.count == 61)
            #expect(Set(pushes.map(\.token)).count == 1)
            #expect(Set(pushes.map(\.connection)).count == 1, "HTTP/2 carries them over one connection")
        }
    }

    @Test(
        "the token is renewed between 20 and 60 minutes",
        arguments: [(0, true), (19 * 60, true), (39 * 60, true), (41 * 60, false), (59 * 60, false), (-60, true)])
    func renewed(_ seconds: Int, _ isSame: Bool) async throws {
        try await APNsStage.with { service, client in
            _ = await client.send(APNsStage.message())
            _ = await client.send(APNsStage.message(), at: APNsStage.now.addingTimeInterval(Double(seconds)))
            let tokens = await service.pushes.map(\.token)
            #expect(tokens.count == 2 && (tokens[0] == tokens[1]) == isSame)
        }
    }

    @Test("a token that Apple calls expired is renewed once it is 20 minutes old, and the message sent again")
    func expired() async throws {
        try await APNsStage.with { service, client in
            _ = await client.send(APNsStage.message())
            await service.answer(with: .init(403, "ExpiredProviderToken"))
            let early = await client.send(APNsStage.message(), at: APNsStage.now.addingTimeInterval(60))
            #expect(early == .later(seconds: 60))
            await service.answer(with: .init(403, "ExpiredProviderToken"))
            #expect(await client.send(APNsStage.message(), at: APNsStage.now.addingTimeInterval(1260)) == .taken)
            let tokens = await service.pushes.map(\.token)
            #expect(tokens.count == 4 && tokens[1] == tokens[2] && tokens[2] != tokens[3])
        }
    }

    static let answers: [(Int, APNsReason?, APNsClient.Outcome)] =
        [
            (400, .badDeviceToken, .gone), (410, .unregistered, .gone), (410, .expiredToken, .gone), (410, nil, .gone),
            (429, .tooManyRequests, .later(seconds: 5)), (429, .tooManyProviderTokenUpdates, .later(seconds: 5)),
            (429, nil, .later(seconds: 5)), (500, .internalServerError, .later(seconds: 5)),
            (503, .serviceUnavailable, .later(seconds: 5)), (503, .shutdown, .later(seconds: 5)),
            (502, nil, .later(seconds: 5)), (400, .idleTimeout, .later(seconds: 5)),
            (403, nil, .misconfigured("status 403")), (400, nil, .refused("status 400")),
            (403, .expiredProviderToken, .later(seconds: 60)),
        ]
        + [
            (400, .badCollapseID), (400, .badExpirationDate), (400, .badMessageID), (400, .badPriority),
            (400, .deviceTokenNotForTopic), (400, .duplicateHeaders), (400, .invalidPushType),
            (400, .missingDeviceToken), (400, .payloadEmpty), (404, .badPath), (405, .methodNotAllowed),
            (413, .payloadTooLarge),
        ].map { (status: Int, reason: APNsReason) in (status, reason, .refused(reason.rawValue)) }
        + [
            (400, .badTopic), (400, .missingTopic), (400, .topicDisallowed), (403, .badCertificate),
            (403, .badCertificateEnvironment), (403, .badEnvironmentKeyIDInToken), (403, .forbidden),
            (403, .invalidProviderToken), (403, .missingProviderToken), (403, .unrelatedKeyIDInToken),
        ].map { (status: Int, reason: APNsReason) in (status, reason, .misconfigured(reason.rawValue)) }

    @Test("each of Apple's reasons has its consequence", arguments: answers)
    func reasons(_ status: Int, _ reason: APNsReason?, _ expected: APNsClient.Outcome) async throws {
        try await APNsStage.with { service, client in
            await service.answer(with: .init(status, reason?.rawValue, timestamp: status == 410 ? 1_799_999 : nil))
            #expect(await client.send(APNsStage.message()) == expected)
        }
    }

    @Test("the table has every reason of Apple's")
    func complete() {
        #expect(Set(Self.answers.compactMap(\.1)) == Set(APNsReason.allCases))
    }

    @Test("a device that gets too many messages is left alone until the time that Apple names")
    func pausesDevice() async throws {
        try await APNsStage.with { service, client in
            await service.answer(with: .init(429, "TooManyRequests", retryAfter: "30"))
            #expect(await client.send(APNsStage.message()) == .later(seconds: 30))
            let soon = APNsStage.now.addingTimeInterval(10)
            #expect(await client.send(APNsStage.message(), at: soon) == .later(seconds: 20))
            let other = Secret(String(repeating: "b2", count: 32))
            #expect(await client.send(APNsStage.message(), to: other, .sandbox, at: soon) == .taken)
            #expect(await service.pushes.count == 2)
            #expect(await client.send(APNsStage.message(), at: APNsStage.now.addingTimeInterval(31)) == .taken)
        }
    }

    @Test("a service that asks to wait is left alone until then", arguments: ["45", "Fri, 15 Jan 2027 08:00:45 GMT"])
    func pausesService(_ retryAfter: String) async throws {
        try await APNsStage.with { service, client in
            await service.answer(with: .init(503, "ServiceUnavailable", retryAfter: retryAfter))
            #expect(await client.send(APNsStage.message()) == .later(seconds: 45))
            let other = Secret(String(repeating: "b2", count: 32))
            let outcome = await client.send(
                APNsStage.message(), to: other, .sandbox, at: APNsStage.now.addingTimeInterval(44))
            #expect(outcome == .later(seconds: 1))
            #expect(await service.pushes.count == 1)
            #expect(await client.send(APNsStage.message(), at: APNsStage.now.addingTimeInterval(45)) == .taken)
        }
    }

    @Test("a service that is not there is tried again soon", arguments: ["https://127.0.0.1:1", "http://127.0.0.1:1"])
    func unreachable(_ address: String) async throws {
        var configuration = try APNsConfiguration(
            key: Secret(P256.Signing.PrivateKey().pemRepresentation), keyID: "K", teamID: "T", topic: "a.b")
        configuration.address = address
        let client = APNsClient(configuration)
        #expect(await client.send(APNsStage.message()) == .later(seconds: 5))
        await client.close()
    }

    @Test(
        "settings that Apple would refuse are refused with the variable's name",
        arguments: [
            ("APNS_KEY_ID", "a b", "TEAM", "com.example"), ("APNS_TEAM_ID", "KEY", "", "com.example"),
            ("APNS_TOPIC", "KEY", "TEAM", "com example"),
        ])
    func settings(_ name: String, _ keyID: String, _ teamID: String, _ topic: String) {
        let key = Secret(P256.Signing.PrivateKey().pemRepresentation)
        let error = #expect(throws: APNsError.self) {
            try APNsConfiguration(key: key, keyID: keyID, teamID: teamID, topic: topic)
        }
        #expect(error?.description.hasPrefix(name) == true)
        let noKey = #expect(throws: APNsError.self) {
            try APNsConfiguration(
                key: Secret("-----BEGIN NOTHING-----"), keyID: "KEY", teamID: "TEAM", topic: "com.example")
        }
        #expect(noKey?.description.hasPrefix("APNS_KEY_FILE") == true)
    }
}
