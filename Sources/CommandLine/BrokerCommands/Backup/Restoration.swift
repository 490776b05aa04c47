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

    private let folder: URL
    private let list: BackupList

    /// Reads the list of a backup, and compares every file with it.
    ///
    /// - Throws: ``BackupError`` when the folder is not a whole backup, or a file is missing or was changed;
    ///   `CancellationError`.
    package init(of folder: URL) async throws {
        self.folder = folder
        list = try BackupList.read(in: folder)
        try await Interruption.run { [list] interruption in
            let digests = FileDigest()
            for entry in list.entries {
                try interruption.check()
                let file = folder.appending(path: entry.part.path)
                let value: FileDigest.Value?
                do throws(FileError) {
                    value = try digests.of(file.path)
                } catch {
                    throw BackupError(.damaged, "\(error); use another copy of the backup")
                }
                guard let value else {
                    throw BackupError(.damaged, "\(file.path) is missing; use another copy of the backup")
                }
                guard value.sha256 == entry.sha256 else { throw BackupError.changed(file) }
            }
        }
    }

    /// The file of the household in the backup; nil when it is of a broker that variables configure.
    package var household: URL? { has(.household) ? folder.appending(path: BackupPart.household.path) : nil }

    private func has(_ part: BackupPart) -> Bool { list.entries.contains { $0.part.path == part.path } }

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
        let source = folder.appending(path: BackupPart.database.path)
        let value = try FileDigest().copy(source.path, to: copy)
        guard list.entries.contains(where: { $0.part.path == BackupPart.database.path && $0.sha256 == value.sha256 })
        else {
            unlink(copy.path)
            throw BackupError.changed(source)
        }
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
                "the secret in the backup does not open its database, so the two are not from one broker; use another "
                    + "backup")
        }
        let names = Set(statements)
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
        for entry in list.entries {
            try interruption.check()
            guard let place = Self.place(of: entry.part, in: places) else { continue }
            try placement.copy(folder.appending(path: entry.part.path), to: place, sha256: entry.sha256)
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
        for place in [places.statements, has(.archiveIndex) ? places.archive : nil].compactMap({ $0 })
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

    /// Returns the secret that seals the backup's database.
    private func sealingSecret(for places: BrokerPlaces) throws -> Secret {
        let file = folder.appending(path: BackupPart.sealingSecret.path)
        let secret = Secret(bytes: try OpenedFile(file).bytes(atMost: 1024))
        if case .variable(let own) = places.sealing, !own.isEqual(to: secret) {
            throw BackupError(
                .configuration,
                "BROKER_SEALING_SECRET is not the secret of this backup; set it to the content of \(file.path)")
        }
        return secret
    }
}
