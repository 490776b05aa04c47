import Archive
import ArgumentParser
import Broker
import Foundation
import Terminal

/// The archive's folder, and the template for the paths in it.
struct ArchiveOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The archive's folder; else BROKER_ARCHIVE_PATH, else the household's statements.", valueName: "folder"))
    var archive: String?

    /// True when the person or the environment names an archive.
    var isNamed: Bool { !path.isEmpty }

    private var path: String {
        let variable = BrokerSetting.archive.value(in: ProcessInfo.processInfo.environment)
        return archive ?? variable ?? HouseholdFile.current?.broker?.statements?.path ?? ""
    }

    /// Opens the archive.
    ///
    /// - Throws: ``CommandFailure`` with status 2 when no archive is named; ``ArchiveError``.
    func open() throws -> DocumentArchive {
        guard isNamed else {
            throw CommandFailure(
                "no archive is known here; name its folder with --archive or BROKER_ARCHIVE_PATH, or set up a household that keeps one: "
                    + "countersign up --statements FOLDER", status: 2)
        }
        let root = URL(filePath: TypedPath.expanded(path), directoryHint: .isDirectory)
        return try DocumentArchive(root: root, template: Self.template(of: root))
    }

    /// Returns the template of `BROKER_ARCHIVE_TEMPLATE`, else that of the household for its own folder, else the standard one.
    private static func template(of root: URL) throws -> FilingTemplate {
        let household = HouseholdFile.current.flatMap { household in
            root.standardizedFileURL.path == household.broker?.statements?.path ? household : nil
        }
        let variable = BrokerSetting.archiveTemplate.value(in: ProcessInfo.processInfo.environment)
        let text = variable ?? household?.filingTemplate ?? ""
        do throws(ArchiveError) {
            return text.isEmpty ? .standard : try FilingTemplate(text)
        } catch {
            throw CommandFailure("BROKER_ARCHIVE_TEMPLATE: \(error)", status: 2)
        }
    }
}
