import Foundation
import Machine
import Secrets

/// Settings that cannot be used, with every problem.
package struct AssistantConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    package let problems: [String]

    package var description: String { problems.joined(separator: "\n") }
}

/// Reads environment variables, and collects what is wrong with them. An empty value counts as not set.
package struct SettingsReader {
    private let environment: [String: String]
    private var problems: [String] = []

    package init(_ environment: [String: String]) {
        self.environment = environment
    }

    package func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    package mutating func add(_ problem: String) { problems.append(problem) }

    /// - Throws: ``AssistantConfigurationError`` with every problem so far.
    package func finish() throws(AssistantConfigurationError) {
        guard problems.isEmpty else { throw AssistantConfigurationError(problems: problems) }
    }

    package mutating func whole(_ name: String, in range: ClosedRange<Int>, otherwise: Int) -> Int {
        guard let text = value(name) else { return otherwise }
        guard let number = Int(text), range.contains(number) else {
            add("\(name) is “\(text)”; it must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return otherwise
        }
        return number
    }

    /// Reads the address of a service, which is `https://`, or `http://` and a loopback host.
    package mutating func address(_ name: String, otherwise: String) -> String {
        guard let text = value(name) else { return otherwise }
        guard Self.isSafe(text) else {
            add("\(name) must begin with https://, or http:// and a loopback host")
            return otherwise
        }
        return text
    }

    package mutating func readableFile(_ name: String) -> URL? {
        guard let path = value(name) else { return nil }
        guard access(path, R_OK) == 0 else {
            add("\(name) is \(path), which cannot be read")
            return nil
        }
        return URL(filePath: path)
    }

    /// Reads the first line of the file that a variable names. Only its owner may be able to read that file.
    package mutating func secret(inFile name: String) -> Secret? {
        guard let path = value(name) else { return nil }
        do {
            return try Self.firstLine(of: URL(filePath: path))
        } catch {
            add("\(name): \(error)")
            return nil
        }
    }

    /// Reads the whole file that a variable names, such as a key in PEM. Only its owner may be able to read that file.
    package mutating func wholeSecret(inFile name: String) -> Secret? {
        guard let path = value(name) else { return nil }
        do {
            var bytes = try Self.privateBytes(of: URL(filePath: path))
            defer { bytes.wipe() }
            return Secret(bytes: bytes)
        } catch {
            add("\(name): \(error)")
            return nil
        }
    }

    /// Reads a user's name or number; by default the user who runs this process.
    package mutating func user(_ name: String) -> UInt32 {
        guard let text = value(name) else { return geteuid() }
        if let number = UInt32(text) { return number }
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        guard getpwnam_r(text, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            add("\(name) is “\(text)”; this machine has no user of this name")
            return geteuid()
        }
        return entry.pw_uid
    }

    /// Returns `$XDG_DATA_HOME/countersign/assistant` (XDG Base Directory Specification).
    package var stateFolder: URL {
        let home = environment["HOME"] ?? NSHomeDirectory()
        let data = value("XDG_DATA_HOME") ?? "\(home)/.local/share"
        return URL(filePath: data).appending(path: "countersign/assistant", directoryHint: .isDirectory)
    }

    /// Plain HTTP is for loopback only: the answers decide who is signed in, and tokens travel there.
    package static func isSafe(_ address: String) -> Bool {
        guard let url = URL(string: address), let host = url.host() else { return false }
        return url.scheme == "https" || (url.scheme == "http" && isLoopback(host))
    }

    package static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host == "[::1]" || host.wholeMatch(of: /127(\.[0-9]{1,3}){3}/) != nil
    }

    private static func firstLine(of file: URL) throws -> Secret {
        var bytes = try privateBytes(of: file)
        defer { bytes.wipe() }
        return Secret(bytes: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
    }

    private static func privateBytes(of file: URL) throws -> [UInt8] {
        var status = stat()
        guard stat(file.path, &status) == 0 else { throw FileError("read", file.path) }
        guard status.st_mode & 0o077 == 0 else {
            throw AssistantConfigurationError(
                problems: ["\(file.path) can be read by other users; it needs mode 0600"])
        }
        return try OpenedFile(file).bytes(atMost: 4096)
    }
}
