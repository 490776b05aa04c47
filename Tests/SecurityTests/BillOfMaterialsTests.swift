import Encodings
import Foundation
import TestSupport
import Testing

/// A library with a known hole, in a program whose owner does not know that it is in there.
@Suite("The bill of materials")
struct BillOfMaterialsTests {
    private static let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    @Test(
        "names every resolved package and every loaded library, and its checksums hold",
        .enabled(if: hasPython, "needs python3"))
    func everything() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let program = folder.appending("countersign")
        try await WrittenProgram.copy(of: Repository.countersign, as: program)
        let made = try await ChildProcess.run(
            Repository.file(".ci/sbom"), [program.path, folder.url.path], in: Repository.root)
        #expect(made.status == 0, "\(made.text)")

        let bill = try JSONReader.read(try Data(contentsOf: folder.appending("countersign.cdx.json")))
        #expect(bill["bomFormat"] == "CycloneDX" && bill["specVersion"] == "1.5")
        let components = try #require(bill["components"]?.arrayValue)
        let names = Set(components.compactMap { $0["name"]?.stringValue })
        let resolved = try JSONReader.read(try Data(contentsOf: folder.appending("Package.resolved")))
        for pin in try #require(resolved["pins"]?.arrayValue) {
            let name = try #require(pin["identity"]?.stringValue)
            #expect(names.contains(name), "\(name) is not listed")
        }
        #if os(Linux)
            for library in ["libcurl", "libxml2", "libssl", "libsqlite3", "libc.so", "libzbar"] {
                #expect(names.contains { $0.hasPrefix(library) }, "\(library) is not listed")
            }
            let sums = try await ChildProcess.run(
                URL(filePath: "/usr/bin/sha256sum"), ["--check", "--strict", "SHA256SUMS"], in: folder.url)
            #expect(sums.status == 0, "\(sums.text)")
        #endif
    }
}
