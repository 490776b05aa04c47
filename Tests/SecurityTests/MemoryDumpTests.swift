import Foundation
import TestSupport
import Testing

/// Another program of the same user, or a crash, that copies the memory of a program with secrets.
@Suite("The memory of a running program", .timeLimit(.minutes(4)))
struct MemoryDumpTests {
    /// Commands that hold secrets, each waiting for something when it is looked at.
    static let commands: [[String]] = [
        ["script", "run", "default", "--credentials", "-", "--param", "month=1", "--param", "year=2025"],
        ["phone", "setup", "--broker", "http://127.0.0.1:1", "--inbox", "/tmp", "--credentials", "-"],
        ["broker", "serve", "--no-telegram"],
    ]

    #if os(Linux)
        @Test("belongs to root for /proc", arguments: commands)
        func owner(command: [String]) async throws {
            try await Self.running(command) { program, owner in
                #expect(owner == 0, "others of this user can read \(command.prefix(2)): \(program.errors)")
            }
        }

        @Test("is not written into a core file, and not given to a program", .needsCoreFiles, arguments: commands)
        func dumps(command: [String]) async throws {
            try await Self.running(command) { program, _ in
                // A limit of one byte also forbids dumps to a program.
                #expect(Descendant.coreLimits(of: program.id) == ["1", "1"])
            }
        }

        @Test(
            "is not in a dump for a program where that limit cannot be set",
            .enabled(if: geteuid() == 0, "only root can read the filter of such a process"), arguments: commands)
        func filter(command: [String]) async throws {
            let nothingAllowed = ["/bin/sh", "-c", "ulimit -c 0 && exec \"$@\"", "sh"]
            try await Self.running(command, through: nothingAllowed) { program, _ in
                #expect(Descendant.coreLimits(of: program.id) == ["0", "0"])
                // What is left has no private memory.
                let filter = try String(contentsOfFile: "/proc/\(program.id)/coredump_filter", encoding: .utf8)
                #expect(filter == "00000000\n")
            }
        }

        /// Starts a command, and waits until it has protected its memory.
        ///
        /// - Parameters:
        ///   - launcher: a program that starts it.
        ///   - body: gets the command, and the owner of its memory: 0 when it is protected.
        private static func running(
            _ command: [String], through launcher: [String] = [], _ body: (Program, _ owner: UInt32) throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try FileManager.default.createDirectory(
                at: folder.appending("inbox"), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o777])
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
            // Root owns its own processes anyway, so root has to start one as another user.
            let nobody = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
            let program = try Program(
                command,
                environment: [
                    "BROKER_API_TOKEN": "agent-token-agent-token-agent-token",
                    "PHONE_API_TOKEN": "phone-token-phone-token-phone-token", "BROKER_PORT": "0",
                    "BROKER_PHONE_SHARED_SECRET": "a shared secret of more than thirty-two bytes",
                    "ICLOUD_INBOX_PATH": folder.appending("inbox").path,
                    "BROKER_DATABASE_PATH": folder.appending("broker/broker.sqlite").path,
                    "HOME": folder.url.path,
                ], through: launcher + (geteuid() == 0 ? nobody : []))
            defer { program.signal(SIGKILL) }
            var owner: UInt32 = 1
            let end = ContinuousClock.now + .seconds(60)
            while owner != 0, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(100))
                var status = stat()
                guard stat("/proc/\(program.id)/mem", &status) == 0 else { break }
                owner = isStarted(program) ? status.st_uid : 1
            }
            try body(program, owner)
        }

        /// The launchers are over and the program itself runs.
        private static func isStarted(_ program: Program) -> Bool {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(program.id)/exe"))?
                .hasSuffix("countersign") == true
        }
    #endif
}
