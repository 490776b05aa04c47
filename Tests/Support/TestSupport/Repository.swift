import Foundation

/// The files of this repository, and the program that is built from it.
package enum Repository {
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    package static func file(_ path: String) -> URL { root.appending(path: path) }

    /// The command line program.
    package static let countersign = program("countersign")

    /// Returns a program of this package, which lies beside the test bundle.
    package static func program(_ name: String) -> URL {
        (Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
            ?? URL(filePath: CommandLine.arguments[0])).deletingLastPathComponent().appending(path: name)
    }
}
