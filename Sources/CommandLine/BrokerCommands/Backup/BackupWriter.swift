import Archive
import BrokerStore
import Foundation
import Machine
import Secrets

/// Copies the broker's database, or everything that a broker needs, into a folder, whether the broker runs or not.
///
/// The database comes first: a document that is accepted afterwards lies in the backup without being asked for, and none that
/// the database knows is missing.
package struct BackupWriter: Sendable {
    /// The parts that are copied.
    package enum Extent: Sendable {
        case database
        /// Everything, with the secret that seals the database.
        case all(sealing: Secret)
    }

    /// The size of a backup, and what is not in it.
    package struct Receipt: Sendable {
        package var requests = 0
        package var statements = 0
        /// Nil without an archive.
        package var archived: Int?
        package var bytes = 0
        /// The paths, below the archive, of links and other things that are not files.
        package var leftOut: [String] = []
    }

    private let places: BrokerPlaces
    private let extent: Extent
    private let protection: BackupProtection?

    /// - Parameter protection: nil for a backup that anyone who has it can read.
    package init(_ places: BrokerPlaces, _ extent: Extent, protection: BackupProtection?) {
        self.places = places
        self.extent = extent
        self.protection = protection
    }

    /// Makes the folder, with mode 0700, and writes the list of its files last. When this fails or the task is cancelled, the
    /// folder is removed.
    ///
    /// - Throws: ``BackupError``, `StoreError`, `FileError`, `ArchiveError`, `VaultError`; `CancellationError`.
    package func write(to folder: URL) async throws -> Receipt {
        for source in [places.archive, places.statements] {
            guard let source = source?.resolvingSymlinksInPath().path, Self.isInside(folder, source) else { continue }
            throw BackupError(
                .configuration, "\(folder.path) is inside \(source), which is copied; name a folder elsewhere")
        }
        try BrokerDatabase.checkExists(places.database)
        return try await Interruption.run { interruption in
            guard mkdir(folder.path, 0o700) == 0 else {
                guard errno == EEXIST else { throw FileError("made", folder.path) }
                throw BackupError(.occupied, "\(folder.path) exists already; name a new folder for the backup")
            }
            do {
                let receipt = try withWorkingFolder { try fill(folder, copying: $0, interruption) }
                try AtomicFile.synchronise(folder: folder.deletingLastPathComponent())
                return receipt
            } catch {
                try? FileManager.default.removeItem(at: folder)
                throw error
            }
        }
    }

    /// Calls `body` with a folder beside the database for copies that are not sealed yet: they are not more exposed there than the
    /// database, and never on the disk that the backup goes to.
    private func withWorkingFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
        let parent = places.database.deletingLastPathComponent()
        let working = parent.appending(path: ".backup")
        // Another backup holds the lock; a folder that a killed one has left is removed.
        guard let lock = try FileLock(parent.appending(path: ".backup.lock"), waits: false) else {
            throw BackupError(.unusable, "another backup of this broker is being made; wait for its end")
        }
        defer { withExtendedLifetime(lock) {} }
        try? FileManager.default.removeItem(at: working)
        guard mkdir(working.path, 0o700) == 0 else { throw FileError("made", working.path) }
        defer { try? FileManager.default.removeItem(at: working) }
        return try body(working)
    }

    private func fill(_ folder: URL, copying working: URL, _ interruption: Interruption) throws -> Receipt {
        let backup = try BackupFolder(folder, protection)
        var receipt = Receipt()
        func add(_ source: URL, as part: BackupPart) throws {
            try interruption.check()
            try backup.add(source, as: part)
        }
        /// Adds a file that was just written, and removes it.
        func move(_ source: URL, as part: BackupPart) throws {
            try add(source, as: part)
            unlink(source.path)
        }

        let database = working.appending(path: "database")
        receipt.requests = try BrokerBackup.write(places.database, to: database).requests
        if case .all(let sealing) = extent {
            guard try BrokerBackup.isSealed(database, with: Sealing(sealing)) else {
                throw BackupError(
                    .configuration,
                    "the secrets in \(places.database.path) were sealed with another secret than this machine has, so the "
                        + "backup would be useless; set BROKER_SEALING_SECRET to the secret that sealed them")
            }
        }
        try move(database, as: .database)
        if case .all(let sealing) = extent {
            try backup.add(sealing, as: .sealingSecret)
            if let policy = places.policy { try add(policy, as: .policy) }
            if let household = places.household {
                try add(household.file, as: .household)
                try add(household.agentToken, as: .agentToken)
            }
            for name in try Self.names(in: places.statements) {
                try add(places.statements.appending(path: name), as: .statement(name))
                receipt.statements += 1
            }
            if let root = places.archive {
                try addArchive(root, copying: working.appending(path: "index"), add, move, &receipt)
            }
        }
        try interruption.check()
        try backup.finish()
        receipt.bytes = backup.bytes
        return receipt
    }

    private func addArchive(
        _ root: URL, copying index: URL, _ add: (URL, BackupPart) throws -> Void,
        _ move: (URL, BackupPart) throws -> Void, _ receipt: inout Receipt
    ) throws {
        var archived = 0
        var leftOut: [String] = []
        let archive = try DocumentArchive(root: root)
        defer { archive.close() }
        try archive.backUp(indexTo: index) { path in
            guard Self.isFile(archive.root.appending(path: path)) else {
                leftOut.append(path)
                return
            }
            guard BackupPart(path: BackupPart.archived(path).path) != nil else {
                throw BackupError(
                    .unusable,
                    "the name of a file in the archive has a line break, a backslash or a control character, which "
                        + "the list of a backup cannot have; rename it: \(path.debugDescription)")
            }
            try add(archive.root.appending(path: path), .archived(path))
            archived += 1
        }
        try move(index, .archiveIndex)
        (receipt.archived, receipt.leftOut) = (archived, leftOut)
    }

    /// Returns the names of the accepted documents, without those that are just coming in.
    private static func names(in folder: URL) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter { name in
            !name.hasPrefix("incoming-") && BackupPart(path: BackupPart.statement(name).path) != nil
                && isFile(folder.appending(path: name))
        }
    }

    private static func isInside(_ folder: URL, _ other: String) -> Bool {
        let parent = folder.deletingLastPathComponent().resolvingSymlinksInPath().path
        return (parent + "/").hasPrefix(other.hasSuffix("/") ? other : other + "/")
    }

    private static func isFile(_ file: URL) -> Bool {
        var status = stat()
        return lstat(file.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
