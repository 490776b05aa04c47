import Foundation

/// A program's standard error, to quote when it fails.
///
/// It goes to a file: a full pipe would stop the program, and reading it would affect the measurement.
public struct StandardError {
    /// The bytes to quote: enough to explain a failure.
    private static let most = 4096

    public let handle: FileHandle

    public init() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "standard-error-\(UUID().uuidString)")
        try Data().write(to: file, options: .withoutOverwriting)
        handle = try FileHandle(forUpdating: file)
        // Unlink the file, so that nothing is left of it however this program ends.
        try FileManager.default.removeItem(at: file)
    }

    /// Returns the last part of the output so far.
    public var words: String {
        var status = stat()
        guard fstat(handle.fileDescriptor, &status) == 0 else { return "" }
        let size = min(Int(status.st_size), Self.most)
        // Do not move the handle's offset: the program continues to write there.
        let end = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, pread(handle.fileDescriptor, buffer.baseAddress, size, status.st_size - off_t(size)))
        }
        return String(decoding: end, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
