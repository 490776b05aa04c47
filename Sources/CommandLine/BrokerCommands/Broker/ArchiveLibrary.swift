import Archive
import Broker
import FileKinds
import Foundation
import Messages

/// Reads the broker's documents for its agents, and searches in the archive (`BROKER_ARCHIVE_PATH`).
struct ArchiveLibrary: DocumentLibrary {
    /// Nil without an archive: then nothing is searched.
    let archive: DocumentArchive?

    func pages(of file: URL, _ kind: DocumentKind) async throws -> [String] {
        do {
            return try await DocumentPages.read(file, FileKind(kind))
        } catch let error as ArchiveError {
            throw DocumentLibraryError("\(error)")
        }
    }

    func places(of digests: Set<String>) async -> [String: URL] {
        // An archive that cannot be read hides no request.
        (try? await archive?.files(withDigests: digests)) ?? [:]
    }

    func find(_ words: String) async throws -> [FoundText] {
        guard let archive else {
            throw DocumentLibraryError(
                "this broker files no documents; its owner can set BROKER_ARCHIVE_PATH, or in a household run countersign up "
                    + "--statements FOLDER")
        }
        do {
            return try await archive.find(words).map { FoundText(sha256: $0.document.sha256, excerpt: $0.excerpt) }
        } catch let error as ArchiveError {
            throw DocumentLibraryError("\(error)")
        }
    }
}
