import Foundation
import TestServers
import Testing

@testable import HouseholdCommands

@Suite("Ports of households that start")
struct PortReservationTests {
    @Test("are given to one household each, however many choose at the same moment")
    func together() async throws {
        // The kernel may give a port that was preferred to another program of this machine.
        let preferred = try PortReservation().choose(preferring: [0, 0, 0])
        let chosen: [(PortReservation, [Int])] = try await withThrowingTaskGroup(of: (PortReservation, [Int]).self) {
            tasks in
            for _ in 0..<12 {
                tasks.addTask {
                    let ports = PortReservation()
                    return (ports, try ports.choose(preferring: preferred))
                }
            }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        let all = chosen.flatMap(\.1)
        #expect(all.count == 36 && Set(all).count == 36, "\(all.sorted())")
        #expect(!Set(all).isDisjoint(with: preferred), "the preferred ones come first")
    }

    @Test("are free again when the household has ended, and can be bound while they are kept")
    func ended() throws {
        var ports: PortReservation? = PortReservation()
        let first = try #require(try ports?.choose(preferring: [0]).first)
        #expect(try PortReservation().choose(preferring: [first]) != [first])
        let part = try LoopbackSocket.bound(to: first)
        close(part.descriptor)
        ports = nil
        #expect(try PortReservation().choose(preferring: [first]) == [first])
    }

    @Test("of a known household are kept, and one at which another program listens is not chosen")
    func known() throws {
        let busy = try LoopbackSocket.bound()
        defer { close(busy.descriptor) }
        try #require(listen(busy.descriptor, 1) == 0)
        #expect(try PortReservation().choose(preferring: [Int(busy.port)]) != [Int(busy.port)])

        let free = try #require(try PortReservation().choose(preferring: [0]).first)
        let known = PortReservation()
        known.keep([free, free])
        #expect(try PortReservation().choose(preferring: [free]) != [free])
        withExtendedLifetime(known) {}
    }
}
