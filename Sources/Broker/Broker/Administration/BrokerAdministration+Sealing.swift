import BrokerStore
import Foundation
import Secrets
import Storage

extension BrokerAdministration {
    /// The place of the secret that seals the database now.
    package enum SealingPlace: Sendable, Hashable {
        /// The file beside the database.
        case file(URL)
        /// `BROKER_SEALING_SECRET`, which has to be set to the new secret from now on.
        case variable
    }

    /// Seals every secret in the database with another secret.
    ///
    /// - Parameter secret: the new one; nil to have the broker make one, in a file beside the database.
    /// - Throws: ``StoreError`` while a broker runs on the database, or when it was sealed with another secret.
    package func reseal(to secret: Secret? = nil) async throws -> SealingPlace {
        guard !isRunning else {
            throw StoreError(message: "a broker is running on \(file.path); stop it first, and start it afterwards")
        }
        let old = try sealing()
        let columns = SealedColumns(database: database)
        let own = SealingFile(besideDatabase: file)
        if let secret {
            try columns.reseal(from: old, to: Sealing(secret))
        } else {
            try own.prepare()
            guard let new = try own.interrupted() else { throw StoreError(message: "\(own.file.path) cannot be made") }
            try columns.reseal(from: old, to: new)
            try own.finish()
        }
        let place = secret == nil ? SealingPlace.file(own.file) : .variable
        try await database.audit.record(AuditEvent(.brokerResealed, severity: .warning, time: database.clock.now))
        return place
    }
}
