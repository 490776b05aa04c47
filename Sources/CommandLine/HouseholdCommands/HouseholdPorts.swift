import Foundation

/// Ports that a new household of this machine asks for: of its broker, its page and its mock bank.
///
/// A household keeps its ports, and starts at them again. A port that the system picks could by then be the end of any connection
/// from this machine. So a household that finds the usual ports taken gets ports that depend on its folder. They lie below
/// those that Linux picks (32768 and above), and two households seldom want the same.
package enum HouseholdPorts {
    package static let usual = [8765, 8766, 8767]

    private static let first = 20_000
    private static let groups = 4_000

    /// Returns the number of the three ports that a folder leads to.
    package static func group(of folder: URL) -> Int {
        // FNV-1a: Swift's own hashes differ in each process.
        let hash = folder.standardizedFileURL.path.utf8.reduce(0x811C_9DC5 as UInt32) {
            ($0 ^ UInt32($1)) &* 0x0100_0193
        }
        return Int(hash) % groups
    }

    /// Returns the three ports with a number. After the last come the first.
    package static func ports(ofGroup group: Int) -> [Int] {
        let base = first + usual.count * (group % groups)
        return usual.indices.map { base + $0 }
    }

    /// Returns the ports that a household of a folder tries, in this order.
    static func tried(for folder: URL) -> [[Int]] {
        let group = group(of: folder)
        return (0..<20).map { ports(ofGroup: group + $0) }
    }
}
