#if os(Linux)
    import Foundation
    import MockBank
    import TestSupport
    import Testing

    /// A browser that a user without rights has started writes no core file, and no program gets its core dumps.
    @Suite("A crash of the browser", .serialized)
    struct CoreDumpsInBrowserTests {
        @Test(
            "leaves no core dump for a user who is not root", .needsChromedriver, .needsCoreFiles,
            .timeLimit(.minutes(4)))
        func otherUser() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
            let configuration = MockBankConfiguration()
            let bank = try await MockBankServer.start(configuration)
            // Root may raise every limit, so root starts the run as another user.
            let nobody = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
            let program = try Program(
                [
                    "script", "run", "default", "--at", bank.url, "--engine", "browser", "--credentials", "-",
                    "--param",
                    "month=11", "--param", "year=2025", "--dry-run",
                ], environment: ["HOME": folder.url.path, "TMPDIR": "/tmp"], through: geteuid() == 0 ? nobody : [])
            let login = [
                "username": configuration.username, "password": configuration.password,
                "code": configuration.oneTimeCode,
            ]
            try program.write(String(decoding: try JSONEncoder().encode(login), as: UTF8.self))
            program.endInput()
            let watching = Task {
                var (seen, unsafe): (Set<String>, Set<String>) = ([], [])
                while !Task.isCancelled {
                    for process in Descendant.all where process.command.contains("chrom") {
                        seen.insert(process.command)
                        if !process.forbidsCoreDumps { unsafe.insert(process.command) }
                    }
                    try? await Task.sleep(for: .milliseconds(10))
                }
                return (seen, unsafe)
            }
            let status = try await program.status()
            watching.cancel()
            let (seen, unsafe) = await watching.value
            await bank.stop()
            #expect(status == 0, "\(program.printed)\(program.errors)")
            // The driver, the browser, and a page's own process.
            for part in ["chromedriver --port", "--user-data-dir", "--type=renderer"] {
                #expect(seen.contains { $0.contains(part) }, "\(part) was not seen")
            }
            #expect(unsafe == [])
        }
    }
#endif
