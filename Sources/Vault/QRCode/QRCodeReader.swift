import CImages
import Foundation
import Machine
import Secrets

/// Finds QR codes in a picture such as a screenshot, a scan or a photograph, dark on light or light on dark.
package enum QRCodeReader {
    /// The maximum size of a picture file, in bytes.
    package static let largestFile = 64 << 20

    /// Returns the texts of all QR codes in a PNG or JPEG file. They may be secrets.
    ///
    /// - Throws: ``QRCodeError``; `nothingFound` if the picture contains no QR code.
    package static func texts(in file: URL) async throws -> [Secret] {
        try await BlockingWork.run {
            let bytes: [UInt8]
            do {
                bytes = try OpenedFile(file, links: .followed).start(largestFile + 1)
            } catch {
                throw QRCodeError(
                    .unreadable, "cannot read \(file.path); check that the file exists and that you may read it")
            }
            guard bytes.count <= largestFile else {
                throw QRCodeError(.tooLarge, "\(file.path) is too large; crop the picture to the code")
            }
            do {
                return try confined(bytes)
            } catch let error as QRCodeError {
                throw QRCodeError(error.code, "\(file.path): \(error.message)")
            }
        }
    }

    /// Returns the texts of all QR codes in a PNG or JPEG picture. They may be secrets.
    ///
    /// - Throws: ``QRCodeError``; `nothingFound` if the picture contains no QR code.
    package static func texts(in picture: [UInt8]) async throws -> [Secret] {
        guard picture.count <= largestFile else {
            throw QRCodeError(.tooLarge, "the picture is too large; crop it to the code")
        }
        return try await BlockingWork.run { try confined(picture) }
    }

    /// Reads a picture in a process without rights: libpng, libjpeg and libzbar are written in C, and the picture may be a
    /// stranger's.
    private static func confined(_ picture: [UInt8]) throws(QRCodeError) -> [Secret] {
        let answer: ConfinedAnswer
        do throws(ConfinedReaderError) {
            answer = try ConfinedReader(for: PictureTask.self).perform([:], on: picture)
        } catch {
            throw QRCodeError(.unreadable, error.description)
        }
        if let error = PictureTask.error(answer.facts) { throw error }
        return answer.pieces.map { $0.withUnsafeBytes { Secret(bytes: $0) } }
    }

    static func texts(in picture: GreyPicture) throws(QRCodeError) -> [Secret] {
        do throws(QRCodeError) {
            return try scan(picture)
        } catch  where error.code == .nothingFound && picture.pixels.count <= 1_000_000 {
            // The scanner needs a few pixels per module; a small picture may have fewer.
            return try scan(picture.enlarged(by: 3))
        }
    }

    /// The words about a system without libzbar, with what its loader says.
    static func missingLibrary(because reason: String?) -> String {
        "pictures of codes are read with libzbar, which cannot be loaded\(reason.map { " (\($0))" } ?? ""); "
            + "on Debian: apt install libzbar0"
    }

    private static func scan(_ picture: GreyPicture) throws(QRCodeError) -> [Secret] {
        var texts: [Secret] = []
        let count = picture.pixels.withUnsafeBytes { pixels in
            withUnsafeMutablePointer(to: &texts) { texts in
                countersign_zbar_read(
                    pixels.baseAddress, UInt32(picture.width), UInt32(picture.height),
                    { text, length, context in
                        let bytes = UnsafeRawBufferPointer(start: text, count: Int(length))
                        context?.assumingMemoryBound(to: [Secret].self).pointee.append(Secret(bytes: bytes))
                    }, texts)
            }
        }
        switch count {
        case 1...: return texts
        case 0:
            throw QRCodeError(
                .nothingFound, "no QR code was found; check that the picture shows all of it with a margin")
        case Int32(COUNTERSIGN_ZBAR_UNUSABLE):
            throw QRCodeError(.noReader, missingLibrary(because: dlerror().map { String(cString: $0) }))
        default: throw QRCodeError(.unsupportedPicture, "the picture cannot be scanned")
        }
    }
}
