import Automation
import Encodings
import Foundation
import Secrets
import Synchronization

/// Credentials from a JSON file.
package struct CredentialsFile: CredentialProvider {
    package var adviceForMissing: String? { "add it to the credentials file" }
    private let secrets: [String: Secret]

    /// The credentials without the code.
    package var all: [String: Secret] { secrets.filter { $0.key != "code" } }

    package var code: Secret? { secrets["code"] }

    /// The names of the fields without the code.
    package var names: [String] { secrets.keys.filter { $0 != "code" }.sorted() }

    /// Reads the file, and warns of one that other users of this machine can read.
    ///
    /// - Throws: ``CommandFailure`` for a file that is not a JSON object of texts. A number is refused: it would have lost the zeros
    ///   at its beginning.
    package init(path: String) throws {
        if Self.isOpenToOthers(path), Self.warnedOf.withLock({ $0.insert(path).inserted }) {
            Console.standard.error(
                "warning: other users can read \(path), which holds your credentials; run: chmod 600 \(path)")
        }
        var bytes = try TypedPath.bytes(path, atMost: 1 << 20)
        defer { bytes.wipe() }
        let json: JSONValue
        do {
            json = try JSONReader.read(bytes)
        } catch {
            throw CommandFailure("\(path) is not JSON: \(error)", status: 2)
        }
        guard case .object(let members) = json else {
            throw CommandFailure(
                "\(path) is not a JSON object; write {\"username\": \"…\", \"password\": \"…\"}", status: 2)
        }
        secrets = try members.reduce(into: [:]) { secrets, member in
            guard let text = member.value.stringValue else {
                throw CommandFailure(
                    "\(path): “\(member.key.inLine(limit: 60))” is not a text; write what it stands for in double quotes",
                    status: 2)
            }
            guard !text.isEmpty else {
                throw CommandFailure(
                    "\(path): “\(member.key.inLine(limit: 60))” is empty, and the bank would count an empty answer as a wrong one; "
                        + "write its value, or remove the line", status: 2)
            }
            secrets[member.key] = Secret(text)
        }
    }

    /// The files that this process has warned of, so that it does so once.
    private static let warnedOf = Mutex<Set<String>>([])

    private static func isOpenToOthers(_ path: String) -> Bool {
        var status = stat()
        guard stat(TypedPath.expanded(path), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return status.st_mode & 0o077 != 0
    }

    package func credential(named name: String, forBank bankID: String) async throws -> Secret? { secrets[name] }
}

/// Credentials from a file; each that is missing there is asked at the terminal, once.
package actor AskedCredentials: CredentialProvider {
    package nonisolated var adviceForMissing: String? { "add it to the credentials file" }
    private let file: CredentialsFile?
    private var answered: [String: Secret] = [:]

    package init(_ file: CredentialsFile?) {
        self.file = file
    }

    package func credential(named name: String, forBank bankID: String) async throws -> Secret? {
        if let known = try await file?.credential(named: name, forBank: bankID) ?? answered[name] { return known }
        guard Asking.isPossible else { return nil }
        let secret = await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: Asking.secret("\(name):")) }.start()
        }
        answered[name] = secret
        return secret
    }
}
