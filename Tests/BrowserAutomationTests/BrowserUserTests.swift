#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    @testable import BrowserAutomation

    @Suite("The user as whom the browser runs")
    struct BrowserUserTests {
        @Test("is another one for root, and this one for every other user")
        func choice() {
            #expect(BrowserUser.find(effective: 1000) == nil)
            for name in ["nonexistent", "root"] {
                #expect(BrowserUser.find(effective: 0, named: name) == BrowserUser(user: 65_534, group: 65_534))
            }
            #expect(BrowserUser.find(effective: 0, named: "daemon")?.user != 0)
        }

        /// The real, effective, saved and file system's user of a process (proc_pid_status(5)).
        private static func users(of process: Int32) throws -> [String] {
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("Uid:") } ?? ""
            return line.split(separator: "\t").dropFirst().map(String.init)
        }

        @Test(
            "is not root, and has Chromium's own sandbox",
            .enabled(if: geteuid() == 0 && (try? BrowserPrograms.find()) != nil, "only for root with Chromium"))
        func running() async throws {
            let user = try #require(BrowserUser.find())
            try await BrowserVisit.run(
                page: { _ in "<title>Bank</title>" },
                { browser, origin in
                    try await browser.open(origin + "/")
                    let folder = await browser.downloads.deletingLastPathComponent().path
                    let browsers = Descendant.all.filter { $0.command.contains("--user-data-dir=\(folder)") }
                    #expect(!browsers.isEmpty)
                    #expect(browsers.allSatisfy { !$0.command.contains("--no-sandbox") })
                    let users = Set(browsers.map { (try? Self.users(of: $0.id)) ?? [] })
                    #expect(users == [[String](repeating: "\(user.user)", count: 4)])
                })
        }
    }
#endif
