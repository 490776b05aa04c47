import Crypto
import Encodings
import Foundation
import Machine

/// Adds, updates and reads the collections of a phone's folder.
package struct CollectionKeeper: Sendable {
    let known: KnownCollections
    let now: Date
    /// A certificate authority besides the system's, for a collection of the household's own server.
    let authority: URL?

    /// The most bytes of a file that is not signed for a length.
    private static let largestRoot = 512_000

    /// - Parameter home: the phone's folder.
    package init(home: URL, now: Date = Date(), authority: URL? = nil) {
        known = KnownCollections(home: home)
        self.now = now
        self.authority = authority
    }

    package func all() throws(CollectionError) -> [KnownCollection] { try known.all() }

    /// Returns the collection of a name.
    ///
    /// - Throws: ``CollectionError`` of kind `notFound`.
    package func named(_ name: String) throws(CollectionError) -> KnownCollection {
        let all = try all()
        if let found = all.first(where: { $0.name == name }) { return found }
        let names = all.map(\.name).joined(separator: ", ")
        throw CollectionError(
            .notFound,
            "no collection is called “\(name.inLine(limit: 80))”"
                + (names.isEmpty
                    ? "; add one first: countersign script collection add NAME PLACE" : "; there are: \(names)"))
    }

    /// Returns the root that a new collection shows, and the digest by which its author names it.
    ///
    /// - Parameter file: the root's file if the author gave it to the person; nil to fetch the first one.
    package func root(of collection: KnownCollection, file: URL?) async throws(CollectionError)
        -> (bytes: [UInt8], digest: String)
    {
        let bytes: [UInt8]
        if let file {
            do {
                bytes = try OpenedFile(file, links: .followed).bytes(atMost: Self.largestRoot)
            } catch {
                throw CollectionError(.storage, "\(error)")
            }
        } else {
            bytes = try await using(collection) { source, _ throws(CollectionError) in
                try await source.bytes("metadata/1.root.json", atMost: Self.largestRoot)
            }
        }
        return (bytes, Base16.encode(SHA256.hash(data: bytes)))
    }

    /// Adds a collection.
    ///
    /// - Parameter root: the root that the person trusts; nil for a folder without metadata.
    package func add(_ collection: KnownCollection, root: [UInt8]?) async throws(CollectionError) -> Update {
        try KnownCollections.check(name: collection.name)
        guard try all().allSatisfy({ $0.name != collection.name }) else {
            throw CollectionError(.storage, "there is a collection “\(collection.name)” already; remove it first")
        }
        do throws(CollectionError) {
            let store = try metadata(of: collection)
            if let root { try CollectionClient.trust(root: root, in: store) }
            return try await update(collection)
        } catch {
            try? known.remove(collection)
            throw error
        }
    }

    package func remove(_ collection: KnownCollection) throws(CollectionError) { try known.remove(collection) }

    /// The result of an update.
    package struct Update: Sendable {
        package let collection: KnownCollection
        package let count: Int
        package let refused: [ScriptTree.Refusal]
        /// The bytes that came from the collection's place.
        package let transferred: Int
    }

    /// Updates the list of a collection's scripts. No script is fetched, and none is accepted.
    package func update(_ collection: KnownCollection) async throws(CollectionError) -> Update {
        var updated = collection
        updated.updatedAt = now
        let list: ScriptList
        var refused: [ScriptTree.Refusal] = []
        var transferred = 0
        switch collection.kind {
        case .folder:
            let scripts = try await ScriptTree(URL(filePath: collection.place)).scripts()
            (list, refused) = (ScriptList(scripts.listed), scripts.refused)
        case .signedFolder, .address:
            let (verified, bytes) = try await using(collection) { source, store throws(CollectionError) in
                let counted = CountingSource(source)
                let verified = try await CollectionClient(counted, store: store, now: now).update()
                return (verified, counted.count)
            }
            transferred = bytes
            updated.version = verified.version
            let files = verified.files.filter { ListedScript.isScript($0.key) }
            list = ScriptList(files.map { ListedScript($0.value.custom, path: $0.key) })
        }
        try list.write(to: known.list(of: collection))
        try known.put(updated)
        return Update(collection: updated, count: list.count, refused: refused, transferred: transferred)
    }

    /// Searches the lists of all collections, without a network.
    package func search(_ query: String, most: Int = 50) throws(CollectionError) -> [(KnownCollection, ListedScript)] {
        var found: [(collection: KnownCollection, scripts: [ListedScript])] = []
        for collection in try all() {
            let list = try ScriptList(reading: known.list(of: collection))
            found.append((collection, list.search(query, most: most)))
        }
        // One of each in turn: a collection with many scripts of such a name must not hide the others' behind them.
        var rows: [(KnownCollection, ListedScript)] = []
        var rank = 0
        while rows.count < most, found.contains(where: { rank < $0.scripts.count }) {
            rows += found.filter { rank < $0.scripts.count }.map { ($0.collection, $0.scripts[rank]) }
            rank += 1
        }
        return Array(rows.prefix(most))
    }

    /// Returns the scripts of a bank in all collections.
    package func scripts(ofBank id: String) throws(CollectionError) -> [(KnownCollection, ListedScript)] {
        var found: [(KnownCollection, ListedScript)] = []
        for collection in try all() {
            let list = try ScriptList(reading: known.list(of: collection))
            found += list.scripts(ofBank: id).map { (collection, $0) }
        }
        return found
    }

    /// Returns the scripts of a signed collection, as its metadata of the last update names them. Nothing is fetched.
    package func scripts(of collection: KnownCollection) async throws(CollectionError) -> [ListedScript] {
        try await using(collection) { source, store throws(CollectionError) in
            let files = try CollectionClient(source, store: store, now: now).trusted().files
            return files.filter { ListedScript.isScript($0.key) }
                .map { ListedScript($0.value.custom, path: $0.key) }
                .sorted { ($0.bankID, $0.path) < ($1.bankID, $1.path) }
        }
    }

    /// Fetches a file of a collection, as its metadata of the last update names it.
    package func file(_ path: String, of collection: KnownCollection) async throws(CollectionError) -> [UInt8] {
        if collection.kind == .folder { return try ScriptTree(URL(filePath: collection.place)).bytes(path) }
        return try await using(collection) { source, store throws(CollectionError) in
            let client = CollectionClient(source, store: store, now: now)
            return try await client.file(path, of: try client.trusted())
        }
    }

    private func metadata(of collection: KnownCollection) throws(CollectionError) -> MetadataFolder {
        guard CollectionPath.isPlain(collection.name) else {
            throw CollectionError(
                .unsafePath, "“\(collection.name.inLine(limit: 80))” is not a name: letters, digits and ._-")
        }
        return try MetadataFolder(known.folder(of: collection).appending(path: "metadata"))
    }

    func using<Value: Sendable>(
        _ collection: KnownCollection,
        _ work: (any CollectionSource, MetadataFolder) async throws(CollectionError) -> Value
    ) async throws(CollectionError) -> Value {
        let store = try metadata(of: collection)
        guard collection.kind == .address else {
            return try await work(FolderSource(URL(filePath: collection.place)), store)
        }
        let source = try AddressSource(collection.place, folder: known.folder(of: collection), authority: authority)
        let outcome: Result<Value, CollectionError>
        do throws(CollectionError) {
            outcome = .success(try await work(source, store))
        } catch {
            outcome = .failure(error)
        }
        await source.close()
        return try outcome.get()
    }
}
