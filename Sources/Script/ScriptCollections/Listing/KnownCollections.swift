import Encodings
import Foundation
import Machine

/// A collection that the owner has added.
package struct KnownCollection: Sendable, Hashable {
    package enum Kind: String, Sendable {
        /// A folder, or a checkout, whose owner this person is: nothing is signed.
        case folder
        /// Signed metadata in a folder of this machine.
        case signedFolder = "signed_folder"
        /// Signed metadata at an https address.
        case address
    }

    package let name: String
    package let kind: Kind
    /// The address, or the folder's path.
    package let place: String
    /// Of the last update; nil before the first.
    package var updatedAt: Date?
    /// The number of the snapshot; nil for a folder without metadata.
    package var version: Int?
    /// The owner's yes to results; nil without one.
    package var results: Results?

    /// A yes to telling the collection how its scripts do.
    package struct Results: Sendable, Hashable {
        /// The SHA-256 of the collection's first root, in hex.
        package let collection: String
        /// The week of the yes.
        package let since: ISOWeek
    }

    package init(name: String, kind: Kind, place: String) {
        self.name = name
        self.kind = kind
        self.place = place
    }
}

/// The collections of a phone's folder.
package struct KnownCollections: Sendable {
    private let folder: URL
    private static let largest = 1 << 20

    /// - Parameter home: the phone's folder.
    package init(home: URL) { folder = home.appending(path: "collections", directoryHint: .isDirectory) }

    private var file: URL { folder.appending(path: "collections.json") }

    /// The folder with the metadata and the list of one collection.
    package func folder(of collection: KnownCollection) -> URL {
        folder.appending(path: collection.name, directoryHint: .isDirectory)
    }

    package func list(of collection: KnownCollection) -> URL {
        folder(of: collection).appending(path: "scripts.list")
    }

    package func all() throws(CollectionError) -> [KnownCollection] {
        guard FileManager.default.fileExists(atPath: file.path) else { return [] }
        let json: JSONValue
        do {
            json = try JSONReader.read(try OpenedFile(file).bytes(atMost: Self.largest))
        } catch {
            throw CollectionError(.storage, "\(file.path) is not a list of collections: \(error)")
        }
        return (json.arrayValue ?? []).compactMap { item in
            guard let name = item["name"]?.stringValue, CollectionPath.isPlain(name),
                let kind = item["kind"]?.stringValue.flatMap(KnownCollection.Kind.init),
                let place = item["place"]?.stringValue
            else { return nil }
            var collection = KnownCollection(name: name, kind: kind, place: place)
            collection.updatedAt = item["updated_at"]?.stringValue.flatMap { try? MetadataHead.format.parse($0) }
            collection.version = item["version"]?.intValue
            if let id = item["results"]?["collection"]?.stringValue, Base16.isEncoding(id, ofBytes: 32),
                let since = item["results"]?["since"]?.stringValue.flatMap({ ISOWeek($0) })
            {
                collection.results = KnownCollection.Results(collection: id, since: since)
            }
            return collection
        }
    }

    /// Adds a collection, or replaces the one of its name.
    package func put(_ collection: KnownCollection) throws(CollectionError) {
        try Self.check(name: collection.name)
        try write(try all().filter { $0.name != collection.name } + [collection])
    }

    /// Checks the name of a collection, which is that of its folder.
    ///
    /// - Throws: ``CollectionError`` of kind `unsafePath`.
    package static func check(name: String) throws(CollectionError) {
        guard CollectionPath.isPlain(name), name.lowercased() != "collections.json" else {
            throw CollectionError(
                .unsafePath,
                "“\(name.inLine(limit: 80))” is not a name for a collection: letters, digits and ._-, and not collections.json"
            )
        }
    }

    package func remove(_ collection: KnownCollection) throws(CollectionError) {
        // What is removed is a folder of that name, and never one above it.
        try Self.check(name: collection.name)
        try write(try all().filter { $0.name != collection.name })
        try? FileManager.default.removeItem(at: folder(of: collection))
    }

    private func write(_ collections: [KnownCollection]) throws(CollectionError) {
        let rows = collections.sorted { $0.name < $1.name }.map { collection -> JSONValue in
            var row: [String: JSONValue] = [
                "name": .string(collection.name), "kind": .string(collection.kind.rawValue),
                "place": .string(collection.place),
            ]
            row["updated_at"] = collection.updatedAt.map { .string($0.formatted(MetadataHead.format)) }
            row["version"] = collection.version.map { .number(Double($0)) }
            row["results"] = collection.results.map {
                ["collection": .string($0.collection), "since": .string("\($0.since)")]
            }
            return .object(row)
        }
        do {
            try PrivateFolder.make(folder)
            try AtomicFile.replaceUnderLock(JSONValue.array(rows).compactBytes(), to: file)
        } catch {
            throw CollectionError(.storage, "\(error)")
        }
    }
}
