import Archive
import Clocks
import FileKinds
import Foundation
import TestSupport

/// An archive in a folder of its own.
final class ArchiveStage: Sendable {
    let folder: TemporaryFolder
    let archive: DocumentArchive

    init(template: FilingTemplate = .standard) throws {
        folder = try TemporaryFolder()
        archive = try DocumentArchive(root: folder.url, template: template)
    }

    /// A CSV file with this text in it.
    static func csv(_ text: String) -> [UInt8] { Array("Booked;Text\n2025-03-01;\(text)\n".utf8) }

    @discardableResult
    func file(
        _ text: String, bank: String = "meridian", account: String = "giro", _ period: String? = "2025-03",
        in archive: DocumentArchive? = nil
    ) async throws -> FilingOutcome {
        try await (archive ?? self.archive).file(
            IncomingDocument(
                .bytes(Self.csv(text)), bank: bank, account: account, period: period.flatMap { MonthYear($0) }))
    }

    /// Opens the archive's folder a second time, as another process does.
    func opened() throws -> DocumentArchive { try DocumentArchive(root: folder.url) }

    /// The paths of the files, without hidden ones, sorted.
    var paths: [String] {
        let all = FileManager.default.enumerator(atPath: folder.url.path)?.allObjects as? [String] ?? []
        return all.filter { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: folder.appending(path).path, isDirectory: &isFolder)
            return !isFolder.boolValue && !path.hasPrefix(".countersign/")
        }.sorted()
    }
}
