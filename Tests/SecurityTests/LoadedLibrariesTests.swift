#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// Each library that the program loads can read what its processes know, and costs time at each start.
    @Suite("The libraries of the program", .timeLimit(.minutes(3)))
    struct LoadedLibrariesTests {
        @Test("do not contain those for screens and buses that libzbar brings with it")
        func fewer() async throws {
            let loaded = try await ChildProcess.run(URL(filePath: "/usr/bin/ldd"), [Repository.countersign.path]).text
            #expect(loaded.contains("libcurl.so"))
            for library in ["libzbar", "libX11", "libxcb", "libdbus", "libsystemd", "libv4l2"] {
                #expect(!loaded.contains("\(library)"), "\(loaded)")
            }
        }
    }
#endif
