import Foundation
import ScriptCollections
import Terminal

/// The scripts of the collections that lie signed in folders of this machine, so that no network is needed to read them.
package struct CollectedScripts: Sendable {
    /// A script as its collection lists it. What it does is known only once it was read.
    package struct Listed: Sendable {
        package let bankID: String
        package let name: String
        package let collection: String
        package let path: String
    }

    private let keeper: CollectionKeeper

    /// - Parameter home: the phone's folder.
    package init(home: URL) { keeper = CollectionKeeper(home: home) }

    /// The scripts that can be read without a network, and the names of the collections whose scripts cannot.
    package var all: (near: [Listed], far: [String]) {
        get async throws {
            do {
                var near: [Listed] = []
                var far: [String] = []
                for collection in try keeper.all() {
                    // Nothing is signed in a folder of the owner's own, and its files are at hand anyway.
                    guard collection.kind != .folder else { continue }
                    guard collection.kind == .signedFolder else {
                        far.append(collection.name)
                        continue
                    }
                    // One that is gone, or too old to trust, hides no other.
                    guard let scripts = try? await keeper.scripts(of: collection) else {
                        far.append(collection.name)
                        continue
                    }
                    near += scripts.map {
                        Listed(bankID: $0.bankID, name: $0.name, collection: collection.name, path: $0.path)
                    }
                }
                return (near, far)
            } catch {
                throw CommandFailure("\(error)")
            }
        }
    }

    /// Reads a script and its vouches, checked against what the collection has signed.
    ///
    /// - Throws: ``CommandFailure``.
    package func read(_ path: String, of name: String) async throws -> (text: String, vouches: String?) {
        do {
            let collection = try keeper.named(name)
            guard collection.kind == .signedFolder else {
                throw CommandFailure("the scripts of \(name) are not on this machine")
            }
            let bytes = try await keeper.file(path, of: collection)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw CommandFailure("\(name):\(path) is not UTF-8", status: 3)
            }
            let vouches: [UInt8]? = try? await keeper.file(ScriptVouches.file(for: path), of: collection)
            return (text, vouches.map { String(decoding: $0, as: UTF8.self) })
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure("\(error)")
        }
    }
}
