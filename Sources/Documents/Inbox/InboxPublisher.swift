import Clocks
import Encodings
import Foundation
import Machine
import Messages
import Secrets
import Signer

import struct Crypto.SHA256

/// A statement that could not be put into the inbox. The request fails with ICLOUD_WRITE_FAILED.
public struct PublishError: Error, Sendable, CustomStringConvertible {
    public let message: String

    public var description: String { message }
}

/// A delivery that was put into the inbox.
public struct PublishedDelivery: Sendable, Hashable {
    public let pdf: URL
    public let manifestFile: URL
    public let manifest: CompletionManifest
}

/// The phone's side of the synced folder.
///
/// The PDF is written to `NAME.pdf.tmp`, synchronised and renamed; then its signed manifest likewise (specification,
/// section 12.4). The manifest's rename is the commit point: before it the delivery does not exist.
public struct InboxPublisher: Sendable {
    let folder: URL
    let secret: SharedSecret

    public init(folder: URL, secret: SharedSecret) {
        self.folder = folder
        self.secret = secret
    }

    /// Checks that the folder exists and is writable.
    public func check() throws(PublishError) { try Self.check(folder) }

    /// Checks that a folder exists and is writable.
    public static func check(_ folder: URL) throws(PublishError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw PublishError(
                message: "the inbox \(folder.path) does not exist; check that the synced folder is mounted")
        }
        guard access(folder.path, W_OK | X_OK) == 0 else {
            throw PublishError(
                message: errno == EROFS
                    ? "the inbox \(folder.path) is on a disk that can only be read; mount it for writing"
                    : "the inbox \(folder.path) is not writable; check its owner and permissions")
        }
    }

    /// Puts a PDF and its manifest into the inbox.
    ///
    /// - Throws: ``PublishError``; then manifest, PDF and temporary files are gone.
    public func publish(
        pdf source: URL, for request: RequestID, period: MonthYear, completedAt: Timestamp, nonce: Nonce = Nonce()
    ) throws(PublishError) -> PublishedDelivery {
        // Another program's file of that name does not count: the rename replaces it.
        if let name = committed(request) { throw PublishError(message: "\(name) is in the inbox already") }
        removeLeftovers(of: request)
        return try publish(source, as: period.fileStem(for: request) + ".pdf") { filename, digest, bytes in
            CompletionManifest(
                requestID: request, filename: filename, sha256: digest, bytes: bytes, completedAt: completedAt,
                nonce: nonce)
        }
    }

    /// Writes the file and then its manifest.
    ///
    /// - Parameter describe: makes the manifest from the file's name, SHA-256 and number of bytes.
    func publish(
        _ source: URL, as name: String, _ describe: (String, String, Int) -> CompletionManifest
    ) throws(PublishError) -> PublishedDelivery {
        try check()
        let pdf = folder.appending(path: name)
        let manifestFile = folder.appending(path: InboxPaths.manifestName(of: name))
        do {
            let (digest, bytes) = try copy(source, to: pdf)
            let manifest = describe(pdf.lastPathComponent, digest, bytes)
            do {
                try AtomicFile.write(manifest.signed(with: secret).bytes, to: manifestFile)
            } catch {
                // Once the manifest has its name the delivery is made, even if synchronising the folder failed.
                guard verified(manifestFile.lastPathComponent) != nil else { throw error }
            }
            return PublishedDelivery(pdf: pdf, manifestFile: manifestFile, manifest: manifest)
        } catch {
            unlink(pdf.path)
            throw PublishError(message: "the statement cannot be put into the inbox: \(error)")
        }
    }

    /// Returns the PDF's name when a delivery is committed and the broker has not taken it yet.
    ///
    /// Others can write to the folder: only a manifest with this phone's signature counts.
    public func committed(_ request: RequestID) -> String? {
        for name in names(of: request) where name.hasSuffix(InboxPaths.manifestEnding) {
            if let manifest = verified(name), manifest.requestID == request { return manifest.filename }
        }
        return nil
    }

    /// The names of files in the inbox that begin with the request's ID and a hyphen.
    func names(of request: RequestID) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasPrefix("\(request)-") }
    }

    /// Returns the manifest of this name when this phone has signed it; nil for any other file.
    func verified(_ name: String) -> CompletionManifest? {
        let paths = InboxPaths(manifest: name, in: folder)
        let verification = DeliveryVerification()
        guard let signed = try? verification.manifest(paths) else { return nil }
        return (try? verification.verified(signed, paths, with: [secret]))?.manifest
    }

    private func copy(_ source: URL, to pdf: URL) throws -> (digest: String, bytes: Int) {
        var hash = SHA256()
        var bytes = 0
        try OpenedFile(source).copy(to: pdf, atMost: .max) { chunk in
            hash.update(bufferPointer: chunk)
            bytes += chunk.count
        }
        return (Base16.encode(hash.finalize()), bytes)
    }

    /// Removes the files of an interrupted publication of this request: temporary files, a PDF without manifest.
    public func removeLeftovers(of request: RequestID) {
        let own = names(of: request)
        for name in own where name.hasSuffix(".tmp") { unlink(folder.appending(path: name).path) }
        guard committed(request) == nil else { return }
        for name in own where name.hasSuffix(".pdf") { unlink(folder.appending(path: name).path) }
    }
}
