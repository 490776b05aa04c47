import Encodings
import Foundation
import Machine

/// Results for collections: off until the owner says yes for one of them.
extension CollectionKeeper {
    /// Notes the owner's yes. Results begin with this week.
    ///
    /// - Throws: ``CollectionError`` of kind `unsigned` for a folder without metadata, whose maker is the owner.
    package func allowResults(of collection: KnownCollection) async throws(CollectionError) {
        guard collection.kind != .folder else {
            throw CollectionError(
                .unsigned, "\(collection.name) is a folder of yours: there is no other maker to tell results to")
        }
        var changed = collection
        let id = try await root(of: collection, file: nil).digest
        changed.results = KnownCollection.Results(collection: id, since: collection.results?.since ?? ISOWeek(now))
        try known.put(changed)
    }

    /// Takes the yes back, and forgets the keys.
    package func forbidResults(of collection: KnownCollection) throws(CollectionError) {
        var changed = collection
        changed.results = nil
        try known.put(changed)
        keys(of: collection).forget()
    }

    /// Returns the signed results of a collection's scripts; none while they are off.
    package func results(
        of collection: KnownCollection, among runs: [RememberedRun]
    ) async throws(CollectionError) -> [SignedFieldResult] {
        guard let allowed = collection.results else { return [] }
        let digests = try await using(collection) { source, store throws(CollectionError) in
            let files = try CollectionClient(source, store: store, now: now).trusted().files
            return Set(files.compactMap { ListedScript($0.value.custom, path: $0.key).digest })
        }
        let keys = keys(of: collection)
        var signed: [SignedFieldResult] = []
        for result in FieldResult.own(runs, digests: digests, since: allowed.since, now: now) {
            let key = try keys.key(for: result.digest)
            do {
                signed.append(try SignedFieldResult(result, by: key, for: allowed.collection))
            } catch {
                throw CollectionError(.storage, "the key of \(result.digest.prefix(12)) cannot sign: \(error)")
            }
        }
        return signed
    }

    /// Returns the results that were not sent yet.
    package func undelivered(
        _ results: [SignedFieldResult], of collection: KnownCollection
    ) throws(CollectionError) -> [SignedFieldResult] {
        let sent = Set(Self.lines(of: deliveries(of: collection)))
        return results.filter { !sent.contains(Self.name(of: $0)) }
    }

    /// Sends results to the collection's address, each by itself.
    package func deliver(
        _ results: [SignedFieldResult], to collection: KnownCollection
    ) async throws(CollectionError) {
        let source = try AddressSource(collection.place, folder: known.folder(of: collection), authority: authority)
        var failure: CollectionError?
        for result in results {
            do throws(CollectionError) {
                try await source.deliver(result.bytes, to: "results")
                let lines = Self.lines(of: deliveries(of: collection)) + [Self.name(of: result)]
                let text = lines.joined(separator: "\n") + "\n"
                do {
                    try AtomicFile.replaceUnderLock(Array(text.utf8), to: deliveries(of: collection))
                } catch {
                    throw CollectionError(.storage, "\(error)")
                }
            } catch {
                failure = error
                break
            }
        }
        await source.close()
        if let failure { throw failure }
    }

    /// Returns what a collection says of one of its files, from the metadata of the last update; nil for a folder without metadata.
    package func described(
        _ path: String, of collection: KnownCollection
    ) async throws(CollectionError) -> ListedScript? {
        guard collection.kind != .folder else { return nil }
        return try await using(collection) { source, store throws(CollectionError) in
            let facts = try CollectionClient(source, store: store, now: now).trusted().facts(of: path)
            return facts.map { ListedScript($0.custom, path: path) }
        }
    }

    private func keys(of collection: KnownCollection) -> ResultKeys { ResultKeys(known.folder(of: collection)) }

    private func deliveries(of collection: KnownCollection) -> URL {
        known.folder(of: collection).appending(path: "results.sent")
    }

    private static func name(of result: SignedFieldResult) -> String { "\(result.result.week) \(result.result.digest)" }

    private static func lines(of file: URL) -> [String] {
        (OpenedFile.text(of: file, atMost: 16 << 20) ?? "").split(separator: "\n").map(String.init)
    }
}
