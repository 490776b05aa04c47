import Automation
import Encodings
import Foundation
import Secrets

/// Credentials from a JSON file.
package struct CredentialsFile: CredentialProvider {
    package var adviceForMissing: String? { "add it to the credentials file" }
    private let secrets: [String: Secret]

    /// The credentials without the code.
    package var all: [String: Secret] { secrets.filter { $0.key != "code" } }

    package var code: Secret? { secrets["code"] }

    package init(path: String) throws {
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
        secrets = members.compactMapValues { $0.stringValue.map(Secret.init) }
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
