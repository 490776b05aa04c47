import AssistantStore
import CurlClient
import Encodings
import Foundation
import Hummingbird
import TestServers
import Testing

@testable import Assistant

/// Measures `GET /v1/preferences` beside a bare route with the same read of the database.
@Suite(
    "Requests a second", .serialized,
    .enabled(if: MeasuredRate.seconds != nil, "ASSISTANT_RATES is not set"))
struct PreferenceRateTests {
    @Test("the route keeps a third of a bare one's rate", arguments: AssistantStage.Store.all)
    func preferences(_ store: AssistantStage.Store) async throws {
        let seconds = try #require(MeasuredRate.seconds)
        try await AssistantStage(store).run { stage in
            let token = try await stage.accessToken()
            let user = try #require(UUID(uuidString: try SignInTests.claim("sub", of: token)))
            let database = try await stage.openDatabase()
            let bare = try await Self.bare(database, user) { port in
                try await Self.rate("http://127.0.0.1:\(port)/v1/preferences", token: nil, seconds)
            }
            // A user may call 200 times a second, so many users call.
            var tokens: [String] = []
            for number in 0..<64 { tokens.append(try await stage.accessToken("user \(number)")) }
            let route = try await Self.rate("\(stage.url)/v1/preferences", tokens: tokens, seconds)
            MeasuredRate.row("`GET /v1/preferences`", store, route, bare, "a bare route with the same read")
            #expect(Double(route) > Double(bare) / 3)
            await database.close()
        }
    }

    private static func bare(
        _ database: AssistantDatabase, _ user: UUID, _ body: @escaping @Sendable (Int) async throws -> Int
    ) async throws -> Int {
        let router = Router()
        router.get("v1/preferences") { _, _ in
            let stored = try await database.preferences.preferences(of: user)
            return Response.json(["time_zone": .string(stored?.timeZone ?? "")])
        }
        return try await LoopbackServer.run(router, body)
    }

    private static func rate(_ url: String, token: String?, _ seconds: Int) async throws -> Int {
        try await rate(url, tokens: [token ?? ""], seconds)
    }

    private static func rate(_ url: String, tokens: [String], _ seconds: Int) async throws -> Int {
        try await MeasuredRate.requests(for: seconds) { caller, number in
            let token = tokens[(caller + number * MeasuredRate.callers) % tokens.count]
            return CurlClient.HTTPRequest("GET", url, headers: [HTTPHeader("Authorization", "Bearer \(token)")])
        }
    }
}
