import CZBar
import Files
import Foundation
import Secrets

/// Finds QR codes in a picture such as a screenshot, a scan or a photograph, dark on light or light on dark.
public enum QRCodeReader {
    /// The maximum size of a picture file, in bytes.
    public static let largestFile = 64 << 20

    /// Returns the texts of all QR codes in a PNG or JPEG file. They may be secrets.
    ///
    /// - Throws: ``QRCodeError``; `nothingFound` if the picture contains no QR code.
    public static func texts(in file: URL) async throws -> [Secret] {
        try await BlockingWork.run {
            let bytes: [UInt8]
            do {
                let handle = try FileHandle(forReadingFrom: file)
                defer { try? handle.close() }
                bytes = Array(try handle.read(upToCount: largestFile + 1) ?? Data())
            } catch {
                throw QRCodeError(
                    .unreadable, "cannot read \(file.path); check that the file exists and that you may read it")
            }
            guard bytes.count <= largestFile else {
                throw QRCodeError(.tooLarge, "\(file.path) is too large; crop the picture to the code")
            }
            do {
                return try texts(in: GreyPicture(bytes))
            } catch let error as QRCodeError {
                throw QRCodeError(error.code, "\(file.path): \(error.message)")
            }
        }
    }

    /// Returns the texts of all QR codes in a PNG or JPEG picture. They may be secrets.
    ///
    /// - Throws: ``QRCodeError``; `nothingFound` if the picture contains no QR code.
    public static func texts(in picture: [UInt8]) async throws -> [Secret] {
        guard picture.count <= largestFile else {
            throw QRCodeError(.tooLarge, "the picture is too large; crop it to the code")
        }
        return try await BlockingWork.run { try texts(in: GreyPicture(picture)) }
    }

    static func texts(in picture: GreyPicture) throws(QRCodeError) -> [Secret] {
        do throws(QRCodeError) {
            return try scan(picture)
        } catch  where picture.pixels.count <= 1_000_000 {
            // The scanner needs a few pixels per module; a small picture may have fewer.
            return try scan(picture.enlarged(by: 3))
        }
    }

    private static func scan(_ picture: GreyPicture) throws(QRCodeError) -> [Secret] {
        guard let scanner = zbar_image_scanner_create(), let image = zbar_image_create() else {
            throw QRCodeError(.unsupportedPicture, "the picture cannot be scanned")
        }
        defer {
            zbar_image_destroy(image)
            zbar_image_scanner_destroy(scanner)
        }
        zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
        zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1)
        zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_TEST_INVERTED, 1)
        zbar_image_set_format(image, fourCC("Y800"))
        zbar_image_set_size(image, UInt32(picture.width), UInt32(picture.height))
        let texts = picture.pixels.withUnsafeBytes { pixels in
            zbar_image_set_data(image, pixels.baseAddress, UInt(pixels.count), nil)
            var texts: [Secret] = []
            guard zbar_scan_image(scanner, image) > 0 else { return texts }
            var symbol = zbar_image_first_symbol(image)
            while let current = symbol {
                if let data = zbar_symbol_get_data(current) {
                    let count = Int(zbar_symbol_get_data_length(current))
                    texts.append(Secret(bytes: UnsafeRawBufferPointer(start: data, count: count)))
                }
                symbol = zbar_symbol_next(current)
            }
            return texts
        }
        guard !texts.isEmpty else {
            throw QRCodeError(
                .nothingFound, "no QR code was found; check that the picture shows all of it with a margin")
        }
        return texts
    }

    private static func fourCC(_ name: String) -> UInt {
        name.utf8.reversed().reduce(0) { $0 << 8 | UInt($1) }
    }
}
