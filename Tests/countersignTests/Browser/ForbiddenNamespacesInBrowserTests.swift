import Foundation
import TestSupport
import Testing

/// A system that allows no user namespaces, so that the browser cannot have a network of its own.
@Suite("A system without user namespaces", .serialized)
struct ForbiddenNamespacesInBrowserTests {
    @Test("stops a run with an error that names the way on", .needsChromedriver, .timeLimit(.minutes(3)))
    func refusal() async throws {
        let run = try await run([])
        #expect(run.status == 1)
        #expect(run.text.contains("the browser cannot have a network of its own"), "\(run.text)")
        #expect(run.text.contains("or use --shared-network and accept"), "\(run.text)")
    }

    @Test(
        "never runs the browser as root without its sandbox", .needsChromedriver, .timeLimit(.minutes(3)),
        arguments: [[], ["--shared-network"]])
    func root(options: [String]) async throws {
        let run = try await run(options, asRoot: true)
        #expect(run.status == 1)
        #expect(run.text.contains("as root the browser would run without its sandbox"), "\(run.text)")
        #expect(run.text.contains("run countersign as another user than root"), "\(run.text)")
    }

    /// Runs a script in a user namespace that may have no other inside.
    private func run(_ options: [String], asRoot: Bool = false) async throws -> ChildProcess.Outcome {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let login = #"{"username": "robin.ashdown", "password": "correct horse", "code": "123456"}"#
        try Data(login.utf8).write(to: folder.appending("login.json"))
        let isOther = geteuid() == 0 && !asRoot
        let other = isOther ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] : []
        if isOther {
            for file in [folder.url, folder.appending("login.json")] { chown(file.path, 65_534, 65_534) }
        }
        let command = [
            Repository.countersign.path, "script", "run", "default", "--at", "http://localhost:1", "--engine",
            "browser",
            "--credentials", "login.json", "--param", "month=1", "--param", "year=2026", "--dry-run",
        ]
        let forbid = #"echo 0 >/proc/sys/user/max_user_namespaces && exec "$@""#
        return try await ChildProcess.run(
            URL(filePath: "/usr/bin/env"),
            ["HOME=\(folder.url.path)"] + other + ["unshare", "--user"]
                + (asRoot ? ["--map-root-user"] : ["--map-current-user", "--keep-caps"])
                + ["--", "sh", "-c", forbid, "sh"] + command + options, in: folder.url)
    }
}
