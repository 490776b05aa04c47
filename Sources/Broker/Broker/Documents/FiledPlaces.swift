import Foundation
import Messages

/// Names in answers to agents where the owner's archive has a document.
struct FiledPlaces: Sendable {
    /// Nil in a broker that files nothing.
    let library: (any DocumentLibrary)?

    /// Returns summaries with the places of their documents.
    func named(in summaries: [RequestSummary]) async -> [RequestSummary] {
        let digests = summaries.flatMap { summary in
            [summary.sha256] + (summary.documents ?? []).map(\.sha256)
        }
        let places = await places(of: digests)
        guard !places.isEmpty else { return summaries }
        return summaries.map { summary in
            var summary = summary
            summary.filedPath = summary.sha256.flatMap { places[$0]?.path }
            summary.documents = summary.documents?.map { document in
                var document = document
                document.filedPath = document.sha256.flatMap { places[$0]?.path }
                return document
            }
            return summary
        }
    }

    /// Returns documents with their places.
    func named(in documents: [HeldDocument]) async -> [HeldDocument] {
        let places = await places(of: documents.map(\.document.sha256))
        return documents.map { held in
            var held = held
            held.document.filedPath = held.document.sha256.flatMap { places[$0]?.path }
            return held
        }
    }

    private func places(of digests: [String?]) async -> [String: URL] {
        let known = Set(digests.compactMap(\.self))
        return known.isEmpty ? [:] : await library?.places(of: known) ?? [:]
    }
}
