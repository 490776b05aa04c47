import Foundation
import Machine
import Terminal
import X509

/// A PEM file with certificate authorities that a bank's certificate may come from, beside those of the machine.
package enum AuthorityFile {
    /// Bundles of every public authority have a quarter of it.
    private static let longest = 4 << 20

    /// Returns the file at a path that a person typed, after each certificate in it was read.
    ///
    /// - Throws: ``CommandFailure`` with status 2 that says which part is damaged, and what helps.
    package static func checked(_ path: String, now: Date = .now) throws(CommandFailure) -> URL {
        let file = URL(filePath: TypedPath.expanded(path)).standardizedFileURL
        let certificates = try Self.certificates(try bytes(of: file, path), of: path)
        guard let last = certificates.map(\.notValidAfter).max(), last > now else {
            let day = certificates.map(\.notValidAfter).max()?.formatted(.iso8601.year().month().day()) ?? ""
            throw CommandFailure(
                "the certificate authority in \(path) was valid until \(day); get the one that your bank uses now",
                status: 2)
        }
        return file
    }

    private static func bytes(of file: URL, _ path: String) throws(CommandFailure) -> [UInt8] {
        do {
            return try OpenedFile(file, links: .followed).bytes(atMost: longest)
        } catch {
            throw CommandFailure("\(error); give --ca a file with your bank's certificate authority in PEM", status: 2)
        }
    }

    private static func certificates(_ bytes: [UInt8], of path: String) throws(CommandFailure) -> [Certificate] {
        let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        var (found, first): ([Certificate], Int?) = ([], nil)
        for (number, line) in lines.enumerated() {
            if line == begin {
                if let first { throw damaged(path, first, "it has no end") }
                first = number
            }
            guard line == end, let start = first else { continue }
            guard let certificate = try? Certificate(pemEncoded: lines[start...number].joined(separator: "\n")) else {
                throw damaged(path, start, "it cannot be read")
            }
            found.append(certificate)
            first = nil
        }
        if let first { throw damaged(path, first, "it has no end") }
        guard found.isEmpty else { return found }
        throw CommandFailure("\(path) holds no certificate in PEM; \(advice(on: bytes, path))", status: 2)
    }

    private static func damaged(_ path: String, _ line: Int, _ what: String) -> CommandFailure {
        CommandFailure(
            "the certificate in line \(line + 1) of \(path) is damaged: \(what). Copy the file again from where you got it",
            status: 2)
    }

    /// Returns the next step for a file without a certificate in PEM.
    private static func advice(on bytes: [UInt8], _ path: String) -> String {
        if (try? Certificate(derEncoded: bytes)) != nil {
            return "it is in DER, so write it as PEM with: openssl x509 -inform der -in \(path) -out authority.pem"
        }
        if bytes.contains(Array("PRIVATE KEY-----".utf8)) {
            return "it holds a private key, which is not for a phone. Give the certificate of the authority"
        }
        return "it should have a line -----BEGIN CERTIFICATE-----"
    }
}
