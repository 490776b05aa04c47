import CurlClient
import Encodings
import Foundation
import Machine
import WebURL

/// The place that a collection's files come from.
package protocol CollectionSource: Sendable {
    /// Returns a file.
    ///
    /// - Parameter limit: the most bytes.
    /// - Throws: ``CollectionError``: `notFound`, `tooLong`, `unreachable`.
    func bytes(_ path: String, atMost limit: Int) async throws(CollectionError) -> [UInt8]
}

/// A collection in a folder of this machine.
package struct FolderSource: CollectionSource {
    private let folder: URL

    package init(_ folder: URL) { self.folder = folder }

    package func bytes(_ path: String, atMost limit: Int) async throws(CollectionError) -> [UInt8] {
        try CollectionPath.check(path)
        let file = folder.appending(path: path)
        var status = stat()
        guard lstat(file.path, &status) == 0 else { throw CollectionError(.notFound, "\(file.path) does not exist") }
        guard status.st_size <= limit else {
            throw CollectionError(.tooLong, "\(path) has more than \(limit) bytes")
        }
        do {
            return try OpenedFile(file).bytes(atMost: limit)
        } catch {
            throw CollectionError(.storage, "\(error)")
        }
    }
}

/// A collection at an https address. Nothing but its own origin is contacted, and no redirect is followed.
package final class AddressSource: CollectionSource {
    private let address: String
    private let session: CurlSession
    private let folder: URL

    /// The longest time for one file: a server that sends a byte now and then must not hold a run for ever (“slow retrieval”,
    /// TUF specification 1.0.34, section 1.5.2).
    private static let patience: Duration = .seconds(120)

    /// - Parameters:
    ///   - address: the collection's address, in https; http is for this machine only.
    ///   - folder: a folder for files on their way.
    /// - Throws: ``CollectionError`` of kind `unreachable` for an address that is not one.
    package init(
        _ address: String, folder: URL, patience: Duration = AddressSource.patience, authority: URL? = nil
    ) throws(CollectionError) {
        guard let url = try? URLRecord(parsing: address), let origin = Origin(of: url),
            origin.scheme == "https" || origin.scheme == "http" && origin.host.isLoopback, !address.contains("?"),
            !address.contains("#"), !address.contains("@")
        else {
            throw CollectionError(
                .unreachable,
                "“\(address.inLine(limit: 200))” is not an https address without a query: https://host/path")
        }
        self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
        var configuration = CurlConfiguration()
        configuration.limits.whole = patience
        configuration.keepsCookies = false
        configuration.extraCAFile = authority
        session = CurlSession(configuration)
        self.folder = folder
    }

    package func bytes(_ path: String, atMost limit: Int) async throws(CollectionError) -> [UInt8] {
        try CollectionPath.check(path)
        let file = folder.appending(path: ".coming-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let answer: HTTPDownload
        do {
            answer = try await session.download(HTTPRequest("GET", "\(address)/\(path)"), to: file, limit: limit)
        } catch {
            if error.code == .tooLarge { throw CollectionError(.tooLong, "\(path) has more than \(limit) bytes") }
            throw CollectionError(.unreachable, "\(path) did not come from \(address): \(error)")
        }
        switch answer.head.status {
        case 200: break
        // Storage services answer 403 for a file that is not there.
        case 403, 404, 410: throw CollectionError(.notFound, "\(address) has no \(path)")
        default:
            throw CollectionError(
                .unreachable,
                "\(address) answered \(answer.head.status) for \(path)"
                    + ((300...399).contains(answer.head.status) ? "; a collection's redirects are not followed" : ""))
        }
        do {
            return try OpenedFile(file).bytes(atMost: limit)
        } catch {
            throw CollectionError(.storage, "\(error)")
        }
    }

    /// Sends a file to a place of the collection. No redirect is followed.
    ///
    /// - Throws: ``CollectionError``: `not_found` when the collection takes no such files, or `unreachable`.
    package func deliver(_ bytes: [UInt8], to path: String) async throws(CollectionError) {
        try CollectionPath.check(path)
        let answer: HTTPResponse
        do {
            answer = try await session.send(
                HTTPRequest(
                    "POST", "\(address)/\(path)", headers: [HTTPHeader("Content-Type", "application/json")], body: bytes
                ))
        } catch {
            throw CollectionError(.unreachable, "\(address) did not take the file: \(error)")
        }
        switch answer.status {
        case 200...204: return
        case 403, 404, 405, 410, 501:
            throw CollectionError(
                .notFound, "\(address) takes no files at /\(path); write them and hand them over: script results write")
        default: throw CollectionError(.unreachable, "\(address) answered \(answer.status) for /\(path)")
        }
    }

    package func close() async { await session.close() }
}
