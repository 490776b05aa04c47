import Files
import Foundation
import LoopbackTLS

/// A certificate for 127.0.0.1 that is its own authority.
enum SelfSigned {
    static func write(to folder: URL) throws -> (certificate: URL, key: URL) {
        let made = try LoopbackCertificate("Countersign broker", hosts: ["localhost"], isAuthority: true)
        let files = (folder.appending(path: "broker.pem"), folder.appending(path: "broker.key.pem"))
        try AtomicFile.write((made.pem + "\n").utf8, to: files.0)
        try AtomicFile.write((made.key.pemRepresentation + "\n").utf8, to: files.1)
        return files
    }
}
