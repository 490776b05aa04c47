import Files
import Foundation
import Secrets

extension AssistantConfiguration {
    /// Reads the variables.
    ///
    /// - Throws: ``AssistantConfigurationError`` with every problem.
    package init(environment: [String: String]) throws(AssistantConfigurationError) {
        var problems: [String] = []
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        func whole(_ name: String, in range: ClosedRange<Int>, otherwise: Int) -> Int {
            guard let text = value(name) else { return otherwise }
            guard let number = Int(text), range.contains(number) else {
                problems.append(
                    "\(name) is “\(text)”; it must be a whole number from \(range.lowerBound) to \(range.upperBound)")
                return otherwise
            }
            return number
        }
        let state = Self.stateFolder(environment)
        self.init(
            databaseURL: value("ASSISTANT_DATABASE_URL") ?? "sqlite:\(state.appending(path: "assistant.sqlite").path)",
            state: state)
        host = value("ASSISTANT_HOST") ?? host
        port = whole("ASSISTANT_PORT", in: 0...65_535, otherwise: port)
        auditDays = whole("ASSISTANT_AUDIT_DAYS", in: 1...36_500, otherwise: auditDays)
        if let text = value("ASSISTANT_SIGNUP") {
            if let rule = SignupRule(rawValue: text) {
                signup = rule
            } else {
                problems.append("ASSISTANT_SIGNUP is “\(text)”; it must be open, invite or closed")
            }
        }
        if let path = value("ASSISTANT_DATABASE_PASSWORD_FILE") {
            do {
                databasePassword = try Self.password(in: URL(filePath: path))
            } catch {
                problems.append("ASSISTANT_DATABASE_PASSWORD_FILE: \(error)")
            }
        }
        if let path = value("ASSISTANT_CA_FILE") {
            if access(path, R_OK) == 0 {
                authorities = URL(filePath: path)
            } else {
                problems.append("ASSISTANT_CA_FILE is \(path), which cannot be read")
            }
        }
        if let audience = value("ASSISTANT_APPLE_AUDIENCE") {
            var apple = AppleSettings(audience: audience)
            apple.issuer = value("ASSISTANT_APPLE_ISSUER") ?? apple.issuer
            apple.keySetURL = value("ASSISTANT_APPLE_JWKS_URL") ?? apple.keySetURL
            if !Self.isSafe(apple.keySetURL) {
                problems.append("ASSISTANT_APPLE_JWKS_URL must begin with https://, or http:// and a loopback host")
            }
            self.apple = apple
        }
        if let text = value("ASSISTANT_PUBLIC_URL") {
            if Self.isSafe(text), let url = URL(string: text) {
                publicURL = url
            } else {
                problems.append("ASSISTANT_PUBLIC_URL must begin with https://, or http:// and a loopback host")
            }
        }
        if !Self.isLoopback(host) {
            problems.append(
                "ASSISTANT_HOST is \(host); the assistant serves this machine only. Put a proxy that does TLS before it"
            )
        }
        guard problems.isEmpty else { throw AssistantConfigurationError(problems: problems) }
    }

    /// Returns `$XDG_DATA_HOME/countersign/assistant` (XDG Base Directory Specification).
    package static func stateFolder(_ environment: [String: String]) -> URL {
        let home = environment["HOME"] ?? NSHomeDirectory()
        let data = environment["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? "\(home)/.local/share"
        return URL(filePath: data).appending(path: "countersign/assistant", directoryHint: .isDirectory)
    }

    /// Plain HTTP is for loopback only: the answer decides who is signed in.
    static func isSafe(_ address: String) -> Bool {
        guard let url = URL(string: address), let host = url.host() else { return false }
        return url.scheme == "https" || (url.scheme == "http" && isLoopback(host))
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host == "[::1]" || host.wholeMatch(of: /127(\.[0-9]{1,3}){3}/) != nil
    }

    /// Reads a password's first line, from a file that only its owner can read.
    private static func password(in file: URL) throws -> Secret {
        var status = stat()
        guard stat(file.path, &status) == 0 else { throw FileError("read", file.path) }
        guard status.st_mode & 0o077 == 0 else {
            throw AssistantStartError("\(file.path) can be read by other users; it needs mode 0600")
        }
        var bytes = try OpenedFile(file).bytes(atMost: 4096)
        defer { bytes.wipe() }
        return Secret(bytes: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
    }
}
