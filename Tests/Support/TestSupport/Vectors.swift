import Foundation
import Testing

/// Conformance data of other projects, in the folder that `COUNTERSIGN_VECTORS` names.
package enum Vectors {
    /// The folder; nil where the variable is not set.
    package static let folder = ProcessInfo.processInfo.environment["COUNTERSIGN_VECTORS"].map {
        URL(filePath: $0, directoryHint: .isDirectory)
    }

    /// Returns the place of a file or a folder of the vectors.
    ///
    /// - Throws: when the variable is not set; a test with ``needsVectors`` is skipped then.
    package static func url(_ path: String) throws -> URL {
        try #require(folder, "COUNTERSIGN_VECTORS is not set").appending(path: path)
    }

    package static func data(_ path: String) throws -> Data { try Data(contentsOf: url(path)) }

    /// Returns the sorted names in a folder of the vectors.
    package static func names(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url(path).path).sorted()
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the test, visibly, where `COUNTERSIGN_VECTORS` is not set.
    package static var needsVectors: Self { .enabled(if: Vectors.folder != nil, "COUNTERSIGN_VECTORS is not set") }
}
