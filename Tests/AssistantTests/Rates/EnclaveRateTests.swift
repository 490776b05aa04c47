import CurlClient
import Foundation
import Testing

@testable import Assistant

/// Measures exchanges of refresh tokens for access tokens: worker, enclave, key service with its four checks, Google. Beside
/// them stands the same exchange with Google alone, whose mock is in this process.
@Suite(
    "Exchanges a second", .serialized,
    .enabled(if: MeasuredRate.seconds != nil, "ASSISTANT_RATES is not set"))
struct EnclaveRateTests {
    @Test("an exchange through the enclave", arguments: AssistantStage.Store.all)
    func exchanges(_ store: AssistantStage.Store) async throws {
        let seconds = try #require(MeasuredRate.seconds)
        try await ConnectedStage.run(store) { connected in
            var users: [(user: UUID, connector: UUID)] = []
            for number in 0..<MeasuredRate.callers {
                let token = try await connected.stage.accessToken("user \(number)")
                users.append(try connected.ids(token, try await connected.connect(token)))
            }
            let connections = users
            let rate = try await MeasuredRate.calls(for: seconds) { caller, _ in
                let (user, connector) = connections[caller]
                return try await !connected.enclave.accessToken(of: connector, user: user).scopes.isEmpty
            }
            let google = try await Self.google(connected, seconds)
            MeasuredRate.row(
                "exchanges by the enclave", store, rate, google, "the same exchanges with Google's mock alone")
            #expect(rate > 0 && google > 0)
        }
    }

    private static func google(_ connected: ConnectedStage, _ seconds: Int) async throws -> Int {
        let refresh = try #require(await connected.google.account.refreshTokens.first)
        let client = "client_id=mock-client&client_secret=mock-client-secret"
        let body = Array("grant_type=refresh_token&refresh_token=\(refresh)&\(client)".utf8)
        return try await MeasuredRate.requests(for: seconds) { _, _ in
            HTTPRequest(
                "POST", "\(connected.google.url)/token",
                headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")], body: body)
        }
    }
}
