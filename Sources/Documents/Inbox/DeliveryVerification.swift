import Encodings
import FileKinds
import Foundation
import Machine
import Messages
import Secrets
import Signer

import struct Crypto.SHA256

/// The reason to refuse a delivery for its content.
struct DeliveryRefusal: Error {
    let reason: String
    var requestID: RequestID?
    /// The device that runs the request has signed for exactly these bytes, and they cannot be a statement: no better
    /// delivery can come.
    var isFinal = false
}

/// Checks a delivery's manifest and PDF against each other. It blocks: run it on a thread of its own.
struct DeliveryVerification: Sendable {
    /// The largest manifest and the largest PDF, in bytes.
    private static let manifestLimit = 64 << 10
    private static let pdfLimit = 64 << 20

    /// Reads the manifest, without checking its signature.
    ///
    /// - Throws: ``DeliveryRefusal``; `FileError` when the file cannot be read.
    func manifest(_ paths: InboxPaths) throws -> SignedManifest { SignedManifest(json: try json(paths.manifest)) }

    /// Reads a closing manifest, without checking its signature.
    ///
    /// - Throws: ``DeliveryRefusal``; `FileError` when the file cannot be read.
    func closing(_ file: URL) throws -> SignedClosing { SignedClosing(json: try json(file)) }

    private func json(_ file: URL) throws -> JSONValue {
        let bytes: [UInt8]
        do {
            bytes = try OpenedFile(file).bytes(atMost: Self.manifestLimit)
        } catch let error as FileError where error.code == EFBIG {
            throw DeliveryRefusal(reason: "the manifest is larger than \(Self.manifestLimit) bytes")
        }
        do {
            return try JSONReader.read(bytes)
        } catch {
            throw DeliveryRefusal(reason: "\(error)")
        }
    }

    /// Checks a closing manifest's signature and that it is about the request in its name.
    ///
    /// - Parameter secrets: it has to be signed with one of them.
    /// - Throws: ``DeliveryRefusal``.
    func verified(_ signed: SignedClosing, name: String, with secrets: [SharedSecret]) throws -> VerifiedClosing {
        var refusal = DeliveryRefusal(reason: "no device may deliver for this request")
        for secret in secrets {
            do {
                let closing = try signed.verified(with: secret)
                let request = closing.closing.requestID
                guard name == ClosingManifest.filename(for: request) else {
                    throw DeliveryRefusal(reason: "the closing manifest is for another request", requestID: request)
                }
                return closing
            } catch let error as MessageError {
                refusal = DeliveryRefusal(reason: "\(error)")
                guard error.code == .badSignature else { break }
            }
        }
        throw refusal
    }

    /// Checks the manifest's signature and file name.
    ///
    /// - Parameter secrets: the manifest has to be signed with one of them.
    /// - Throws: ``DeliveryRefusal``.
    func verified(
        _ signed: SignedManifest, _ paths: InboxPaths, with secrets: [SharedSecret]
    ) throws -> VerifiedManifest {
        var refusal = DeliveryRefusal(reason: "no device may deliver for this request")
        for secret in secrets {
            do {
                let manifest = try signed.verified(with: secret)
                guard manifest.manifest.filename == paths.pdf.lastPathComponent else {
                    throw DeliveryRefusal(
                        reason: "the manifest is for another file", requestID: manifest.manifest.requestID)
                }
                return manifest
            } catch let error as MessageError {
                refusal = DeliveryRefusal(reason: "\(error)")
                guard error.code == .badSignature else { break }
            }
        }
        throw refusal
    }

    /// Copies and hashes the PDF in one pass through one descriptor, and gives the copy its name when it is the PDF of the
    /// manifest.
    ///
    /// - Throws: ``DeliveryRefusal``; `FileError` when a disk fails.
    func store(_ paths: InboxPaths, as stored: URL, checking manifest: VerifiedManifest) throws {
        let folder = stored.deletingLastPathComponent()
        let incoming = folder.appending(path: "incoming-\(UUID().uuidString).pdf")
        defer { unlink(incoming.path) }
        let expected = manifest.manifest
        var hash = SHA256()
        var bytes = 0
        var frame = PDFFrame()
        do {
            try OpenedFile(paths.pdf).copy(to: incoming, atMost: Self.pdfLimit) { chunk in
                hash.update(bufferPointer: chunk)
                bytes += chunk.count
                frame.observe(chunk)
            }
        } catch let error as FileError where error.code == EFBIG {
            throw DeliveryRefusal(
                reason: "the PDF is larger than \(Self.pdfLimit) bytes", requestID: expected.requestID)
        }
        let digest = Base16.encode(hash.finalize())
        guard bytes == expected.bytes, digest == expected.sha256 else {
            throw DeliveryRefusal(
                reason: "the PDF does not match its manifest", requestID: expected.requestID)
        }
        if let problem = try problem(of: incoming, frame, as: expected.document?.kind ?? .pdf) {
            throw DeliveryRefusal(reason: problem, requestID: expected.requestID, isFinal: expected.document == nil)
        }
        guard rename(incoming.path, stored.path) == 0 else { throw FileError("stored", stored.path) }
        try AtomicFile.synchronise(folder: folder)
    }

    /// Returns why a file is not what its manifest says, by its content; nil when it is.
    private func problem(of file: URL, _ frame: PDFFrame, as kind: DocumentKind) throws -> String? {
        guard kind != .pdf else { return frame.problem }
        do {
            _ = try ForeignFiles().check(try OpenedFile(file).bytes(atMost: Self.pdfLimit), as: FileKind(kind))
            return nil
        } catch let refusal as FileRefusal {
            return refusal.message
        }
    }
}
