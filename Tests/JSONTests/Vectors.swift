import Foundation

/// Conformance data by others, found through `COUNTERSIGN_VECTORS`; tests that need it say that they were skipped.
enum Vectors {
    static let folder = ProcessInfo.processInfo.environment["COUNTERSIGN_VECTORS"].map { URL(filePath: $0) }

    static func data(_ path: String) throws -> Data {
        try Data(contentsOf: folder!.appending(path: path))
    }

    static func names(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder!.appending(path: path).path).sorted()
    }
}
