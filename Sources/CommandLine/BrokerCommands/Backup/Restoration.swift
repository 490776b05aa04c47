import Archive
import BrokerStore
import Foundation
import Machine
import Secrets
import Storage

/// Puts a backup of ``BackupWriter`` in place: on this machine or another, at the old places or new ones.
///
/// Nothing is overwritten. The database comes after everything that belongs to it, so that no broker starts on a part of a
/// backup, and a household's file after the database.
package struct Restoration: Sendable {
    /// The extent of what was restored.
    package struct Receipt: Sendable {
        package let requests: Int
        package let statements: Int
        /// Nil for a backup without an archive.
        package let archived: Int?
        /// The state of the audit log in the backup.
        package let audit: AuditVerification
    }

    private let backup: BackupFiles
    private var list: BackupList { backup.list }

    /// Reads the list of a backup, and compares every file with it.
    ///
    /// - Parameter passphrase: nil for a backup that is not encrypted.
    /// - Throws: ``BackupError`` when the folder is not a whole backup, the passphrase does not open it, or a file is missing
    ///   or was changed; `CancellationError`.
    package init(of folder: URL, passphrase: Secret? = nil) async throws {
        backup = try await Interruption.run { interruption in
            let backup = try BackupFiles(folder, passphrase: passphrase)
            try backup.check(interruption)
            return backup
        }
    }

    /// The bytes of the household's file in the backup; nil when the backup is of a broker that variables configure.
    package func household() throws -> [UInt8]? { try backup.bytes(of: .household, atMost: 1 << 20) }

    private func has(_ part: BackupPart) -> Bool { backup.has(part) }

    // MARK: Placing

    /// - Parameter household: the bytes of the household's file for the new place; nil to restore none.
    /// - Throws: ``BackupError`` when a place is taken or is missing, or the sealing secret is another one; `StoreError`,
    ///   `FileError`. Nothing was placed then.
    package func perform(
        into places: BrokerPlaces, household: [UInt8]? = nil, at time: Date = Date()
    ) async throws -> Receipt {
        try checkPlaces(places)
        let secret = try sealingSecret(for: places)
        let work = Work(placement: Placement())
        do {
            let copy = try await Interruption.run { _ in try self.copyDatabase(for: places, work.placement) }
            defer { for ending in ["", "-journal", "-wal", "-shm"] { unlink(copy.path + ending) } }
            let contents = try await prepare(copy, for: places, secret, at: time)
            let archived = try await Interruption.run { interruption in
                try self.place(into: places, work.placement, interruption)
            }
            try work.placement.name(copy, places.database)
            if let household, let place = places.household?.file { try work.placement.write(household, to: place) }
            return Receipt(
                requests: contents.requests, statements: statements.count, archived: archived, audit: contents.audit)
        } catch {
            work.placement.undo()
            throw error
        }
    }

    /// Only one step at a time uses it.
    private struct Work: @unchecked Sendable {
        let placement: Placement
    }

    private var statements: [String] {
        list.entries.compactMap { if case .statement(let name) = $0.part { name } else { nil } }
    }

    /// Copies the database beside its place.
    private func copyDatabase(for places: BrokerPlaces, _ placement: Placement) throws -> URL {
        let parent = places.database.deletingLastPathComponent()
        try placement.makeFolder(parent)
        let copy = parent.appending(path: ".\(places.database.lastPathComponent).\(UUID().uuidString.prefix(8)).tmp")
        guard let number = list.entries.firstIndex(where: { $0.part.path == BackupPart.database.path }) else {
            throw BackupError(.damaged, "the backup has no database")
        }
        try backup.copy(number, to: copy, FileDigest())
        return copy
    }

    /// Migrates the copy, checks what seals it, and changes the paths of its documents.
    private func prepare(
        _ copy: URL, for places: BrokerPlaces, _ secret: Secret, at time: Date
    ) async throws -> RestoredDatabase.Contents {
        let database = try RestoredDatabase(copy)
        guard try database.isSealed(with: Sealing(secret)) else {
            throw BackupError(
                .damaged,
                has(.sealingSecret)
                    ? "the secret in the backup does not open its database, so the two are not from one broker; use another "
                        + "backup"
                    : "the sealing secret of this machine does not open the database of the backup; put the secret back that "
                        + "sealed it")
        }
        // A backup of the database alone comes back to the documents that are there.
        let names = Set(
            has(.sealingSecret)
                ? statements : (try? FileManager.default.contentsOfDirectory(atPath: places.statements.path)) ?? [])
        let contents = try await database.move(documentsTo: places.statements, at: time) { names.contains($0) }
        try database.close()
        return contents
    }

    /// Places everything but the database and the household's file.
    ///
    /// - Returns: the number of files of the archive; nil without one.
    private func place(
        into places: BrokerPlaces, _ placement: Placement, _ interruption: Interruption
    ) throws -> Int? {
        var archived: Int?
        for (number, entry) in list.entries.enumerated() {
            try interruption.check()
            guard let place = Self.place(of: entry.part, in: places) else { continue }
            try placement.copy(number, of: backup, to: place)
            switch entry.part {
            case .archived: archived = (archived ?? 0) + 1
            case .archiveIndex: archived = archived ?? 0
            default: break
            }
        }
        return archived
    }

    /// Returns the place of a part that is copied as it is; nil for one that is not.
    private static func place(of part: BackupPart, in places: BrokerPlaces) -> URL? {
        switch part {
        case .database, .household: nil
        case .sealingSecret: if case .file(let file) = places.sealing { file } else { nil }
        case .policy: places.policy
        case .agentToken: places.household?.agentToken
        case .statement(let name): places.statements.appending(path: name)
        case .archiveIndex: places.archive?.appending(path: DocumentArchive.indexPath)
        case .archived(let path): places.archive?.appending(path: path)
        }
    }

    // MARK: Checking

    private func checkPlaces(_ places: BrokerPlaces) throws(BackupError) {
        if has(.archiveIndex), places.archive == nil {
            throw BackupError(
                .configuration, "the backup has an archive; set BROKER_ARCHIVE_PATH to a new folder for its documents")
        }
        if has(.policy), places.policy == nil {
            throw BackupError(
                .configuration,
                "the backup has a policy, without which requests would need fewer approvals; set BROKER_POLICY_FILE to a "
                    + "new file for it")
        }
        var taken = ["", "-wal", "-shm"].map { URL(filePath: places.database.path + $0) }
        for part in list.entries.map(\.part) {
            switch part {
            case .sealingSecret, .policy, .agentToken: taken += Self.place(of: part, in: places).map { [$0] } ?? []
            case .household: taken += places.household.map { [$0.file] } ?? []
            default: break
            }
        }
        for place in taken where Self.exists(place) { throw Self.occupied(place) }
        for place in [has(.sealingSecret) ? places.statements : nil, has(.archiveIndex) ? places.archive : nil]
            .compactMap({ $0 })
        where Self.exists(place) && (try? FileManager.default.contentsOfDirectory(atPath: place.path)) != [] {
            throw Self.occupied(place)
        }
    }

    private static func exists(_ place: URL) -> Bool {
        var status = stat()
        let path = place.path
        return lstat(path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path, &status) == 0
    }

    private static func occupied(_ place: URL) -> BackupError {
        BackupError(
            .occupied,
            "\(place.path) exists already, and restoring overwrites nothing; move it away, or name other places")
    }

    /// Returns the secret that seals the backup's database: that of the backup, or for a database alone that of this machine.
    private func sealingSecret(for places: BrokerPlaces) throws -> Secret {
        guard var bytes = try backup.bytes(of: .sealingSecret, atMost: 1024) else {
            switch places.sealing {
            case .variable(let own): return own
            case .file(let file):
                guard let own = try SealingFile(besideDatabase: places.database).secret() else {
                    throw BackupError(
                        .configuration,
                        "the backup has the database alone, and \(file.path), which sealed it, is missing; put it back, or set "
                            + "BROKER_SEALING_SECRET")
                }
                return own
            }
        }
        defer { bytes.wipe() }
        let secret = Secret(bytes: bytes)
        if case .variable(let own) = places.sealing, !own.isEqual(to: secret) {
            throw BackupError(
                .configuration,
                "BROKER_SEALING_SECRET is not the secret of this backup; set it to the secret that the broker had, or unset it "
                    + "to restore the backup's own into a file beside the database")
        }
        return secret
    }
}
