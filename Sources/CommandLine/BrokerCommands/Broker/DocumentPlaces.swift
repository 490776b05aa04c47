import Archive
import Broker
import FileKinds
import Foundation
import Terminal

/// The places where the owner of a broker wants each document: in an archive (`BROKER_ARCHIVE_PATH`), handed to a program
/// (`BROKER_ON_DOCUMENT`), or both.
struct DocumentPlaces: DocumentFiler {
    let archive: DocumentArchive?
    private let command: DocumentCommand?
    /// The archive's folder as it was named, without links resolved: what a link leads to goes away with its disk.
    private let folder: String?

    /// Reads the variables.
    ///
    /// - Parameter hasFiled: tells whether the broker has filed documents in a folder before.
    /// - Returns: nil when none of them is set.
    /// - Throws: ``CommandFailure`` with status 2 that names the variable.
    init?(
        _ environment: [String: String], hasFiled: (String) async -> Bool = { _ in false }
    ) async throws(CommandFailure) {
        let (folder, program) = (
            BrokerSetting.archive.value(in: environment), BrokerSetting.onDocument.value(in: environment)
        )
        guard folder != nil || program != nil else { return nil }
        command = try program.map { program throws(CommandFailure) in try DocumentCommand(program) }
        guard let folder else {
            archive = nil
            self.folder = nil
            return
        }
        let root = URL(filePath: TypedPath.expanded(folder), directoryHint: .isDirectory).standardizedFileURL
        self.folder = root.path
        let hadDocuments = await hasFiled(root.path)
        do throws(ArchiveError) {
            let template = try BrokerSetting.archiveTemplate.value(in: environment).map { text throws(ArchiveError) in
                try FilingTemplate(text)
            }
            let archive = try DocumentArchive(root: root, hadDocuments: hadDocuments, template: template ?? .standard)
            // One that is away comes back by itself; one that cannot be used needs a person.
            if let absence = archive.absence, absence.code != .away { throw absence }
            self.archive = archive
        } catch {
            let setting: BrokerSetting = error.code == .invalid ? .archiveTemplate : .archive
            throw CommandFailure("\(setting.name): \(error)", status: 2)
        }
    }

    /// Sentences about searching on this machine, and about an archive that is away; none without an archive, and when all is
    /// well. Blocks.
    var notices: [String] {
        guard let archive else { return [] }
        return [
            DocumentArchive.notice,
            archive.absence.map { "\($0). What arrives is filed by itself once the archive is there again" },
        ].compactMap(\.self)
    }

    var folderWithDocuments: String? {
        get async { archive?.holdsDocuments == true ? folder : nil }
    }

    func file(_ document: AcceptedDocument) async throws {
        var place = document.file
        if let archive {
            let outcome = try await Self.file(document, in: archive)
            // The owner may have moved a known document elsewhere, and in a synced archive another program may have changed
            // it. The broker's own copy is still there.
            if let filed = try await archive.unchangedFile(of: outcome.document) { place = filed }
        }
        try await command?.run(document, at: place)
    }

    /// - Throws: ``PassingFilingFailure`` when it is the archive's disk or index that fails: it may be full, or away.
    ///   ``ArchiveError`` when it is the document or the template.
    private static func file(_ document: AcceptedDocument, in archive: DocumentArchive) async throws -> FilingOutcome {
        do {
            return try await archive.file(
                IncomingDocument(
                    .file(document.file), kind: FileKind(document.place.kind), bank: document.bankID,
                    account: document.place.account?.description ?? "", period: document.place.period,
                    days: document.place.days, part: document.place.part,
                    sha256: document.sha256, requestID: document.requestID.description,
                    originalName: document.file.lastPathComponent))
        } catch  where archive.mayPass(error) {
            throw PassingFilingFailure("\(error)")
        }
    }
}
