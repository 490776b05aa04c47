import CurlClient
import Encodings
import Foundation
import Secrets
import Testing

@testable import AssistantProcesses

/// Answers every request with the same JSON.
private struct SameAnswer: HTTPTransport {
    let json: JSONValue

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        HTTPResponse(
            head: HTTPResponseHead(
                status: 200, url: request.url, version: "1.1", headers: [],
                timings: HTTPTimings(connected: .zero, firstByte: .zero, total: .zero), reusedConnection: false),
            body: json.compactBytes())
    }

    func download(_ request: HTTPRequest, to file: URL, limit: Int?) async throws -> HTTPDownload {
        throw CancellationError()
    }

    func cookies() async -> [HTTPCookie] { [] }
    func close() async {}
}

@Suite("The headers of a message")
struct MailHeadersTests {
    private func headers(receivedAt date: JSONValue) async throws -> MailHeaders? {
        let answer: JSONValue = ["id": "a1", "internalDate": date]
        let token = Secret("a made-up access token for the headers of messages")
        return try await MailClient(GoogleAPI(token: token, over: SameAnswer(json: answer), tries: 1)).headers(of: "a1")
    }

    @Test(
        "are refused with a time that no clock shows", arguments: ["inf", "nan", "1e300", "-1", "253402300800000", ""])
    func times(text: String) async {
        await #expect(throws: GoogleError.malformed("a message without a date")) {
            try await headers(receivedAt: .string(text))
        }
    }

    @Test("have the time at which the message came, to the millisecond")
    func time() async throws {
        #expect(
            try await headers(receivedAt: "1780000000123")?.receivedAt == Date(timeIntervalSince1970: 1_780_000_000.123)
        )
    }
}
