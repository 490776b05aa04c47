import Messages
import Testing

@testable import Broker

@Suite("Limits of programs elsewhere")
struct RemoteLimitsTests {
    @Test("a thousand messages at once of one program are refused for the most part, and another's are not")
    func rates() throws {
        let limits = RemoteLimits()
        let (books, other) = (try #require(AgentName("books")), try #require(AgentName("other")))
        let refused = (0..<1_000).count { _ in limits.take(.agent(books)) != nil }
        #expect(refused > 500)
        #expect(limits.take(.agent(other)) == nil && limits.take(.stranger(.message, from: "203.0.113.7")) == nil)
    }

    @Test("a thousand registrations of one address at once keep no known program from asking, and no other address")
    func registrations() {
        let limits = RemoteLimits()
        func take(_ call: RemoteLimits.StrangersCall, _ address: String = "203.0.113.7") -> Int? {
            limits.take(.stranger(call, from: address))
        }
        let refused = (0..<1_000).count { _ in take(.registering) != nil }
        #expect(refused > 500 && take(.asking) == nil)
        #expect(take(.registering, "198.51.100.9") == nil)
    }

    @Test("what many addresses may call together is limited, and so is what is remembered of them")
    func together() {
        let limits = RemoteLimits()
        let admitted = (0..<25_000).count { limits.take(.stranger(.registering, from: "\($0)")) == nil }
        #expect(admitted >= 600 && admitted < 700)
    }

    @Test("sixteen messages of one program are answered at a time, until the place of one is free")
    func places() throws {
        let limits = RemoteLimits()
        let books = try #require(AgentName("books"))
        var places = (0..<16).map { _ in RemotePlace(of: books, among: limits) }
        #expect(!places.contains { $0 == nil } && RemotePlace(of: books, among: limits) == nil)
        #expect(RemotePlace(of: try #require(AgentName("other")), among: limits) != nil)
        places.removeLast()
        #expect(RemotePlace(of: books, among: limits) != nil)
    }
}
