import Foundation

/// The executable that was built with the tests; it lies beside the test bundle.
enum BuiltExecutable {
    static let url =
        Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
        .map { $0.deletingLastPathComponent().appending(path: "countersign") }
        ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "countersign")
}
