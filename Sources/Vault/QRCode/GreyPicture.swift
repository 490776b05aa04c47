import CImages
import Foundation

/// A greyscale picture: one byte per pixel, row by row.
struct GreyPicture {
    /// The maximum number of pixels to decode: more than any screen or phone camera produces.
    static let mostPixels = 100_000_000

    let width: Int
    let height: Int
    let pixels: [UInt8]

    /// Decodes a PNG or JPEG, detected by its first bytes.
    init(_ bytes: [UInt8]) throws(QRCodeError) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            self = try Self.png(bytes)
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = try Self.jpeg(bytes)
        } else {
            throw QRCodeError(.unsupportedPicture, "the picture is neither PNG nor JPEG; save it as one of them")
        }
    }

    init(width: Int, height: Int, pixels: [UInt8]) {
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    func enlarged(by scale: Int) -> GreyPicture {
        var larger: [UInt8] = []
        larger.reserveCapacity(pixels.count * scale * scale)
        for row in 0..<height {
            let line = pixels[row * width..<(row + 1) * width].flatMap { [UInt8](repeating: $0, count: scale) }
            for _ in 0..<scale { larger += line }
        }
        return GreyPicture(width: width * scale, height: height * scale, pixels: larger)
    }

    private static func check(_ width: Int, _ height: Int) throws(QRCodeError) {
        guard width > 0, height > 0, width <= mostPixels / height else {
            throw QRCodeError(
                .tooLarge, "the picture has \(width) × \(height) pixels; crop it to the code")
        }
    }

    private static func png(_ bytes: [UInt8]) throws(QRCodeError) -> GreyPicture {
        var image = png_image()
        defer { png_image_free(&image) }
        // Keep the bytes in place: libpng holds the pointer between the two calls.
        let result = bytes.withUnsafeBytes { bytes -> Result<GreyPicture, QRCodeError> in
            let damaged = QRCodeError(.unsupportedPicture, "the PNG is damaged or cut short; save it again")
            guard countersign_png_begin(&image, bytes.baseAddress, bytes.count) != 0 else { return .failure(damaged) }
            let (width, height) = (Int(image.width), Int(image.height))
            do throws(QRCodeError) {
                try check(width, height)
            } catch {
                return .failure(error)
            }
            var pixels = [UInt8](repeating: 255, count: width * height)
            let isRead = pixels.withUnsafeMutableBytes { countersign_png_finish(&image, $0.baseAddress) } != 0
            return isRead ? .success(GreyPicture(width: width, height: height, pixels: pixels)) : .failure(damaged)
        }
        return try result.get()
    }

    private static func jpeg(_ bytes: [UInt8]) throws(QRCodeError) -> GreyPicture {
        let damaged = QRCodeError(.unsupportedPicture, "the JPEG is damaged or cut short; save it again")
        guard let decoder = tjInitDecompress() else { throw damaged }
        defer { tjDestroy(decoder) }
        var (width, height, sampling, colours): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        guard tjDecompressHeader3(decoder, bytes, UInt(bytes.count), &width, &height, &sampling, &colours) == 0,
            width > 0, height > 0
        else { throw damaged }
        try check(Int(width), Int(height))
        var pixels = [UInt8](repeating: 255, count: Int(width) * Int(height))
        guard
            tjDecompress2(
                decoder, bytes, UInt(bytes.count), &pixels, width, width, height, Int32(TJPF_GRAY.rawValue), 0) == 0
        else { throw damaged }
        return GreyPicture(width: Int(width), height: Int(height), pixels: pixels)
    }

    func png() throws(QRCodeError) -> [UInt8] {
        var count: png_alloc_size_t = 0
        let (width, height) = (png_uint_32(self.width), png_uint_32(self.height))
        guard countersign_png_write(width, height, pixels, nil, &count) != 0 else {
            throw QRCodeError(.tooLarge, "the picture cannot be written as PNG")
        }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        guard countersign_png_write(width, height, pixels, &bytes, &count) != 0 else {
            throw QRCodeError(.tooLarge, "the picture cannot be written as PNG")
        }
        return Array(bytes.prefix(Int(count)))
    }
}
