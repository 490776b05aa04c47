import CurlClient
import Foundation
import Secrets
import TestServers
import Testing

@testable import Notifications

/// A place for a token that two clients share, as two processes do.
private actor SharedPlace: APNsTokenPlace {
    struct Unavailable: Error {}

    private var token: APNsToken?
    private var isAvailable = true
    private(set) var replacements = 0
    /// Kept by another process between a read and a write.
    private var rival: APNsToken?

    func kept() throws -> APNsToken? {
        guard isAvailable else { throw Unavailable() }
        return token
    }

    func keep(_ next: APNsToken) throws -> Bool {
        guard isAvailable else { throw Unavailable() }
        if let rival {
            token = rival
            self.rival = nil
            return false
        }
        token = next
        replacements += 1
        return true
    }

    func fail(_ fails: Bool) { isAvailable = !fails }
    func overtake(with rival: APNsToken) { self.rival = rival }
}

@Suite("The token of senders that share one", .timeLimit(.minutes(4))) struct APNsTokenTests {
    /// Runs `body` with the fake service and two clients with one place for the token.
    private static func with(
        _ body: @escaping @Sendable (FakeAPNs, SharedPlace, APNsClient, APNsClient) async throws -> Void
    ) async throws {
        try await FakeAPNs.with { service, address, authority in
            var http = CurlConfiguration()
            http.extraCAFile = authority
            let place = SharedPlace()
            let configuration = try APNsStage.configuration(service, address)
            let clients = (0..<2).map { _ in APNsClient(configuration, http: http, token: place) }
            try await body(service, place, clients[0], clients[1])
            for client in clients { await client.close() }
        }
    }

    private static func after(_ minutes: Double) -> Date { APNsStage.now.addingTimeInterval(minutes * 60) }

    @Test("is one, and is renewed once for both, between 20 and 60 minutes")
    func shared() async throws {
        try await Self.with { service, place, first, second in
            #expect(await first.send(APNsStage.message()) == .taken)
            #expect(await second.send(APNsStage.message(), at: Self.after(39)) == .taken)
            for client in [second, first, second] {
                #expect(await client.send(APNsStage.message(), at: Self.after(41)) == .taken)
            }
            let tokens = await service.pushes.map(\.token)
            #expect(tokens.count == 5 && tokens[0] == tokens[1] && tokens[1] != tokens[2])
            #expect(Set(tokens[2...]).count == 1)
            #expect(await place.replacements == 2)
        }
    }

    @Test("that Apple calls expired is renewed by one sender, and taken over by the other")
    func expired() async throws {
        try await Self.with { service, place, first, second in
            _ = await first.send(APNsStage.message())
            _ = await second.send(APNsStage.message())
            let late = Self.after(21)
            await service.answer(with: .init(403, "ExpiredProviderToken"))
            #expect(await first.send(APNsStage.message(), at: late) == .taken)
            // A minute later it is far too early for another new token, and none is needed.
            await service.answer(with: .init(403, "ExpiredProviderToken"))
            #expect(await second.send(APNsStage.message(), at: Self.after(22)) == .taken)
            let tokens = await service.pushes.map(\.token)
            #expect(tokens.count == 6 && tokens[3] == tokens[5] && tokens[4] == tokens[0])
            #expect(await place.replacements == 2)
        }
    }

    @Test("of a sender that was faster counts")
    func overtaken() async throws {
        try await Self.with { service, place, first, _ in
            let other = APNsProviderToken(try APNsStage.configuration(service, ""))
            let token = try await other.token(at: APNsStage.now)
            await place.overtake(with: token)
            #expect(await first.send(APNsStage.message()) == .taken)
            #expect(await service.pushes.map(\.token) == [token.text.revealed()])
            #expect(await place.replacements == 0)
        }
    }

    @Test("is used up to 55 minutes while its place does not answer; without one, the message waits")
    func placeFails() async throws {
        try await Self.with { service, place, first, second in
            #expect(await first.send(APNsStage.message()) == .taken)
            await place.fail(true)
            #expect(await first.send(APNsStage.message(), at: Self.after(54)) == .taken)
            #expect(await first.send(APNsStage.message(), at: Self.after(56)) == .later(seconds: 5))
            #expect(await second.send(APNsStage.message()) == .later(seconds: 5))
            #expect(Set(await service.pushes.map(\.token)).count == 1)
            await place.fail(false)
            #expect(await second.send(APNsStage.message(), at: Self.after(10)) == .taken)
            #expect(Set(await service.pushes.map(\.token)).count == 1)
        }
    }
}
