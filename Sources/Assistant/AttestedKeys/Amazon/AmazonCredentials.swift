import Foundation
import Machine
import Secrets

/// The credentials of an AWS account's user or role.
package struct AmazonCredentials: Sendable {
    package let accessKeyID: String
    package let secretAccessKey: Secret
    /// Of temporary credentials.
    package let sessionToken: Secret?

    package init(accessKeyID: String, secretAccessKey: Secret, sessionToken: Secret? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }

    /// Reads a file in the form of AWS's own tools: a section in brackets, then `aws_access_key_id`,
    /// `aws_secret_access_key` and, for temporary credentials, `aws_session_token`. Only its owner may be able to read it.
    ///
    /// - Throws: ``AmazonKeysError``.
    package init(_ file: URL, profile: String = "default") throws(AmazonKeysError) {
        var status = stat()
        guard stat(file.path, &status) == 0 else {
            throw AmazonKeysError("\(file.path) cannot be read: \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw AmazonKeysError("\(file.path) can be read by other users; it needs mode 0600")
        }
        guard var bytes = try? OpenedFile(file).bytes(atMost: 64 << 10) else {
            throw AmazonKeysError("\(file.path) cannot be read, or has more than 64 KiB")
        }
        defer { bytes.wipe() }
        var values: [String: Secret] = [:]
        var section = ""
        for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let line = Self.trimmed(line)
            if line.first == UInt8(ascii: "["), line.last == UInt8(ascii: "]") {
                section = String(decoding: Self.trimmed(line.dropFirst().dropLast()), as: UTF8.self)
            } else if section == profile, line.first != UInt8(ascii: "#"), line.first != UInt8(ascii: ";"),
                let equals = line.firstIndex(of: UInt8(ascii: "="))
            {
                let name = String(decoding: Self.trimmed(line[..<equals]), as: UTF8.self).lowercased()
                let value = Self.trimmed(line[line.index(after: equals)...])
                if !value.isEmpty { values[name] = Secret(bytes: value) }
            }
        }
        guard let id = values["aws_access_key_id"], let key = values["aws_secret_access_key"] else {
            throw AmazonKeysError(
                "\(file.path) has no aws_access_key_id and aws_secret_access_key in its section [\(profile)]. Write keys there: "
                    + "roles, single sign-on and programs that give credentials are not asked")
        }
        self.init(accessKeyID: id.revealed(), secretAccessKey: key, sessionToken: values["aws_session_token"])
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let start = bytes.drop(while: isSpace)
        return start.prefix((start.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start.startIndex) - start.startIndex)
    }
}

/// A key service of AWS that cannot be used.
package struct AmazonKeysError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
