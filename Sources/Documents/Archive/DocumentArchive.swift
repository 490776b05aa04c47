import Clocks
import Crypto
import Encodings
import FileKinds
import Foundation
import Machine
import Synchronization

/// A folder of documents that can be found again.
///
///     let archive = try DocumentArchive(root: folder)
///     let outcome = try await archive.file(IncomingDocument(.file(pdf), kind: .pdf, bank: "meridian", period: month))
///     let found = try await archive.find("insurance")
///
/// A document is filed under a path that a ``FilingTemplate`` makes, whole or not at all, and never over another file. The
/// same content is filed once. The index in the hidden folder `.countersign` can be made again from the files.
package final class DocumentArchive: Sendable {
    static let indexFolder = ".countersign"

    package let root: URL
    package let template: FilingTemplate
    private let limits: FileLimits
    private let present: PresentIndex
    /// The index in the archive's folder as it is now.
    ///
    /// - Throws: ``ArchiveError`` with the code `away` when the folder is not there, or is not the one that it was.
    var index: ArchiveIndex { get throws(ArchiveError) { try present.index } }
    /// The states of the files whose content was compared with the index, by digest.
    let hashed = Mutex<[String: OpenedFile.State]>([:])

    /// Opens an archive. Its index is made if it is missing.
    ///
    /// - Parameters:
    ///   - root: an existing folder.
    ///   - hadDocuments: an earlier process has filed documents there. Then an empty or missing folder is not taken for a new
    ///     archive: each use throws the code `away` until the disk is mounted.
    /// - Throws: ``ArchiveError`` when the folder or its index cannot be used.
    package init(
        root: URL, hadDocuments: Bool = false, template: FilingTemplate = .standard, limits: FileLimits = FileLimits()
    ) throws(ArchiveError) {
        self.root = root.standardizedFileURL.resolvingSymlinksInPath()
        self.template = template
        self.limits = limits
        present = try PresentIndex(root: self.root, hadDocuments: hadDocuments)
    }

    /// Closes the index. The archive cannot be used any more.
    package func close() { present.close() }

    /// A sentence about reading the text of PDFs on this machine; nil when all is well.
    package static var notice: String? {
        guard let reader = DocumentText.pdfReader else {
            return "pdftotext or prlimit is not installed, so the text of PDFs is not searched; install poppler-utils"
        }
        return reader.hasNoNetwork ? nil : "this system does not let pdftotext run without a network"
    }

    /// True when the archive is there and knows a document. Blocks.
    package var holdsDocuments: Bool { (try? index.isEmpty) == false }

    /// Reason why the archive cannot be used now, such as a disk that is not mounted; nil when it can. Blocks.
    package var absence: ArchiveError? {
        do throws(ArchiveError) {
            _ = try index
            return nil
        } catch {
            return error
        }
    }

    /// The lock that keeps other filers away, in this process and in others. Blocks.
    func lock() throws -> FileLock {
        // Before the lock's file is made: it must not be made below the folder of a disk that is away.
        _ = try index
        guard let lock = try FileLock(root.appending(path: "\(Self.indexFolder)/lock"), waits: true) else {
            throw ArchiveError(.unusable, "\(root.path) is in use by another process; try again")
        }
        return lock
    }

    // MARK: Filing

    /// Files a document: checks that it is of its kind, places it, and indexes it with its text.
    ///
    /// - Throws: ``ArchiveError`` when the content is refused or has another digest than ``IncomingDocument/sha256``;
    ///   `FileError` when a disk fails. Nothing is filed then.
    package func file(_ document: IncomingDocument) async throws -> FilingOutcome {
        try await BlockingWork.run {
            do {
                return try self.fileBlocking(document)
            } catch {
                guard !(error is ArchiveError) else { throw error }
                // A disk that was taken out and is back under the same number fails until its files are opened again. If it is
                // still away, that is the reason for the failure, and is thrown.
                self.present.open()
                _ = try self.index
                throw error
            }
        }
    }

    private func fileBlocking(_ document: IncomingDocument) throws -> FilingOutcome {
        let bytes = try content(of: document)
        let digest = Base16.encode(SHA256.hash(data: bytes))
        guard document.sha256.map({ $0 == digest }) ?? true else {
            throw ArchiveError(
                .changed,
                "the file has another SHA-256 than the one that was verified; it was changed, so it is not filed")
        }
        // Before the check: what was filed once is known, whatever a newer version thinks of it.
        if let known = try index.document(withDigest: digest) { return .known(known) }
        let files = ForeignFiles()
        let checked: CheckedFile
        do throws(FileRefusal) {
            checked = try files.check(bytes, as: document.kind, limits: limits)
        } catch {
            throw ArchiveError(error)
        }
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        if let known = try index.document(withDigest: digest) { return .known(known) }
        let kept = checked.isChanged ? Base16.encode(SHA256.hash(data: checked.bytes)) : digest
        // A rebuilt index knows the kept file alone.
        if checked.isChanged, let known = try index.document(withDigest: kept) { return .known(known) }
        let facts = FilingTemplate.Facts(
            bank: document.bank, account: document.account, period: document.period, days: document.days,
            kind: checked.kind)
        let path = try place(checked.bytes, digest: kept, facts, from: document.part)
        let text = DocumentText.read(root.appending(path: path), checked.bytes, checked.kind, files)
        let filed = ArchivedDocument(
            sha256: digest, keptSHA256: kept, path: path, bytes: checked.bytes.count, kind: checked.kind,
            bank: document.bank, account: document.account, period: document.period, requestID: document.requestID,
            originalName: document.originalName, filedAt: Timestamp(Date()), missingText: text.problem,
            note: checked.notes.isEmpty ? nil : checked.notes.joined(separator: "; "))
        try index.add([(filed, text: text.text)])
        return .filed(filed)
    }

    private func content(of document: IncomingDocument) throws -> [UInt8] {
        switch document.content {
        case .bytes(let bytes): return bytes
        case .file(let file):
            do {
                return try OpenedFile(file).bytes(atMost: limits.size)
            } catch let error as FileError where error.code == EFBIG {
                throw ArchiveError(.refused, "\(file.lastPathComponent) is larger than \(limits.size) bytes")
            }
        }
    }

    /// Returns the path under which the file now is.
    private func place(
        _ bytes: [UInt8], digest: String, _ facts: FilingTemplate.Facts, from first: Int
    ) throws -> String {
        let files = FiledFile(root: root)
        let digests = FileDigest()
        for number in max(1, min(first, 999))...999 {
            let path = template.path(of: facts, number: number)
            if try files.place(bytes, at: path) { return path }
            // A filer that was killed before it wrote the index leaves its file, which is then this one.
            let isSame = (try? digests.of(root.appending(path: path).path))?.sha256 == digest
            if isSame, try index.document(atPath: path) == nil { return path }
        }
        throw ArchiveError(
            .invalid, "\(template.path(of: facts)) and 998 more names are taken; give the template more fields")
    }

    // MARK: Finding

    /// Returns the documents by bank, account and month.
    package func documents(_ filter: DocumentFilter = DocumentFilter()) async throws -> [ArchivedDocument] {
        try await BlockingWork.run { try self.index.documents(filter) }
    }

    /// Searches the documents' text, names, banks, accounts and months.
    ///
    /// - Parameter text: words that all have to occur; see the guide for quotation marks and `*`.
    /// - Returns: the documents that were filed last first.
    /// - Throws: ``ArchiveError`` for a text without words.
    package func find(_ text: String, _ filter: DocumentFilter = DocumentFilter()) async throws -> [FoundDocument] {
        let words = try SearchText(text)
        return try await BlockingWork.run { try self.index.find(words, filter) }
    }

    /// Returns the document whose digest begins with a text.
    ///
    /// - Throws: ``ArchiveError`` when no document fits, or more than one.
    package func document(_ id: String) async throws -> ArchivedDocument {
        let prefix = id.lowercased()
        guard (4...64).contains(prefix.utf8.count), prefix.utf8.allSatisfy(Array("0123456789abcdef".utf8).contains)
        else {
            throw ArchiveError(
                .invalid,
                "“\(id)” is not the id of a document, which has four or more of the digits 0 to 9 and a to f; "
                    + "countersign archive list --archive \(root.path) shows them")
        }
        let found = try await BlockingWork.run { try self.index.documents(withDigestPrefix: prefix) }
        guard let first = found.first else {
            throw ArchiveError(
                .invalid,
                "no document begins with \(prefix); countersign archive list --archive \(root.path) shows the ids")
        }
        guard found.count == 1 else {
            throw ArchiveError(.invalid, "several documents begin with \(prefix); give more digits of the SHA-256")
        }
        return first
    }

    /// Removes a document from the index, so that the same content can be filed again.
    ///
    /// - Parameter deletingFile: true to remove its file too. A file that was changed since is not removed.
    /// - Throws: ``ArchiveError`` with the code `changed` when the file is another one now. Nothing is removed then.
    package func forget(_ document: ArchivedDocument, deletingFile: Bool = false) async throws {
        try await BlockingWork.run {
            let lock = try self.lock()
            defer { withExtendedLifetime(lock) {} }
            if deletingFile {
                if let file = try self.opened(document) {
                    var hash = SHA256()
                    try file.read { hash.update(bufferPointer: $0) }
                    guard Base16.encode(hash.finalize()) == document.keptSHA256 else {
                        throw ArchiveError(
                            .changed,
                            "\(document.path) was changed since it was filed, so it is not removed; remove it by hand")
                    }
                    try PathBelow(document.path, below: self.root)?.remove()
                }
            }
            try self.index.remove(digest: document.sha256)
            // An index that the owner has emptied is not that of a disk which is away.
            if try self.index.isEmpty { try self.index.noteRebuild() }
        }
    }
}
