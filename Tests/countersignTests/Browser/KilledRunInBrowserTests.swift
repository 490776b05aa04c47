import Foundation
import MockBank
import TestSupport
import Testing

/// A run in a browser leaves nothing behind: not when it ends, and not when it is killed at any moment.
@Suite("A run in the browser that is killed", .serialized)
struct KilledRunInBrowserTests {
    private static let base = "/dev/shm"
    private static let username = "kanarienvogel-äöü/7"
    private static let password = "gelbe feder & <käfig> + 42"
    private static let code = "918273"
    /// The longest time for the shell that watches over the driver to tidy up.
    private static let tidying: Duration = .seconds(20)

    @Test(
        "leaves no profile, no process and no secret, and the next run works", .needsChromedriver,
        .timeLimit(.minutes(4)))
    func killed() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = MockBankConfiguration()
        configuration.username = Self.username
        configuration.password = Self.password
        configuration.oneTimeCode = Self.code
        let bank = try await MockBankServer.start(configuration)
        let began = ContinuousClock.now
        var profiles = try await run(at: bank.url, in: folder, trace: "whole", killedAfter: nil)
        let whole = ContinuousClock.now - began
        #expect(profiles.count == 1, "the test has to see the profile, to look for it afterwards")
        for number in 0..<10 {
            let moment = whole * Double.random(in: 0...1)
            profiles.formUnion(
                try await run(at: bank.url, in: folder, trace: "killed-\(number)", killedAfter: moment))
        }
        // SIGKILL writes no core file anywhere, and SIGABRT does where a program allows it.
        for number in 0..<2 {
            profiles.formUnion(
                try await run(
                    at: bank.url, in: folder, trace: "killed-by-abort-\(number)",
                    killedAfter: whole * Double.random(in: 0.3...0.9), by: SIGABRT))
        }
        profiles.formUnion(try await run(at: bank.url, in: folder, trace: "after", killedAfter: nil))
        await bank.stop()
        for profile in profiles {
            let isLeft = FileManager.default.fileExists(atPath: profile)
            #expect(!isLeft, "\(profile) is left")
        }
        let traces = folder.names.filter { !$0.hasPrefix("killed") }
        #expect(traces.contains("whole") && traces.contains("after"), "\(folder.names)")
        #expect(try Self.secrets(in: folder.url) == [])
        #expect(try Self.secrets(in: URL(filePath: FileManager.default.currentDirectoryPath), named: "core") == [])
    }

    /// Runs the script to its end or to a moment, and returns the folders of its browser that were seen.
    private func run(
        at bank: String, in folder: TemporaryFolder, trace: String, killedAfter moment: Duration?,
        by signal: Int32 = SIGKILL
    ) async throws -> Set<String> {
        // A kill may not leave a core file either, where the system writes them.
        let launcher = ["/bin/sh", "-c", #"ulimit -c unlimited; exec "$@""#, "sh"]
        let program = try Program(
            [
                "script", "run", "default", "--at", bank, "--engine", "browser", "--credentials", "-", "--param",
                "month=11",
                "--param", "year=2025", "--dry-run", "--trace", folder.appending(trace).path,
            ],
            environment: [
                "TMPDIR": folder.url.path, "HOME": folder.url.path, "SWIFT_BACKTRACE": "enable=no",
            ], through: launcher)
        let login = ["username": Self.username, "password": Self.password, "code": Self.code]
        try program.write(String(decoding: try JSONEncoder().encode(login), as: UTF8.self))
        program.endInput()
        let watching = Task {
            var seen: Set<String> = []
            while !Task.isCancelled {
                seen.formUnion(Descendant.all.flatMap { Self.profiles(in: $0.command) })
                try? await Task.sleep(for: .milliseconds(10))
            }
            return seen
        }
        if let moment {
            try await Task.sleep(for: moment)
            program.signal(signal)
        }
        let status = try await program.status()
        if moment == nil { #expect(status == 0, "\(program.printed)\(program.errors)") }
        watching.cancel()
        let seen = await watching.value
        let end = ContinuousClock.now + Self.tidying
        while ContinuousClock.now < end, !Self.left(of: seen).isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        #expect(Self.left(of: seen) == [], "killed after \(moment.map { "\($0)" } ?? "its end")")
        return seen
    }

    private static func profiles(in command: String) -> [String] {
        command.matches(of: /\/dev\/shm\/countersign-browser-[0-9a-f]+/).map { String($0.0) }
    }

    /// Returns the folders that are still there, and the processes that still name one.
    private static func left(of profiles: Set<String>) -> [String] {
        let files = FileManager.default
        let processes = ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(Int32.init).compactMap {
            id -> String? in
            guard let line = try? String(contentsOfFile: "/proc/\(id)/cmdline", encoding: .utf8) else { return nil }
            let command = line.replacing("\0", with: " ")
            return profiles.isDisjoint(with: Self.profiles(in: command)) ? nil : "\(id): \(command.prefix(120))"
        }
        return profiles.filter { files.fileExists(atPath: $0) }.sorted() + processes
    }

    // MARK: Secrets in files

    /// Returns each file that holds a secret, with the encoding.
    private static func secrets(in folder: URL, named prefix: String = "") throws -> [String] {
        let files = FileManager.default
        guard let all = files.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey]) else { return [] }
        var found: [String] = []
        for case let file as URL in all {
            if !prefix.isEmpty, file.lastPathComponent == ".build" { all.skipDescendants() }
            guard file.lastPathComponent.hasPrefix(prefix),
                (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true,
                let data = try? Data(contentsOf: file)
            else { continue }
            for secret in [username, password, code] {
                for (name, bytes) in encodings(of: secret) where data.range(of: bytes) != nil {
                    found.append("\(file.path) has “\(secret)” as \(name)")
                }
            }
        }
        return found
    }

    @Test("would be noticed in each of eight encodings")
    func encodings() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let encodings = Self.encodings(of: Self.password)
        #expect(Set(encodings.map(\.name)).count == 8)
        for (name, bytes) in encodings {
            try (Data("before ".utf8) + bytes + Data(" after".utf8)).write(to: folder.appending("file"))
            #expect(try Self.secrets(in: folder.url).contains { $0.hasSuffix("as \(name)") })
        }
    }

    private static func encodings(of secret: String) -> [(name: String, bytes: Data)] {
        let utf8 = Data(secret.utf8)
        let base64 = utf8.base64EncodedString().trimmingCharacters(in: ["="])
        let hex = utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let html = secret.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        let json = secret.unicodeScalars.map { scalar in
            scalar.isASCII ? String(scalar) : "\\u" + String(repeating: "0", count: 2) + String(scalar.value, radix: 16)
        }.joined()
        return [
            ("UTF-8", utf8), ("UTF-16", secret.data(using: .utf16LittleEndian) ?? utf8), ("Base64", Data(base64.utf8)),
            ("Base64 for URLs", Data(base64.replacing("+", with: "-").replacing("/", with: "_").utf8)),
            ("hexadecimal", Data(hex.utf8)),
            ("percent signs", Data((secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "").utf8)),
            ("HTML", Data(html.utf8)), ("JSON", Data(json.utf8)),
        ]
    }
}
