import ApprovalPage
import Foundation
import TestSupport
import Testing

@testable import PhoneCommands

@Suite("Notices of the desktop", .timeLimit(.minutes(4)))
struct DesktopNoticesTests {
    /// A folder with a program in the place of notify-send, which appends a line of its arguments for each notice.
    private static func withProgram(_ body: (TemporaryFolder, URL) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let log = folder.appending("notices.log")
        try await WrittenProgram.script("IFS='|'; echo \"$*\" >> '\(log.path)'", as: folder.appending("notify-send"))
        try await body(folder, log)
    }

    private static func lines(of log: URL) -> [String] {
        ((try? String(contentsOf: log, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    @Test("say that a request waits, and nothing about it, at most twelve times in an hour")
    func told() async throws {
        try await Self.withProgram { folder, log in
            let path = "relative:\(folder.url.path):/usr/bin"
            let notices = DesktopNotices(["WAYLAND_DISPLAY": "wayland-0", "PATH": path])
            // Each call returns when its program has ended, so a thirteenth notice would be in the log.
            for _ in 0..<20 { await notices.tell(.english) }
            let told = Self.lines(of: log)
            #expect(told.count == 12 && Set(told).count == 1)
            #expect(told.first == "--app-name=Countersign|A request waits|Open the approval page to see and decide it.")
        }
    }

    @Test("of one agent that asks all day hide no request of another")
    func eachAgent() async throws {
        try await Self.withProgram { folder, log in
            let notices = DesktopNotices(["WAYLAND_DISPLAY": "wayland-0", "PATH": "\(folder.url.path):/usr/bin"])
            for _ in 0..<20 { await notices.tell(.english, from: "loud") }
            #expect(Self.lines(of: log).count == 12)
            await notices.tell(.english, from: "books")
            #expect(Self.lines(of: log).count == 13)
        }
    }

    @Test(
        "need a session, and the program",
        arguments: [(nil, true, 0), ("", true, 0), (":0", false, 0), (":0", true, 1)] as [(String?, Bool, Int)])
    func needs(display: String?, isInstalled: Bool, count: Int) async throws {
        try await Self.withProgram { folder, log in
            var environment = ["PATH": isInstalled ? folder.url.path : "/nowhere"]
            environment["DISPLAY"] = display
            await DesktopNotices(environment).tell(.english)
            #expect(Self.lines(of: log).count == count)
        }
    }

    @Test("are shown in a session that begins later, by the variables that systemd has of it")
    func laterSession() async throws {
        try await Self.withProgram { folder, log in
            let (variables, seen) = (folder.appending("variables"), folder.appending("seen.log"))
            try await WrittenProgram.script(
                "[ \"$*\" = '--user show-environment' ] && cat '\(variables.path)'", as: folder.appending("systemctl"))
            try await WrittenProgram.script(
                "echo \"$DISPLAY $DBUS_SESSION_BUS_ADDRESS $OTHER\" >> '\(seen.path)'",
                as: folder.appending("notify-send"))
            let notices = DesktopNotices(
                ["PATH": "\(folder.url.path):/usr/bin:/bin", "OTHER": "own"], lookingAgainAfter: .zero)
            try Data("LANG=C.UTF-8\nDISPLAY=\n".utf8).write(to: variables)
            await notices.tell(.english)
            #expect(Self.lines(of: seen).isEmpty)
            let session = "OTHER=theirs\nDISPLAY=:7\nDBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus\n"
            try Data(session.utf8).write(to: variables)
            await notices.tell(.english)
            #expect(Self.lines(of: seen) == [":7 unix:path=/run/user/1000/bus own"])
        }
    }

    @Test("without a session or a desktop that takes them count for nothing, so twelve are left when one does")
    func unseen() async throws {
        try await Self.withProgram { folder, log in
            let (variables, broken) = (folder.appending("variables"), folder.appending("broken"))
            try await WrittenProgram.script("cat '\(variables.path)'", as: folder.appending("systemctl"))
            try await WrittenProgram.script(
                "[ -e '\(broken.path)' ] && exit 1; echo shown >> '\(log.path)'", as: folder.appending("notify-send"))
            let notices = DesktopNotices(
                ["PATH": "\(folder.url.path):/usr/bin:/bin"], lookingAgainAfter: .zero)
            for _ in 0..<15 { await notices.tell(.english) }
            try Data("WAYLAND_DISPLAY=wayland-1\n".utf8).write(to: variables)
            try Data().write(to: broken)
            for _ in 0..<15 { await notices.tell(.english) }
            #expect(Self.lines(of: log).isEmpty)
            try FileManager.default.removeItem(at: broken)
            for _ in 0..<15 { await notices.tell(.english) }
            #expect(Self.lines(of: log).count == 12)
        }
    }

    @Test("look for a session once in a while only, and no more often than notices may be shown")
    func looks() async throws {
        try await Self.withProgram { folder, log in
            let (looks, variables) = (folder.appending("looks.log"), folder.appending("variables"))
            try await WrittenProgram.script(
                "echo look >> '\(looks.path)'; cat '\(variables.path)'", as: folder.appending("systemctl"))
            let environment = ["PATH": "\(folder.url.path):/usr/bin:/bin"]
            let without = DesktopNotices(environment, lookingAgainAfter: .seconds(3600))
            for _ in 0..<20 { await without.tell(.english) }
            #expect(Self.lines(of: looks).count == 1)
            try Data("DISPLAY=:7\n".utf8).write(to: variables)
            let notices = DesktopNotices(environment)
            for _ in 0..<20 { await notices.tell(.english) }
            #expect(Self.lines(of: looks).count == 13 && Self.lines(of: log).count == 12)
        }
    }

    @Test("are made one at a time: a request that comes meanwhile starts no program")
    func oneAtATime() async throws {
        try await Self.withProgram { folder, log in
            let (looks, go) = (folder.appending("looks.log"), folder.appending("go"))
            try await WrittenProgram.script(
                "echo look >> '\(looks.path)'; while [ ! -e '\(go.path)' ]; do sleep 0.02; done; echo DISPLAY=:7",
                as: folder.appending("systemctl"))
            let notices = DesktopNotices(["PATH": "\(folder.url.path):/usr/bin:/bin"])
            async let first: Void = notices.tell(.english)
            let end = ContinuousClock.now + .seconds(60)
            while Self.lines(of: looks).isEmpty, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(10))
            }
            for _ in 0..<5 { await notices.tell(.english) }
            #expect(Self.lines(of: looks).count == 1)
            try Data().write(to: go)
            await first
            #expect(Self.lines(of: looks).count == 1)
        }
    }
}
