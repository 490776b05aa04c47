#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// A fault in a C library that releases memory twice, which an attacker can turn into a write to any place.
    @Suite("Memory that is released twice", .timeLimit(.minutes(3)))
    struct DoubleFreeTests {
        private static let source = """
            #include <stdlib.h>
            #include <string.h>
            int main(int count, char **arguments) {
                char *volatile piece = malloc((size_t)atoi(arguments[1]));
                memset(piece, 1, (size_t)atoi(arguments[1]));
                free(piece);
                if (count > 2) free(piece);
                return 0;
            }
            """

        @Test("ends the program, although released memory is overwritten", arguments: [24, 64, 1000])
        func doubleFree(size: Int) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try Data(Self.source.utf8).write(to: folder.appending("twice.c"))
            let target = Repository.file("Sources/System/CWipingAllocator")
            let program = folder.appending("twice")
            let built = try await ChildProcess.run(
                URL(filePath: "/usr/bin/env"),
                [
                    "clang", "-O0", "-I", target.appending(path: "include").path, folder.appending("twice.c").path,
                    target.appending(path: "WipingAllocator.c").path, "-o", program.path,
                ])
            #expect(built.status == 0, "\(built.text)")
            #expect(try await ChildProcess.run(program, ["\(size)"]).status == 0)
            let twice = try await ChildProcess.run(program, ["\(size)", "twice"])
            #expect(twice.status == SIGABRT, "the second release went unnoticed")
            #expect(twice.text.contains("double free"), "\(twice.text)")
        }
    }
#endif
