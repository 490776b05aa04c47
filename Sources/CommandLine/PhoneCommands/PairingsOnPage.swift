import ApprovalPage
import Foundation
import Terminal

/// The pairings with the household's broker, for the page. Each is a `countersign pair` of its own, so that the secret that seals
/// the broker's keys stays out of the page's process.
struct PairingsOnPage: PagePairings {
    let household: HouseholdOnPage

    /// A program whose variables configure another broker would pair with that one.
    var arePossible: Bool {
        household.hasBroker && !HouseholdFile.isOverridden(ProcessInfo.processInfo.environment)
    }

    func begin(named name: String?) async throws -> any PagePairing {
        try await PairingProgram.start(["pair", "--json"] + (name.map { ["--name=\($0)"] } ?? []))
    }
}
