import Crypto
import CurlClient
import Encodings
import Foundation
import Secrets
import TestServers
import TestSupport
import Testing

@testable import Notifications

@Suite("aioapns against the fake of Apple's service, and our client against one on Python's h2", .needsPeers)
struct APNsPeerTests {
    @Test("aioapns sends to our fake, and reads its reasons", .timeLimit(.minutes(4)))
    func library() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await FakeAPNs.with { service, address, authority in
            let key = folder.appending("key.p8")
            try Data(service.key.pemRepresentation.utf8).write(to: key)
            let devices = ["11", "22", "33"].map { String(repeating: $0, count: 32) }
            await service.answer(devices[1], with: .init(410, "Unregistered", timestamp: 1_458_114_061_260))
            await service.answer(devices[2], with: .init(429, "TooManyRequests"))
            let outcome = try await Peers.run(
                script: "apns_client.py",
                [address, authority.path, key.path, FakeAPNs.keyID, FakeAPNs.teamID, FakeAPNs.topic] + devices)
            #expect(outcome.status == 0, "\(outcome.text)")
            for expected in [
                "result 1111 200 None True", "result 2222 410 Unregistered False",
                "result 3333 429 TooManyRequests False",
            ] { #expect(outcome.text.contains(expected), "\(expected) in \(outcome.text)") }
            #expect(await service.pushes.map(\.device) == devices)
        }
    }

    @Test("our client sends to a service on h2, whose PyJWT takes our token", .timeLimit(.minutes(4)))
    func server() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = P256.Signing.PrivateKey()
        let certificate = try LoopbackCertificate(hosts: ["localhost"], isAuthority: true)
        let files = [
            ("certificate.pem", certificate.pem), ("key.pem", certificate.key.pemRepresentation),
            ("public.pem", key.publicKey.pemRepresentation),
        ]
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(name)) }
        let server = try PeerServer(["apns_server.py"] + files.map { folder.appending($0.0).path })
        let port = try #require(Int(try await server.line()))
        var configuration = try APNsConfiguration(
            key: Secret(key.pemRepresentation), keyID: FakeAPNs.keyID, teamID: FakeAPNs.teamID, topic: FakeAPNs.topic)
        configuration.address = "https://localhost:\(port)"
        var http = CurlConfiguration()
        http.extraCAFile = folder.appending("certificate.pem")
        let client = APNsClient(configuration, http: http)
        var outcomes: [APNsClient.Outcome] = []
        for device in ["a1", "dead", "b0", "a2"] {
            let token = String(repeating: device, count: 64 / device.count)
            outcomes.append(await client.send(APNsStage.message(), to: Secret(token), .sandbox, at: APNsStage.now))
        }
        // The last is not sent: the service has asked to wait.
        #expect(outcomes == [.taken, .gone, .later(seconds: 33), .later(seconds: 33)])
        await client.close()
        for device in ["a1", "dead", "b0"] {
            let seen = try JSONReader.read(try await server.line())
            #expect(seen["device"]?.stringValue?.hasPrefix(device) == true, "\(seen)")
            #expect(seen["team"] == .string(FakeAPNs.teamID) && seen["key"] == .string(FakeAPNs.keyID))
            #expect(seen["scheme"] == "bearer" && seen["issued"] == 1_800_000_000)
            #expect(
                seen["headers"] == [
                    "apns-topic": .string(FakeAPNs.topic), "apns-push-type": "alert", "apns-priority": "10",
                    "apns-expiration": "1800000600", "apns-collapse-id": "meeting-1",
                ])
            #expect(seen["payload"]?["aps"]?["category"] == "MEETING_REMINDER")
        }
        server.end()
    }
}
