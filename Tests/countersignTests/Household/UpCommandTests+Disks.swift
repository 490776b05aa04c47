import Foundation
import TestSupport
import Testing

/// A disk that fails. Only the tested program sees it, so nothing on the machine changes.
private enum FailingDisk {
    /// Returns false where this machine lets no program make a mount namespace.
    static func isPossible() async throws -> Bool {
        let outcome = try await ChildProcess.run(
            URL(filePath: "/usr/bin/unshare"),
            ["--map-root-user", "--mount", "/bin/mount", "-t", "tmpfs", "none", "/mnt"])
        return outcome.status == 0
    }

    static let hasTracer = FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")

    /// Returns what starts a program after a shell's line in the namespace. `$DISK` is the folder in that line.
    static func launcher(_ line: String, on folder: URL) -> [String] {
        [
            "/usr/bin/env", "DISK=\(folder.path)", "/usr/bin/unshare", "--map-root-user", "--mount", "/bin/sh", "-c",
            line, "sh",
        ]
    }

    /// Returns what starts a program with a folder that can only be read.
    static func readOnly(_ folder: URL) -> [String] {
        launcher(#"mount --bind "$DISK" "$DISK" && mount -o remount,ro,bind "$DISK" && exec "$@""#, on: folder)
    }
}

extension UpCommandTests {
    @Test(
        "a first start on a full disk says so, and the next one succeeds once there is room",
        .enabled("no program may make a mount namespace here", FailingDisk.isPossible), .timeLimit(.minutes(3)),
        arguments: [4, 16, 40, 300])
    func fullDisk(kilobytes: Int) async throws {
        try FileManager.default.createDirectory(at: household.data, withIntermediateDirectories: true)
        chmod(household.data.path, 0o700)
        let line = """
            mount -t tmpfs -o mode=700,size=\(kilobytes)k none "$DISK"; "$@"; echo "first: $?" >&2
            mount -o remount,size=64m "$DISK"; exec "$@"
            """
        let program = try Program(
            ["up", "--bank", "mock", "--no-open"], environment: household.environment,
            through: FailingDisk.launcher(line, on: household.data))
        // In the same stream as the message, which so is there before it.
        try await program.complaining("first: ")
        let words = program.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("first: 1"), "\(words)")
        #expect(words.contains("No space left on device; free some space on its disk"), "\(program.printed)\(words)")
        try await program.printing("Ready after")
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }

    @Test(
        "a person over their quota is told so, and the next start succeeds",
        .enabled(if: FailingDisk.hasTracer, "strace is not installed"), .timeLimit(.minutes(2)),
        arguments: ["agent.token.tmp", "broker/database.secret.tmp", "running.json.tmp"])
    func quota(file: String) async throws {
        let place = household.data.appending(path: file)
        let program = try Program(
            ["up", "--bank", "mock", "--no-open"], environment: household.environment,
            through: [
                "/usr/bin/strace", "--follow-forks", "--output=/dev/null", "--trace=write,pwrite64",
                "--trace-path=\(place.path)", "--inject=write,pwrite64:error=EDQUOT",
            ])
        #expect(try await program.status() == 1)
        let words = program.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("Disk quota exceeded; free some space on its disk, and try again"), "\(words)")
        let (again, _) = try await household.up()
        again.signal(SIGTERM)
        #expect(try await again.status() == 0)
    }

    @Test(
        "a folder that can only be read is named with what helps, and works again when it is mounted for writing",
        .enabled("no program may make a mount namespace here", FailingDisk.isPossible), .timeLimit(.minutes(4)),
        arguments: [
            ("", "its disk can only be read, so mount it for writing"),
            ("inbox", "Is its disk mounted, and is the folder yours?"),
            ("statements", "its disk can only be read, so mount it for writing"),
        ])
    func readOnly(folder: String, words: String) async throws {
        let (first, _) = try await household.up()
        try await OwnBankHousehold.stop(first)
        let place = folder.isEmpty ? household.data : household.data.appending(path: folder)
        let program = try Program(
            ["up", "--no-open"], environment: household.environment, through: FailingDisk.readOnly(place))
        #expect(try await program.status() == 1)
        let said = program.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(said.contains("Read-only file system") && said.contains(words), "\(said)")
        let shown = try Program(["status"], environment: household.environment, through: FailingDisk.readOnly(place))
        #expect(try await shown.status() == 1)
        if ["inbox", "statements"].contains(folder) {
            #expect(shown.printed.contains("\(place.path) cannot be written"), "\(shown.printed)")
        }
        let (again, _) = try await household.up()
        try await OwnBankHousehold.stop(again)
    }

    @Test(
        "an inbox or an archive that is away is asked after, and nothing is made in its place", .timeLimit(.minutes(3)),
        arguments: [("--inbox", "cannot come through the inbox"), ("--statements", "mount its disk")])
    func folderAway(option: String, words: String) async throws {
        let (place, disk) = (household.home.appending(path: "Folder"), household.home.appending(path: "unmounted"))
        let (first, _) = try await household.up(option, place.path)
        try await OwnBankHousehold.stop(first)
        try FileManager.default.moveItem(at: place, to: disk)
        let refused = try await household.run("up", "--no-open")
        let said = refused.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(refused.status == 1 && said.contains(words) && said.contains(place.path), "\(refused)")
        let shown = try await household.run("status")
        #expect(shown.output.contains("\(place.path) is not there; is its disk mounted?"), "\(shown)")
        #expect(!FileManager.default.fileExists(atPath: place.path), "nothing is made where the disk belongs")
        try FileManager.default.moveItem(at: disk, to: place)
        let (again, _) = try await household.up()
        try await OwnBankHousehold.stop(again)
    }

    @Test(
        "an inbox or an archive that vanishes while the household runs costs no statement", .timeLimit(.minutes(4)),
        arguments: [true, false])
    func vanishing(isInbox: Bool) async throws {
        let (place, disk) = (household.home.appending(path: "Folder"), household.home.appending(path: "unmounted"))
        let (program, events) = try await household.up(isInbox ? "--inbox" : "--statements", place.path)
        let asked = try await household.run("request", "2026-01", "--json")
        #expect(asked.status == 0, "\(asked)")
        try FileManager.default.moveItem(at: place, to: disk)
        let approving = try Program(
            ["approve", "--passphrase-file", household.passphraseFile.path], environment: household.environment,
            atTerminal: true)
        if !isInbox {
            try await approving.printing("Code:")
            try approving.write("123456")
        }
        let status = try await approving.status()
        let said = approving.printed.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if isInbox {
            // It is missed before the bank is asked for anything.
            #expect(status == 1 && said.contains("\(place.path) does not exist"), "\(said)")
            #expect(said.contains("check that the synced folder is mounted"), "\(said)")
            try FileManager.default.moveItem(at: disk, to: place)
            #expect(try await household.run("request", "2026-01", "--refetch", "--json").status == 0)
            let again = try Program(
                ["approve", "--passphrase-file", household.passphraseFile.path], environment: household.environment,
                atTerminal: true)
            try await again.printing("Code:")
            try again.write("123456")
            #expect(try await again.status() == 0, "\(again.printed)")
        } else {
            #expect(status == 0, "\(said)")
        }
        try await household.awaitStatement()
        if !isInbox {
            // The document is kept by its request, and filed when the disk is there again.
            #expect(!FileManager.default.fileExists(atPath: place.path), "nothing is made where the disk belongs")
            try FileManager.default.moveItem(at: disk, to: place)
            try await OwnBankHousehold.stop(program)
            let (again, _) = try await household.up()
            let filed = place.appending(path: "default/2026/2026-01 statement.pdf")
            let end = ContinuousClock.now + .seconds(60)
            while !FileManager.default.fileExists(atPath: filed.path) {
                try #require(ContinuousClock.now < end, "the statement was not filed when the disk was there again")
                try await Task.sleep(for: .milliseconds(100))
            }
            try await OwnBankHousehold.stop(again)
        } else {
            try await OwnBankHousehold.stop(program)
        }
        _ = events
    }
}
