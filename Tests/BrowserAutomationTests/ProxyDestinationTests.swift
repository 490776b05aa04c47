import Foundation
import HTMLEngine
import Testing
import WebURL

@testable import BrowserAutomation

@Suite("A request to the browser's proxy")
struct ProxyDestinationTests {
    private func policy(_ origins: String..., testing: Bool = false) throws -> EgressPolicy {
        EgressPolicy(origins: try origins.map(Origin.init(parsing:)), allowsLoopbackHTTP: testing)
    }

    private func read(_ head: String, _ policy: EgressPolicy) -> ProxyDestination.Reading {
        ProxyDestination.read(Array(head.utf8), policy)
    }

    @Test("opens a tunnel to an origin of the script")
    func tunnel() throws {
        guard
            case .allowed(let destination) = read(
                "CONNECT bank.example:443 HTTP/1.1\r\nHost: bank.example:443\r\n\r\n",
                try policy("https://bank.example"))
        else {
            Issue.record("the tunnel was not allowed")
            return
        }
        #expect(destination.host == "bank.example" && destination.port == 443)
        #expect(destination.isTunnel && destination.head == nil)
    }

    @Test(
        "is refused for every other place",
        arguments: [
            "CONNECT evil.example:443", "CONNECT bank.example:80", "CONNECT bank.example:8443",
            "CONNECT bank.example.evil.example:443", "GET http://bank.example/", "GET http://evil.example/?secret",
        ])
    func refused(line: String) throws {
        guard case .refused = read("\(line) HTTP/1.1\r\n\r\n", try policy("https://bank.example")) else {
            Issue.record("\(line) was not refused")
            return
        }
    }

    @Test("is refused for this machine over plain HTTP, unless the script is for testing")
    func loopback() throws {
        let head = "GET http://127.0.0.1:8000/a?b=c HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nConnection: keep-alive\r\n\r\n"
        guard case .refused = read(head, try policy("http://127.0.0.1:8000")) else {
            Issue.record("plain HTTP was not refused")
            return
        }
        guard case .allowed(let destination) = read(head, try policy("http://127.0.0.1:8000", testing: true)) else {
            Issue.record("plain HTTP was refused to a script for testing")
            return
        }
        #expect(
            destination.head.map { String(decoding: $0, as: UTF8.self) }
                == "GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nConnection: close\r\n\r\n")
    }

    @Test(
        "is refused when a server could read another head in it",
        arguments: [
            "X: a\nConnection: keep-alive", "X: a\n\nGET /other HTTP/1.1", "X: a\rConnection: keep-alive", "X: a\0b",
            "Connection : keep-alive", " folded", "\tConnection: keep-alive", "no colon", ": no name",
        ])
    func ambiguous(field: String) throws {
        let head = "GET http://127.0.0.1:8000/ HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\(field)\r\n\r\n"
        guard case .malformed = read(head, try policy("http://127.0.0.1:8000", testing: true)) else {
            Issue.record("“\(field)” was passed on")
            return
        }
    }

    @Test("is refused as nonsense", arguments: ["", "hello", "CONNECT", "GET / HTTP/1.1", "CONNECT a b c HTTP/1.1"])
    func malformed(line: String) throws {
        guard case .malformed = read("\(line)\r\n\r\n", try policy("https://bank.example")) else {
            Issue.record("“\(line)” was understood")
            return
        }
    }
}

@Suite("Chromium and its driver")
struct BrowserProgramsTests {
    @Test("are missing with a message that says what to install")
    func missing() {
        #expect {
            try BrowserPrograms.find(in: ["PATH": "/nowhere"])
        } throws: { error in
            (error as? BrowserError)?.code == .missing && "\(error)".contains("apt install chromium")
        }
    }

    @Test("are missing when a variable names no program")
    func variable() {
        #expect {
            try BrowserPrograms.find(in: ["COUNTERSIGN_CHROMIUM": "/nowhere/chromium"])
        } throws: { "\($0)".contains("COUNTERSIGN_CHROMIUM names /nowhere/chromium") }
    }
}

@Suite("The private profile")
struct PrivateProfileTests {
    @Test("is removed by the next start, when its run was killed, and kept while its run lives")
    func stale() throws {
        let base = FileManager.default.temporaryDirectory.appending(path: "profiles-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: base) }
        let living = try PrivateProfile(in: base)
        let killed = base.appending(path: "countersign-browser-0000dead")
        try FileManager.default.createDirectory(
            at: killed, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Data().write(to: killed.appending(path: "run.lock"))
        let next = try PrivateProfile(in: base)
        #expect(!FileManager.default.fileExists(atPath: killed.path))
        #expect(FileManager.default.fileExists(atPath: living.folder.path))
        let mode = try FileManager.default.attributesOfItem(atPath: next.folder.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        living.remove()
        next.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: base.path).isEmpty)
    }
}
