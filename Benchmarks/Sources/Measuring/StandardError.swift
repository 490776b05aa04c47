import Foundation

/// What a program says on its standard error, to be quoted when it fails.
///
/// It goes into a file: a pipe that is full holds a program up, and whoever empties it has a part in what is measured.
public struct StandardError {
    /// Bytes: enough to explain a failure, of a program that may have said a great deal.
    private static let most = 4096

    public let handle: FileHandle

    public init() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "standard-error-\(UUID().uuidString)")
        try Data().write(to: file, options: .withoutOverwriting)
        handle = try FileHandle(forUpdating: file)
        // It has no name from here on, so nothing is left of it however this program ends.
        try FileManager.default.removeItem(at: file)
    }

    /// The end of what was said until now.
    public var words: String {
        var status = stat()
        guard fstat(handle.fileDescriptor, &status) == 0 else { return "" }
        let size = min(Int(status.st_size), Self.most)
        // The program goes on writing where the handle stands, so that is not moved.
        let end = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, pread(handle.fileDescriptor, buffer.baseAddress, size, status.st_size - off_t(size)))
        }
        return String(decoding: end, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
