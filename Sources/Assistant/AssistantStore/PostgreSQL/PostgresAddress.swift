import CLibPQ
import Foundation
import Secrets

/// The address of a PostgreSQL database, checked: a connection that leaves the machine is encrypted, and its server's
/// certificate is verified.
package struct PostgresAddress: Sendable {
    /// libpq's parameters, in the order in which they are given.
    let parameters: [(name: String, value: String)]
    let password: Secret?

    private static let systemRoots = "/etc/ssl/certs/ca-certificates.crt"

    /// - Parameters:
    ///   - uri: `postgres://USER@HOST/DATABASE?…` (PostgreSQL's manual, section 34.1.1.2), without a password.
    ///   - password: from `ASSISTANT_DATABASE_PASSWORD_FILE`.
    ///   - authorities: a PEM file with the roots for the server's certificate; the system's when nil.
    /// - Throws: ``AssistantStoreError``. Its message does not contain the URI.
    package init(_ uri: String, password: Secret?, authorities: URL? = nil) throws(AssistantStoreError) {
        var complaint: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(uri, &complaint) else {
            PQfreemem(complaint)
            throw AssistantStoreError(.other, "ASSISTANT_DATABASE_URL is not a URI that libpq can read")
        }
        defer { PQconninfoFree(options) }
        var given: [(name: String, value: String)] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { given.append((String(cString: keyword), String(cString: value))) }
            option += 1
        }
        func value(_ name: String) -> String? { given.first { $0.name == name }?.value }
        guard value("password") == nil, value("sslpassword") == nil else {
            throw AssistantStoreError(
                .other,
                "ASSISTANT_DATABASE_URL contains a password; put it into a file and name the file in "
                    + "ASSISTANT_DATABASE_PASSWORD_FILE")
        }
        // libpq connects to `hostaddr` when it is given, and not to `host`. So both must be local, or TLS is needed.
        let hosts = [value("host"), value("hostaddr")].compactMap(\.self).flatMap { $0.split(separator: ",") }
        if hosts.contains(where: { !Self.isLocal($0) }) {
            switch value("sslmode") {
            case nil: given.append(("sslmode", "verify-full"))
            case "verify-full", "verify-ca": break
            case let mode?:
                throw AssistantStoreError(
                    .other,
                    "sslmode=\(mode) does not check who answers; use verify-full for a database on another machine")
            }
            if value("sslrootcert") == nil {
                given.append(("sslrootcert", authorities?.path ?? Self.systemRoots))
            }
        }
        for (name, value) in [
            ("connect_timeout", "5"), ("tcp_user_timeout", "10000"), ("application_name", "countersign"),
            ("client_encoding", "UTF8"),
        ] where !given.contains(where: { $0.name == name }) { given.append((name, value)) }
        parameters = given
        self.password = password
    }

    private static func isLocal(_ host: Substring) -> Bool {
        host.hasPrefix("/") || host.hasPrefix("@") || ["localhost", "127.0.0.1", "::1", ""].contains(host)
    }
}
