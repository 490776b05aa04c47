import Archive
import BrokerStore
import Foundation
import Machine
import Secrets

/// Copies everything that a broker needs into a folder, whether the broker runs or not.
///
/// The database comes first: a document that is accepted afterwards lies in the backup without being asked for, and none that
/// the database knows is missing.
package struct BackupWriter: Sendable {
    /// The extent of a backup.
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
    private let sealing: Secret

    /// - Parameter sealing: the secret that seals the database.
    package init(_ places: BrokerPlaces, sealing: Secret) {
        self.places = places
        self.sealing = sealing
    }

    /// Makes the folder, with mode 0700, and writes the list of its files last. When this fails or the task is cancelled, the
    /// folder is removed.
    ///
    /// - Throws: ``BackupError``, `StoreError`, `FileError`, `ArchiveError`; `CancellationError`.
    package func write(to folder: URL) async throws -> Receipt {
        for source in [places.archive, places.statements] {
            guard let source = source?.resolvingSymlinksInPath().path, Self.isInside(folder, source) else { continue }
            throw BackupError(
                .configuration, "\(folder.path) is inside \(source), which is copied; name a folder elsewhere")
        }
        return try await Interruption.run { interruption in
            guard mkdir(folder.path, 0o700) == 0 else {
                guard errno == EEXIST else { throw FileError("made", folder.path) }
                throw BackupError(.occupied, "\(folder.path) exists already; name a new folder for the backup")
            }
            do {
                let receipt = try fill(folder, interruption)
                try AtomicFile.synchronise(folder: folder.deletingLastPathComponent())
                return receipt
            } catch {
                try? FileManager.default.removeItem(at: folder)
                throw error
            }
        }
    }

    private func fill(_ folder: URL, _ interruption: Interruption) throws -> Receipt {
        let (digests, folders) = (FileDigest(), Placement())
        var list = BackupList()
        var receipt = Receipt()
        func place(_ part: BackupPart) -> URL { folder.appending(path: part.path) }
        /// Enters a file that was just written into the list.
        func enter(_ part: BackupPart, _ value: FileDigest.Value) {
            list.add(part, value.sha256)
            receipt.bytes += value.bytes
        }
        func copy(_ source: URL, as part: BackupPart) throws {
            try interruption.check()
            enter(part, try digests.copy(source.path, to: place(part)))
        }
        func hash(_ part: BackupPart) throws {
            guard let value = try digests.of(place(part).path) else {
                throw FileError("read", place(part).path, ENOENT)
            }
            enter(part, value)
        }

        receipt.requests = try BrokerBackup.write(places.database, to: place(.database)).requests
        guard try BrokerBackup.isSealed(place(.database), with: Sealing(sealing)) else {
            throw BackupError(
                .configuration,
                "the secrets in \(places.database.path) were sealed with another secret than this machine has, so the "
                    + "backup would be useless; set BROKER_SEALING_SECRET to the secret that sealed them")
        }
        try hash(.database)
        try Self.write(sealing, to: place(.sealingSecret))
        try hash(.sealingSecret)
        if let policy = places.policy { try copy(policy, as: .policy) }
        if let household = places.household {
            try copy(household.file, as: .household)
            try copy(household.agentToken, as: .agentToken)
        }
        for name in try Self.names(in: places.statements) {
            let part = BackupPart.statement(name)
            try folders.makeFolder(place(part).deletingLastPathComponent())
            try copy(places.statements.appending(path: name), as: part)
            receipt.statements += 1
        }
        if let root = places.archive {
            receipt.archived = 0
            let archive = try DocumentArchive(root: root)
            defer { archive.close() }
            try archive.backUp(indexTo: place(.archiveIndex)) { path in
                guard Self.isFile(archive.root.appending(path: path)) else {
                    receipt.leftOut.append(path)
                    return
                }
                guard BackupPart(path: BackupPart.archived(path).path) != nil else {
                    throw BackupError(
                        .unusable,
                        "the name of a file in the archive has a line break, a backslash or a control character, which "
                            + "the list of a backup cannot have; rename it: \(path.debugDescription)")
                }
                let part = BackupPart.archived(path)
                try folders.makeFolder(place(part).deletingLastPathComponent())
                try copy(archive.root.appending(path: path), as: part)
                receipt.archived? += 1
            }
            try hash(.archiveIndex)
        }
        try interruption.check()
        try list.write(in: folder)
        return receipt
    }

    /// Returns the names of the accepted documents, without those that are just coming in.
    private static func names(in folder: URL) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter { name in
            !name.hasPrefix("incoming-") && BackupPart(path: BackupPart.statement(name).path) != nil
                && isFile(folder.appending(path: name))
        }
    }

    private static func write(_ secret: Secret, to file: URL) throws(FileError) {
        try AtomicFile.create(file) { descriptor, path throws(FileError) in
            let result = secret.withUnsafeBytes { bytes in
                Result { () throws(FileError) in try AtomicFile.write(bytes, to: descriptor, path) }
            }
            try result.get()
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
