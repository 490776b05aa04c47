import Foundation
import Machine
import TestSupport
import Testing

/// A PostgreSQL of the tests' own, in a temporary folder and on a Unix socket only. It ends with the tests, also when
/// they are killed: the shell around it waits for the end of its standard input.
package final class LoopbackPostgres: Sendable {
    private static let folder = "/usr/lib/postgresql"

    /// The folder with the server's programs, or nil when PostgreSQL is not installed.
    package static let programs: String? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard let version = versions.compactMap(Int.init).max() else { return nil }
        let programs = "\(folder)/\(version)/bin"
        return FileManager.default.isExecutableFile(atPath: "\(programs)/initdb") ? programs : nil
    }()

    /// One server for all tests that only need databases of their own.
    private static let shared = Task { try await LoopbackPostgres() }

    /// Makes an empty database on the shared server, and returns its URI.
    ///
    /// - Parameter isForEveryone: true when processes of other users have to reach its socket.
    package static func makeDatabase(forEveryone isForEveryone: Bool = false) async throws -> String {
        let server = try await shared.value
        if isForEveryone { chmod(server.socket, 0o711) }
        return try await server.makeDatabase()
    }

    private let socket: String
    private let shell: RunningProgram

    /// Starts a server.
    package init() async throws {
        let programs = try #require(Self.programs)
        // The shell stays to stop the server and to remove its folder.
        shell = try RunningProgram(
            ["/bin/sh", "-c", Self.script, "postgres", programs],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C"],
            in: nil, input: .written, errors: .shown, endsWithParent: false)
        socket = try #require(try await Self.answer(of: shell), "PostgreSQL did not start")
    }

    deinit { shell.endInput() }

    private static func answer(of shell: RunningProgram) async throws -> String? {
        try await BlockingWork.run { shell.line() }
    }

    /// Makes an empty database, and returns its URI.
    package func makeDatabase() async throws -> String {
        let name = "test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        let programs = try #require(Self.programs)
        let outcome = try await ChildProcess.run(
            URL(filePath: "\(programs)/createdb"), ["-h", socket, "-U", "countersign", "-T", "template0", name])
        try #require(outcome.status == 0, Comment(rawValue: outcome.text))
        return "postgres://countersign@/\(name)?host=\(socket)"
    }

    /// Stops the server as a crash would.
    package func stop() async throws { try await perform("stop") }

    package func start() async throws { try await perform("start") }

    /// Returns the whole content of a database as SQL, as a backup has it.
    package static func dump(_ uri: String) async throws -> Data {
        let programs = try #require(Self.programs)
        let outcome = try await ChildProcess.run(URL(filePath: "\(programs)/pg_dump"), [uri])
        try #require(outcome.status == 0, Comment(rawValue: outcome.text))
        return outcome.output
    }

    private func perform(_ command: String) async throws {
        try shell.write("\(command)\n".utf8)
        try #require(try await Self.answer(of: shell) == "done", "PostgreSQL: \(command) failed")
    }

    /// PostgreSQL refuses to run as root.
    private static let script = """
        set -e
        programs=$1
        folder=$(mktemp -d /tmp/postgres-XXXXXX)
        as=
        if [ "$(id -u)" = 0 ]; then
            chown postgres "$folder"
            as="setpriv --reuid=postgres --regid=postgres --clear-groups"
        fi
        cd "$folder"
        $as "$programs/initdb" -D "$folder/data" --auth=trust --username=countersign --no-sync --encoding=UTF8 \
            --locale=C >&2
        start() {
            $as "$programs/pg_ctl" -w -s -D "$folder/data" -l "$folder/log" \
                -o "-k $folder -c listen_addresses= -c fsync=off -c shared_buffers=16MB -c max_connections=60" start >&2
        }
        stop() { $as "$programs/pg_ctl" -w -s -m immediate -D "$folder/data" stop >&2; }
        trap 'stop || true; rm -rf "$folder"' EXIT
        start
        echo "$folder"
        while read -r command; do
            case $command in
                start) start && echo done || echo failed ;;
                stop) stop && echo done || echo failed ;;
            esac
        done
        """
}
