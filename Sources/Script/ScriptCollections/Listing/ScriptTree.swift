import BankScript
import Encodings
import Foundation
import Machine

/// The scripts of a folder: a static one, or the work tree of a git checkout. A stranger may have filled it.
package struct ScriptTree: Sendable {
    package let folder: URL

    /// The most files of a collection in a folder.
    private static let mostFiles = 200_000
    /// The most bytes of a script.
    private static let largest = 1 << 20

    package init(_ folder: URL) { self.folder = folder }

    /// The paths of all files, sorted.
    ///
    /// - Throws: ``CollectionError`` of kind `hostileFolder` for a link, a submodule, a device, a name that is not plain, or two
    ///   names that differ only in case.
    package func paths() throws(CollectionError) -> [String] {
        var found: [String] = []
        var folders: [(path: String, depth: Int)] = [("", 0)]
        while let (path, depth) = folders.popLast() {
            let names: [String]
            do {
                names = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path)
            } catch {
                throw CollectionError(
                    .storage,
                    "\(folder.appending(path: path).path) cannot be listed; check that it is a folder of yours")
            }
            for name in names {
                let inner = path.isEmpty ? name : "\(path)/\(name)"
                if name.lowercased() == ".gitmodules" || name.lowercased() == ".git" && !path.isEmpty {
                    throw CollectionError(
                        .hostileFolder, "\(inner.inLine(limit: 120)) belongs to a submodule, and a collection has none")
                }
                // The checkout's own folder, and files such as .gitignore, do not belong to the collection.
                if name.hasPrefix("."), path.isEmpty { continue }
                guard CollectionPath.isPlain(name) else {
                    throw CollectionError(
                        .hostileFolder,
                        "\(inner.inLine(limit: 160)) has a name that a collection may not have: letters, digits and ._-, "
                            + "at most 120 of them")
                }
                var status = stat()
                guard lstat(folder.appending(path: inner).path, &status) == 0 else { continue }
                switch status.st_mode & S_IFMT {
                case S_IFDIR:
                    guard depth < 7 else {
                        throw CollectionError(
                            .hostileFolder, "\(inner.inLine(limit: 160)) is too deep for a collection")
                    }
                    folders.append((inner, depth + 1))
                case S_IFREG: found.append(inner)
                default:
                    throw CollectionError(
                        .hostileFolder,
                        "\(inner.inLine(limit: 120)) is a link or a device, and a collection has files only")
                }
            }
            guard found.count <= Self.mostFiles else {
                throw CollectionError(.hostileFolder, "the folder has more than \(Self.mostFiles) files")
            }
        }
        if let twins = CollectionPath.twins(in: found) {
            throw CollectionError(
                .hostileFolder, "\(twins.0) and \(twins.1) differ only in case: on some machines they are one file")
        }
        return found.sorted()
    }

    package func bytes(_ path: String) throws(CollectionError) -> [UInt8] {
        try bytes(path, atMost: path == Self.aboutFile ? Self.largestAbout : Self.largest)
    }

    private func bytes(_ path: String, atMost limit: Int) throws(CollectionError) -> [UInt8] {
        try CollectionPath.check(path)
        try checkFolders(of: path)
        var status = stat()
        guard lstat(folder.appending(path: path).path, &status) == 0 else {
            throw CollectionError(.notFound, "\(folder.appending(path: path).path) does not exist")
        }
        do {
            return try OpenedFile(folder.appending(path: path)).bytes(atMost: limit)
        } catch {
            throw CollectionError(.storage, "\(error)")
        }
    }

    /// Refuses a path through a link: a folder may have become one since the paths were listed.
    private func checkFolders(of path: String) throws(CollectionError) {
        var inner = ""
        for name in path.split(separator: "/").dropLast() {
            inner += inner.isEmpty ? String(name) : "/\(name)"
            var status = stat()
            guard lstat(folder.appending(path: inner).path, &status) == 0 else { return }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw CollectionError(
                    .hostileFolder,
                    "\(inner.inLine(limit: 120)) is a link or a file, and was a folder: update the collection")
            }
        }
    }

    /// A file of the folder that looks like a script and is not one, with the reason.
    package struct Refusal: Sendable, Hashable {
        package let path: String
        package let message: String
    }

    /// The scripts that one task reads: enough that starting it does not count, and few enough that no task lasts long alone.
    private static let readAtOnce = 250

    /// Reads every script of the folder, on all processors.
    ///
    /// - Returns: the scripts and the refusals in the order of their paths.
    package func scripts() async throws(CollectionError) -> (listed: [ListedScript], refused: [Refusal]) {
        let all = try paths()
        let about = try self.about(among: all)
        let paths = all.filter(ListedScript.isScript)
        let starts = Array(stride(from: 0, to: paths.count, by: Self.readAtOnce))
        let parts = await withTaskGroup(of: (index: Int, read: Result<Reading, CollectionError>).self) { group in
            for (index, start) in starts.enumerated() {
                group.addTask {
                    let part = paths[start..<min(start + Self.readAtOnce, paths.count)]
                    do throws(CollectionError) {
                        return (index, .success(try self.read(part, about)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var parts = [Result<Reading, CollectionError>](repeating: .success(Reading()), count: starts.count)
            for await part in group { parts[part.index] = part.read }
            return parts
        }
        var whole = Reading()
        for part in parts {
            let part = try part.get()
            whole.listed += part.listed
            whole.refused += part.refused
        }
        return (whole.listed, whole.refused)
    }

    private struct Reading: Sendable {
        var listed: [ListedScript] = []
        var refused: [Refusal] = []
    }

    private func read(_ paths: ArraySlice<String>, _ about: JSONValue?) throws(CollectionError) -> Reading {
        var reading = Reading()
        for path in paths {
            guard let text = String(validating: try bytes(path), as: UTF8.self) else {
                reading.refused.append(Refusal(path: path, message: "it is not UTF-8"))
                continue
            }
            do {
                let script = try BankScript(yaml: text, file: path)
                let (country, author) = Self.about(path, in: about)
                reading.listed.append(ListedScript(script, country: country, author: author, path: path))
            } catch {
                reading.refused.append(Refusal(path: path, message: "\(error)"))
            }
        }
        return reading
    }

    /// The file in which an author says for each script who wrote it and of which country its bank is.
    private static let aboutFile = "collection.json"
    /// The most bytes of it: a line for each of the most files.
    private static let largestAbout = 64 << 20

    package func about() throws(CollectionError) -> JSONValue? { try about(among: try paths()) }

    private func about(among paths: [String]) throws(CollectionError) -> JSONValue? {
        guard paths.contains(Self.aboutFile) else { return nil }
        do {
            return try JSONReader.read(
                try bytes(Self.aboutFile), limits: JSONLimits(size: Self.largestAbout))
        } catch let error as CollectionError {
            throw error
        } catch {
            throw CollectionError(.malformed, "\(Self.aboutFile) is not JSON: \(error)")
        }
    }

    /// Returns what in a file about the scripts has no effect: names without a script, and words that mean nothing.
    package static func faults(of about: JSONValue?, naming paths: [String]) -> [String] {
        guard let about else { return [] }
        guard case .object(let members) = about else { return ["\(aboutFile) is not an object"] }
        let known = ["author", "country"]
        var faults: [String] = []
        func check(_ names: some Sequence<String>, _ known: [String], at place: String) {
            for name in names.sorted() where !known.contains(name) {
                let sorted = known.sorted()
                let choices = sorted.dropLast().joined(separator: ", ") + " or " + (sorted.last ?? "")
                faults.append("\(aboutFile): “\(name.inLine(limit: 80))”\(place) means nothing; write \(choices)")
            }
        }
        check(members.keys, known + ["scripts"], at: "")
        guard let scripts = members["scripts"] else { return faults }
        guard case .object(let entries) = scripts else { return faults + ["\(aboutFile): “scripts” is not an object"] }
        let scriptPaths = Set(paths.filter(ListedScript.isScript))
        for (path, entry) in entries.sorted(by: { $0.key < $1.key }) {
            let name = path.inLine(limit: 120)
            if !scriptPaths.contains(path) {
                faults.append("\(aboutFile) names \(name), which is not a script of the folder")
            }
            guard case .object(let words) = entry else {
                faults.append("\(aboutFile): what it says of \(name) is not an object")
                continue
            }
            check(words.keys, known, at: " of \(name)")
        }
        return faults
    }

    /// Returns the country and the author that a collection names for a path.
    package static func about(_ path: String, in about: JSONValue?) -> (country: String, author: String) {
        let entry = about?["scripts"]?[path]
        return (
            (entry?["country"] ?? about?["country"])?.stringValue?.lowercased() ?? "",
            (entry?["author"] ?? about?["author"])?.stringValue ?? ""
        )
    }
}
