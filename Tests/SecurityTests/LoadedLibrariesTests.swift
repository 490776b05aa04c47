#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// Each library that the program loads can read what its processes know, and costs time at each start.
    @Suite("The libraries of the program", .timeLimit(.minutes(1)))
    struct LoadedLibrariesTests {
        @Test("do not contain those for screens and buses that libzbar brings with it")
        func fewer() async throws {
            let loaded = try await ChildProcess.run(URL(filePath: "/usr/bin/ldd"), [Repository.countersign.path]).text
            #expect(loaded.contains("libcurl.so"))
            for library in ["libzbar", "libX11", "libxcb", "libdbus", "libsystemd", "libv4l2"] {
                #expect(!loaded.contains("\(library)"), "\(loaded)")
            }
        }

        @Test("without libzbar, a picture of a code is an error that names the package")
        func missing() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            // The loader stops at the first file of this name, and cannot use it.
            try Data().write(to: folder.appending("libzbar.so.0"))
            let outcome = try await Program.run(
                ["phone", "pair", Repository.file("docs/images/trace.png").path],
                environment: ["HOME": folder.url.path, "LD_LIBRARY_PATH": folder.url.path])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("apt install libzbar0"), "\(outcome)")
        }
    }
#endif
