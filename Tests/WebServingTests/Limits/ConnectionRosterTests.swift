import NIOCore
import Testing

@testable import WebServing

@Suite("The roster of connections")
struct ConnectionRosterTests {
    @Test("closes the oldest silent connection when there are too many")
    func oldest() {
        var roster = ConnectionRoster<Int>(limit: 8)
        for id in 1...7 { #expect(roster.open(id, from: "\(id)").isEmpty) }
        #expect(roster.open(8, from: "8") == [1])
        #expect(roster.count == 7)
    }

    @Test("keeps a connection whose answer is being prepared, and takes the next oldest")
    func busy() {
        var roster = ConnectionRoster<Int>(limit: 8)
        for id in 1...7 { _ = roster.open(id, from: "\(id)") }
        roster.prepareAnswer(1)
        roster.prepareAnswer(2)
        roster.waitForClient(2)
        #expect(roster.open(8, from: "8") == [3])
        for id in [2, 4, 5, 6, 7, 8] { roster.prepareAnswer(id) }
        #expect(roster.open(9, from: "9").isEmpty, "the new connection is not closed for being new")
    }

    @Test("silence counts from its beginning: a byte now and then does not renew it")
    func keepsItsPlace() {
        var roster = ConnectionRoster<Int>(limit: 8)
        for id in 1...7 { _ = roster.open(id, from: "\(id)") }
        roster.waitForClient(1)
        #expect(roster.open(8, from: "8") == [1])
    }

    @Test("an address has half of the connections; its own oldest goes, or the new one when none is silent")
    func perAddress() {
        var roster = ConnectionRoster<Int>(limit: 16)
        for id in 1...4 { _ = roster.open(id, from: "other") }
        for id in 5...12 { #expect(roster.open(id, from: "greedy").isEmpty) }
        #expect(roster.open(13, from: "greedy") == [5])
        for id in 6...13 { roster.prepareAnswer(id) }
        #expect(roster.open(14, from: "greedy") == [14])
        #expect(roster.open(15, from: "other").isEmpty)
    }

    @Test("a phone's connection does not make room, and a quarter of the connections can be such")
    func preferred() {
        var roster = ConnectionRoster<Int>(limit: 8)
        for id in 1...7 { _ = roster.open(id, from: "\(id)") }
        for id in 1...3 { roster.prefer(id) }
        #expect(roster.open(8, from: "8") == [3], "the third is one too many")
        #expect(roster.open(9, from: "9") == [4])
        roster.close(1)
        roster.prefer(5)
        #expect(roster.open(10, from: "10").isEmpty)
        #expect(roster.open(11, from: "11") == [6])
    }

    @Test("a closed connection frees its place")
    func closes() {
        var roster = ConnectionRoster<Int>(limit: 4)
        for id in 1...100 {
            _ = roster.open(id, from: "one")
            roster.close(id)
            roster.close(id)
        }
        #expect(roster.count == 0)
        #expect(roster.open(101, from: "one").isEmpty)
    }

    @Test("one machine's IPv6 network counts as one address")
    func networks() throws {
        let one = try SocketAddress(ipAddress: "2001:db8:1:2::1", port: 1)
        let two = try SocketAddress(ipAddress: "2001:db8:1:2:ffff::9", port: 2)
        let other = try SocketAddress(ipAddress: "2001:db8:1:3::1", port: 1)
        #expect(OpenConnections.origin(of: one) == OpenConnections.origin(of: two))
        #expect(OpenConnections.origin(of: one) != OpenConnections.origin(of: other))
        let four = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
        #expect(OpenConnections.origin(of: four) == "192.0.2.1")
    }
}
