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
        #expect(limits.take(.agent(other)) == nil && limits.take(.stranger) == nil)
    }

    @Test("a thousand registrations at once keep no program that is known from asking")
    func registrations() {
        let limits = RemoteLimits()
        let refused = (0..<1_000).count { _ in limits.take(.registering) != nil }
        #expect(refused > 500 && limits.take(.asking) == nil)
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
