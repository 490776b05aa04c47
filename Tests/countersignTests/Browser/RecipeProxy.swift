import Foundation
import Machine
import TestServers
import TestSupport
import Testing

@testable import ApprovalPage

/// A proxy with the settings of the guide `docs/phone-in-your-pocket.md`, changed in names, ports and files only; or nginx in
/// the place of `tailscale serve`, which the guide only starts.
final class RecipeProxy: Sendable {
    /// Another program listens at the port that was free a moment before.
    struct PortTaken: Error {}

    /// The guide's proxies whose program is installed.
    static var installed: [String] {
        ["nginx", "caddy", tailscale].filter { Peers.program(executable(of: $0)) != nil }
    }

    static let tailscale = "tailscale"

    private let process: RunningProgram
    private let isCaddy: Bool
    /// The output of Caddy, and of nginx before it has read its settings.
    private let output: URL
    private let folder: TemporaryFolder
    private let port: Int

    convenience init(_ program: String, at port: Int, host: String, to page: Int, _ own: OwnCertificate) throws {
        try self.init(program, at: port, host: host, to: page, own.file, own.keyFile)
    }

    init(_ program: String, at port: Int, host: String, to page: Int, _ certificate: URL, _ key: URL) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        self.port = port
        isCaddy = program == "caddy"
        output = folder.appending("output.log")
        try Data().write(to: output)
        let recipe = try Self.recipe(for: program).replacing("8766", with: "\(page)")
        let file = folder.appending("proxy.conf")
        let arguments: [String]
        if program == "caddy" {
            let named = recipe.replacing(
                "phone.example {", with: "https://\(host):\(port) {\n\ttls \(certificate.path) \(key.path)")
            let global = "{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system \(folder.url.path)\n}\n"
            try Data((global + named).utf8).write(to: file)
            arguments = ["run", "--config", file.path, "--adapter", "caddyfile"]
        } else {
            let named = recipe.replacing("listen 443 ssl", with: "listen 127.0.0.1:\(port) ssl")
                .replacing("/etc/ssl/private/phone.example.pem", with: certificate.path)
                .replacing("/etc/ssl/private/phone.example.key.pem", with: key.path)
                .replacing("phone.example", with: host)
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
                "\($0)_temp_path \(folder.url.path)/\($0);"
            }.joined(separator: "\n")
            let whole = """
                daemon off;
                master_process off;
                pid \(folder.url.path)/nginx.pid;
                error_log \(folder.url.path)/error.log;
                events {}
                http {
                access_log off;
                \(temporary)
                \(named)
                }
                """
            try Data(whole.utf8).write(to: file)
            arguments = ["-c", file.path, "-p", folder.url.path]
        }
        let place: URL = try #require(Peers.program(Self.executable(of: program)))
        let log = try FileHandle(forWritingTo: output)
        defer { try? log.close() }
        process = try RunningProgram(
            [place.path] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(["HOME": folder.url.path]) { $1 }, in: nil,
            output: .file(log.fileDescriptor), errors: .withOutput)
    }

    private static func executable(of program: String) -> String { program == tailscale ? "nginx" : program }

    private static func recipe(for program: String) throws -> String {
        guard program != tailscale else { return TailscaleStandIn.server }
        let language = program == "caddy" ? "caddyfile" : "nginx"
        let guide = try String(contentsOf: Repository.file("docs/phone-in-your-pocket.md"), encoding: .utf8)
        let block = try #require(
            guide.split(separator: "```\(language)\n").dropFirst().first?.split(separator: "```").first)
        return String(block)
    }

    /// Waits until the proxy itself listens: another program at the port would answer too.
    ///
    /// - Throws: ``PortTaken`` for which a caller tries another port.
    func isReady() async throws {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            let told = [output, folder.appending("error.log")].map {
                (try? String(contentsOf: $0, encoding: .utf8)) ?? ""
            }
            .joined()
            if told.localizedCaseInsensitiveContains("address already in use") { throw PortTaken() }
            // nginx writes its process id once it has its ports.
            let hasBegun =
                isCaddy
                ? told.contains("serving initial configuration")
                : FileManager.default.fileExists(atPath: folder.appending("nginx.pid").path)
            if hasBegun, let descriptor = try? LoopbackSocket.connected(to: port) {
                close(descriptor)
                return
            }
            try #require(process.isRunning, "the proxy has ended: \(told)")
            try await Task.sleep(for: .milliseconds(50))
        }
        throw WebDriver.Failure(description: "the proxy does not listen")
    }

    /// Runs `body` with a free port, and again with another one where a program was quicker.
    static func atFreePort(_ body: (Int) async throws -> Void) async throws {
        for _ in 0..<5 {
            do { return try await body(try FreePort.find()) } catch is PortTaken { continue }
        }
        throw PortTaken()
    }

    func stop() {
        process.kill()
        folder.remove()
    }
}
