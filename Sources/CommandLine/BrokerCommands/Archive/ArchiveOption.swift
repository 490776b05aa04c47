import Archive
import ArgumentParser
import Foundation
import Terminal

/// The archive's folder, and the template for the paths in it.
struct ArchiveOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The archive's folder; else BROKER_ARCHIVE_PATH.", valueName: "folder"))
    var archive: String?

    /// True when the person or the environment names an archive.
    var isNamed: Bool { !path.isEmpty }

    private var path: String { archive ?? ProcessInfo.processInfo.environment["BROKER_ARCHIVE_PATH"] ?? "" }

    /// Opens the archive.
    ///
    /// - Throws: ``CommandFailure`` with status 2 when no archive is named; ``ArchiveError``.
    func open() throws -> DocumentArchive {
        guard isNamed else {
            throw CommandFailure("name the archive's folder with --archive or BROKER_ARCHIVE_PATH", status: 2)
        }
        let root = URL(filePath: TypedPath.expanded(path), directoryHint: .isDirectory)
        return try DocumentArchive(root: root, template: Self.template)
    }

    /// The template of `BROKER_ARCHIVE_TEMPLATE`, else the standard one.
    private static var template: FilingTemplate {
        get throws {
            let text = ProcessInfo.processInfo.environment["BROKER_ARCHIVE_TEMPLATE"] ?? ""
            do throws(ArchiveError) {
                return text.isEmpty ? .standard : try FilingTemplate(text)
            } catch {
                throw CommandFailure("BROKER_ARCHIVE_TEMPLATE: \(error)", status: 2)
            }
        }
    }
}
