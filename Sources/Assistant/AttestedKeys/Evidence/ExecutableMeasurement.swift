import Crypto
import Encodings
import Foundation
import Machine

/// The measurement of a program without special hardware: SHA-256 (FIPS 180-4) of its executable file.
package enum ExecutableMeasurement {
    /// Measures the program that is running, also when its file was replaced since it started.
    ///
    /// - Returns: 64 digits of lower-case hex.
    /// - Throws: `FileError` when the executable cannot be read.
    package static func ofThisProcess() throws -> String {
        #if os(Linux)
            try of(URL(filePath: "/proc/self/exe"))
        #else
            try of(Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0]))
        #endif
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
