import Foundation
import Secrets

/// The places of a broker's parts on this machine.
package struct BrokerPlaces: Sendable {
    /// The place of the secret that seals the database.
    package enum Sealing: Sendable {
        /// A variable or a credential has it; restoring a backup writes no file.
        case variable(Secret)
        case file(URL)
    }

    /// The files of a household, which every command reads.
    package struct Household: Sendable {
        package var file: URL
        package var agentToken: URL

        package init(file: URL, agentToken: URL) {
            (self.file, self.agentToken) = (file, agentToken)
        }
    }

    package var database: URL
    package var sealing: Sealing
    /// Nil without an archive.
    package var archive: URL?
    /// The archive's former folder, which has files already, so that ``archive`` is one beside it; nil where it was free.
    package var occupiedArchive: URL?
    /// Nil without a policy.
    package var policy: URL?
    /// Nil for a broker that variables configure.
    package var household: Household?

    package init(
        database: URL, sealing: Sealing, archive: URL? = nil, policy: URL? = nil, household: Household? = nil
    ) {
        self.database = database
        self.sealing = sealing
        self.archive = archive
        self.policy = policy
        self.household = household
    }

    /// The folder of accepted documents.
    var statements: URL {
        database.deletingLastPathComponent().appending(path: "statements", directoryHint: .isDirectory)
    }
}
