import Crypto
import Encodings
import Foundation
import Machine
import Synchronization

/// The measurement of a program without special hardware: SHA-256 (FIPS 180-4) of its executable file.
package enum ExecutableMeasurement {
    /// Linux refuses to write to a program that runs, so it is read once: a debug build has hundreds of megabytes.
    private static let ofThis = Mutex<String?>(nil)

    /// Measures the program that is running, also when its file was replaced since it started.
    ///
    /// - Returns: 64 digits of lower-case hex.
    /// - Throws: `FileError` when the executable cannot be read.
    package static func ofThisProcess() throws -> String {
        try ofThis.withLock { known in
            if let known { return known }
            #if os(Linux)
                let file = URL(filePath: "/proc/self/exe")
            #else
                let file = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
            #endif
            let measurement = try of(file)
            known = measurement
            return measurement
        }
    }

    /// Measures a file, without reading it into memory as a whole.
    package static func of(_ file: URL) throws -> String {
        var digest = SHA256()
        try OpenedFile(file, links: .followed).read { (part: UnsafeRawBufferPointer) in
            digest.update(bufferPointer: part)
        }
        return Base16.encode(digest.finalize())
    }
}
