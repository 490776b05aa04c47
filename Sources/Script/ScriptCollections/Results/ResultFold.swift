import Encodings
import Foundation
import Machine

/// Folds the files with results that a collection's maker has received into a summary of each script. Strangers sent them.
package struct ResultFold: Sendable {
    /// The summaries by the digests of the scripts.
    package let summaries: [String: ResultSummary]
    /// The number of results that count.
    package let counted: Int
    /// The files that do not count, with the reason; at most so many are named.
    package let refused: [(file: String, reason: String)]
    package let refusedCount: Int

    private static let mostNamed = 20
    private static let mostFiles = 1_000_000
    /// Older results say nothing about the bank's page of today.
    private static let oldest = 26

    /// - Parameters:
    ///   - folder: holds the files, in any order and under any names.
    ///   - collection: the SHA-256 of the collection's first root, in hex.
    ///   - digests: the collection's scripts.
    /// - Throws: ``CollectionError`` when the folder cannot be listed.
    package init(_ folder: URL, for collection: String, digests: Set<String>, now: Date) throws(CollectionError) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        } catch {
            throw CollectionError(.storage, "\(folder.path) cannot be listed; check that it is a folder of yours")
        }
        guard names.count <= Self.mostFiles else {
            throw CollectionError(.hostileFolder, "\(folder.path) has more than \(Self.mostFiles) files")
        }
        struct Origin: Hashable {
            let key: String
            let digest: String
            let week: ISOWeek
        }
        let today = ISOWeek(now)
        let oldest = ISOWeek(now.addingTimeInterval(-Double(Self.oldest) * 7 * 86_400))
        var seen: Set<Origin> = []
        var results: [String: [SignedFieldResult]] = [:]
        var refused: [(file: String, reason: String)] = []
        var refusedCount = 0
        for name in names {
            do throws(CollectionError) {
                let file: [UInt8]
                do {
                    file = try OpenedFile(folder.appending(path: name)).bytes(atMost: SignedFieldResult.largest)
                } catch {
                    throw CollectionError(.malformed, "it is not a file of at most \(SignedFieldResult.largest) bytes")
                }
                let signed = try SignedFieldResult(reading: file, for: collection)
                guard digests.contains(signed.result.digest) else {
                    throw CollectionError(.notFound, "the collection has no script of this digest")
                }
                guard signed.result.week < today, signed.result.week >= oldest else {
                    throw CollectionError(
                        .expired, "its week has not ended, or is more than \(Self.oldest) weeks ago")
                }
                let origin = Origin(key: signed.key, digest: signed.result.digest, week: signed.result.week)
                guard seen.insert(origin).inserted else {
                    throw CollectionError(.mismatch, "another file has this key's result of the week")
                }
                results[signed.result.digest, default: []].append(signed)
            } catch {
                refusedCount += 1
                if refused.count < Self.mostNamed { refused.append((name.inLine(limit: 80), error.message)) }
            }
        }
        summaries = results.compactMapValues { ResultSummary($0) }
        counted = results.values.reduce(0) { $0 + $1.count }
        self.refused = refused
        self.refusedCount = refusedCount
    }
}
