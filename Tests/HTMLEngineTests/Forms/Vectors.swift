import Foundation

/// The folder with other people's conformance data, which the environment names; nil where there is none.
enum Vectors {
    static let folder = ProcessInfo.processInfo.environment["COUNTERSIGN_VECTORS"].map { URL(filePath: $0) }

    static func data(_ path: String) throws -> Data {
        guard let folder else { throw CocoaError(.fileNoSuchFile) }
        return try Data(contentsOf: folder.appending(path: path))
    }
}
