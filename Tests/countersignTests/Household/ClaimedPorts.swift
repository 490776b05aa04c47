import Foundation
import HouseholdCommands
import Synchronization
import TestServers

/// Ports that a test's household finds free whenever it starts, however many others start meanwhile.
///
/// A household may take the ports of one that does not run. So a test claims the ports that its folder leads to, from
/// other tests, here and in other runs on this machine. Claims are UDP ports, which end with their process.
final class ClaimedPorts: Sendable {
    /// All households want the usual ports first, so no test's household may have them.
    private static let usual = Mutex<[Int: Int32]>([:])
    /// No program asks for a port of this address, so a claim is in no program's way.
    private static let claimsAddress = "127.77.0.1"

    private let claims: [Int32]

    /// - Returns: nil when another test has ports of these groups, or a program of this machine uses one.
    init?(groups: Range<Int>) {
        Self.claimUsual()
        var claims: [Int32] = []
        for port in groups.flatMap(HouseholdPorts.ports(ofGroup:)) {
            if let claim = LoopbackSocket.datagrams(at: Self.claimsAddress, port) {
                claims.append(claim)
                if let free = try? LoopbackSocket.bound(to: port, makesRoom: true) {
                    close(free.descriptor)
                    continue
                }
            }
            for claim in claims { close(claim) }
            return nil
        }
        self.claims = claims
    }

    deinit { for claim in claims { close(claim) } }

    /// Takes those of the usual ports that are free, as a household keeps them. Another run of tests may have had some until now.
    private static func claimUsual() {
        usual.withLock { usual in
            for port in HouseholdPorts.usual where usual[port] == nil {
                usual[port] = LoopbackSocket.datagrams(at: "127.0.0.1", port)
            }
        }
    }
}
