import BankScript
import Clocks
import FileKinds
import Foundation
import Machine
import Messages

// Archives with the documents of several months, such as of a year.

extension ScriptExecution {
    /// Takes the documents out of an archive, for the month whose turn it is and for those that follow it.
    ///
    /// - Parameter name: what the names of a month's files contain.
    /// - Throws: the first reason why a document of this month is missing. The others are kept.
    func unpack(_ received: EngineFile, of order: Order, named name: Template) async throws {
        let archive = try await read(received, at: order.file, wanting: .zip) { [files] (bytes) throws(FileRefusal) in
            try files.archive(bytes)
        }
        try? FileManager.default.removeItem(at: order.file)
        let kinds = Set(order.download.content.kinds)
        let names = archive.names(containing: try fill(name))
        try await unpackLater(archive, kinds, named: name, after: names.isEmpty ? nil : period)
        var first: RunFailure?
        for (kind, outcome) in try await parts(names, of: archive, for: period, kinds.intersection(wanted)) {
            switch outcome {
            case .success(let document): keep(document)
            case .failure(let failure):
                if documents[kind] == nil { documents[kind] = outcome }
                first = first ?? failure
            }
        }
        if let first { throw first }
    }

    /// Takes what later months need. One without files is missing if the archive has months before and after it;
    /// otherwise another archive may have its files.
    private func unpackLater(
        _ archive: ForeignArchive, _ kinds: Set<DocumentKind>, named name: Template, after month: MonthYear?
    ) async throws {
        var held: [MonthYear: [String]] = [:]
        for month in later.keys { held[month] = archive.names(containing: try fill(name, for: month)) }
        let months = held.filter { !$0.value.isEmpty }.keys + (month.map { [$0] } ?? [])
        guard let first = months.min(), let last = months.max() else { return }
        for (month, wanted) in later.sorted(by: { $0.key < $1.key }) where (first...last).contains(month) {
            let missing = wanted.intersection(kinds).subtracting((ahead[month] ?? [:]).keys)
            for (kind, outcome) in try await parts(held[month] ?? [], of: archive, for: month, missing) {
                ahead[month, default: [:]][kind] = outcome
                if case .success(let document) = outcome { services.tell(.downloaded(document)) }
            }
        }
    }

    /// Unpacks the files of a month, and writes those of the kinds that are needed.
    private func parts(
        _ names: [String], of archive: ForeignArchive, for month: MonthYear?, _ kinds: Set<DocumentKind>
    ) async throws -> [(DocumentKind, Result<FetchedDocument, RunFailure>)] {
        guard !kinds.isEmpty else { return [] }
        let (checked, refusal) = try await BlockingWork.run { [files] in
            Self.unpacked(names, of: archive, for: month, kinds, with: files)
        }
        var outcomes: [(DocumentKind, Result<FetchedDocument, RunFailure>)] = []
        for kind in kinds.sorted() {
            let files = checked.filter { $0.file.kind == FileKind(kind) }
            if let file = files.first, files.count == 1 {
                outcomes.append(
                    (
                        kind,
                        file.isOther
                            ? .failure(noBooking(in: file.name, of: month))
                            : .success(try await write(file.file, as: kind))
                    ))
            } else if files.isEmpty, let refusal {
                outcomes.append((kind, .failure(RunFailure(refusal))))
            } else {
                outcomes.append((kind, .failure(wrongCount(files.count, of: kind, month))))
            }
        }
        return outcomes
    }

    private struct Part: Sendable {
        let name: String
        let file: CheckedFile
        /// True when its bookings are of other months.
        let isOther: Bool
    }

    /// Unpacks the files of a month, and keeps those of the kinds that are needed. Blocks.
    ///
    /// - Returns: the parts, and the first refusal.
    private static func unpacked(
        _ names: [String], of archive: ForeignArchive, for month: MonthYear?, _ kinds: Set<DocumentKind>,
        with files: ForeignFiles
    ) -> ([Part], FileRefusal?) {
        var parts: [Part] = []
        var refusal: FileRefusal?
        do throws(FileRefusal) {
            for (name, part) in zip(names, try archive.documents(named: names)) {
                switch part {
                case .success(let file):
                    guard let kind = file.kind.document, kinds.contains(kind) else { continue }
                    var isOther = false
                    if let month { isOther = try files.hasBookings(in: month, file) == false }
                    parts.append(Part(name: name, file: file, isOther: isOther))
                case .failure(let error): refusal = refusal ?? error
                }
            }
        } catch {
            refusal = refusal ?? error
        }
        return (parts, refusal)
    }

    private func noBooking(in name: String, of month: MonthYear?) -> RunFailure {
        RunFailure(
            .pdfDownloadFailed,
            message: sanitised(
                "the archive's file “\(name)” has no booking of \(month?.description ?? "the month"); "
                    + "check “named” in the script"))
    }

    private func wrongCount(_ count: Int, of kind: DocumentKind, _ month: MonthYear?) -> RunFailure {
        RunFailure(
            .pdfDownloadFailed, reason: count == 0 ? .statementMissing : nil,
            message: "the archive holds \(count) files of the kind \(kind.rawValue)"
                + (month.map { " for \($0)" } ?? "") + ", and one is needed")
    }
}

extension RunFailure {
    /// A file that is not what the script says.
    package init(_ refusal: FileRefusal) {
        self.init(
            .pdfDownloadFailed, reason: refusal.code == .tooLarge ? .tooLarge : nil,
            message: sanitised(refusal.message))
    }
}
