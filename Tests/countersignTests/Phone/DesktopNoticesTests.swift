import Foundation
import TestSupport
import Testing

@testable import countersign

@Suite("Notices of the desktop")
struct DesktopNoticesTests {
    /// A folder with a program in the place of notify-send, which appends a line of its arguments for each notice.
    private static func withProgram(_ body: (TemporaryFolder, URL) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (program, log) = (folder.appending("notify-send"), folder.appending("notices.log"))
        try Data("#!/bin/sh\nIFS='|'; echo \"$*\" >> '\(log.path)'\n".utf8).write(to: program)
        chmod(program.path, 0o755)
        try await body(folder, log)
    }

    private static func lines(of log: URL) -> [String] {
        ((try? String(contentsOf: log, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    @Test("say that a request waits, and nothing about it, at most twelve times in an hour", .timeLimit(.minutes(1)))
    func told() async throws {
        try await Self.withProgram { folder, log in
            let path = "relative:\(folder.url.path):/usr/bin"
            let notices = try #require(DesktopNotices(["WAYLAND_DISPLAY": "wayland-0", "PATH": path]))
            for _ in 0..<20 { notices.tellOfRequest() }
            let end = ContinuousClock.now + .seconds(40)
            while Self.lines(of: log).count < 12, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(20))
            }
            let told = Self.lines(of: log)
            #expect(told.count == 12 && Set(told).count == 1)
            #expect(told.first == "--app-name=Countersign|A request waits|Open the approval page to see and decide it.")
        }
    }

    @Test("they need a session, and the program")
    func none() async throws {
        try await Self.withProgram { folder, _ in
            #expect(DesktopNotices(["PATH": folder.url.path]) == nil)
            #expect(DesktopNotices(["DISPLAY": "", "PATH": folder.url.path]) == nil)
            #expect(DesktopNotices(["DISPLAY": ":0", "PATH": "/nowhere"]) == nil)
            #expect(DesktopNotices(["DISPLAY": ":0"]) == nil)
        }
    }
}
