import Foundation
import Testing

@testable import HouseholdCommands

@Suite("Ports that a new household asks for")
struct HouseholdPortsTests {
    @Test("are three of their own for each group, below those that the system picks")
    func groups() {
        let all = (0..<4_000).flatMap(HouseholdPorts.ports(ofGroup:))
        #expect(Set(all).count == 12_000)
        #expect(all.allSatisfy { (20_000..<32_768).contains($0) })
        #expect(
            HouseholdPorts.ports(ofGroup: 4_000) == HouseholdPorts.ports(ofGroup: 0), "after the last come the first")
    }

    @Test("depend on its folder alone, however that is written")
    func folders() {
        let groups = (0..<100).map { HouseholdPorts.group(of: URL(filePath: "/home/person-\($0)/countersign")) }
        #expect(Set(groups).count > 90)
        for path in ["/home/robin/countersign/", "/home/robin/./countersign", "/home/robin/x/../countersign"] {
            let folder = URL(filePath: path, directoryHint: .isDirectory)
            #expect(
                HouseholdPorts.group(of: folder) == HouseholdPorts.group(of: URL(filePath: "/home/robin/countersign")))
        }
    }

    @Test("are its folder's when another household has the usual ones, then the next")
    func taken() throws {
        let folder = URL(filePath: "/home/\(UUID().uuidString)/countersign")
        let tried = HouseholdPorts.tried(for: folder)
        let households = (0..<3).map { _ in PortReservation() }
        let usual = try households[0].choose(preferring: [0, 0, 0])
        let others = try households[1...].map { try $0.choose(preferring: usual, else: tried) }
        // Another program of this machine may have one of them.
        #expect(others.allSatisfy { ports in ports.allSatisfy { tried.flatMap(\.self).contains($0) } }, "\(others)")
        #expect(Set(usual + others.flatMap(\.self)).count == 9, "\(others)")
        withExtendedLifetime(households) {}
    }
}
