import Broker
import Foundation
import Machine

/// The statements that the broker of a removed household had accepted. They lie outside the broker's folder, because the next
/// household makes that folder anew.
struct KeptStatements {
    /// The household's data folder.
    let dataFolder: URL

    var folder: URL { dataFolder.appending(path: "kept-statements", directoryHint: .isDirectory) }

    /// Moves the accepted statements out of a broker's folder, and removes the folder if nothing else is in it. No file is
    /// written over another one.
    ///
    /// - Parameter database: the broker's database, which may be gone already.
    /// - Returns: the folder in which the statements now are; nil without a statement.
    /// - Throws: an error of the file system. Statements that were not moved are where they were.
    func take(besideDatabase database: URL) throws -> URL? {
        let (old, broker) = (BrokerConfiguration.statements(beside: database), database.deletingLastPathComponent())
        defer {
            // Only empty folders go.
            rmdir(old.path)
            rmdir(broker.path)
        }
        var status = stat()
        // A link leads to a folder of the person's own.
        guard lstat(old.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        let names = try FileManager.default.contentsOfDirectory(atPath: old.path)
        guard !names.isEmpty else { return nil }
        // A database that was moved by hand lies among files of the person's own.
        guard broker.standardizedFileURL.path == dataFolder.appending(path: "broker").standardizedFileURL.path else {
            return old
        }
        try PrivateFolder.make(folder)
        for name in names.sorted() { try FileManager.default.moveItem(at: old.appending(path: name), to: free(name)) }
        return folder
    }

    /// Returns a place for a file, with a number if its name is taken.
    private func free(_ name: String) -> URL {
        var place = folder.appending(path: name)
        let (stem, ending) = (place.deletingPathExtension().lastPathComponent, place.pathExtension)
        var number = 1
        while FileManager.default.fileExists(atPath: place.path) {
            number += 1
            place = folder.appending(path: "\(stem) (\(number))" + (ending.isEmpty ? "" : ".\(ending)"))
        }
        return place
    }
}
