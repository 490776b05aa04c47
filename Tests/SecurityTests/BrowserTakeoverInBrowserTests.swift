import BankScript
import BrowserAutomation
import Foundation
import TestServers
import TestSupport
import Testing

/// Another user of the machine asks every port of the browser and its driver for a session.
@Suite("Another user takes over the browser", .serialized)
struct BrowserTakeoverInBrowserTests {
    @Test("finds no port that answers", .needsChromedriver, .timeLimit(.minutes(3)))
    func ownNetwork() async throws {
        #expect(try await answers(sharesNetwork: false) == [])
    }

    @Test("finds the driver's and DevTools' where the network is shared", .needsChromedriver, .timeLimit(.minutes(3)))
    func sharedNetwork() async throws {
        let answers = try await answers(sharesNetwork: true)
        #expect(answers.contains { $0.contains("ChromeDriver ready") }, "\(answers)")
        #expect(answers.contains { $0.contains("webSocketDebuggerUrl") }, "\(answers)")
    }

    /// Returns what the ports of a running browser answer to a program outside.
    private func answers(sharesNetwork: Bool) async throws -> [String] {
        let before = Set(Descendant.all)
        let script = BankScript(
            "bank", named: "Bank", at: "http://localhost:1", isForTesting: true, steps: { Open("/") })
        let engine = try await BrowserNavigationEngine.start(
            for: script, configuration: .init(sharesNetwork: sharesNetwork))
        let ports = Set(Descendant.all).subtracting(before).reduce(into: Set<Int>()) { $0.formUnion(Self.ports($1.id)) }
        #expect(ports.count >= 2, "the driver and the browser listen inside")
        var answers: [String] = []
        for port in ports {
            for path in ["/status", "/json/version"] {
                guard let connection = try? RawConnection(port: port),
                    connection.write("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                else { continue }
                answers.append(await connection.read(within: 2))
            }
        }
        await engine.close()
        return answers
    }

    /// The TCP ports on which a process listens, in its own network.
    private static func ports(_ process: Int32) -> Set<Int> {
        let folder = "/proc/\(process)/fd"
        let sockets = Set(
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            })
        let table = (try? String(contentsOfFile: "/proc/\(process)/net/tcp", encoding: .utf8)) ?? ""
        let ports = table.split(separator: "\n").dropFirst().compactMap { line -> Int? in
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[3] == "0A", sockets.contains("socket:[\(fields[9])]") else { return nil }
            return Int(fields[1].suffix(4), radix: 16)
        }
        return Set(ports)
    }
}
