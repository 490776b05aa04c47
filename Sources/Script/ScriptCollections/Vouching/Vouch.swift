import BankScript
import Encodings
import Foundation

/// A reviewer's signed statement about one version of a script.
package struct Vouch: Sendable, Hashable {
    /// The kind of knowledge that the reviewer has.
    package enum Kind: String, Sendable, CaseIterable {
        /// The reviewer has read the script.
        case read
        /// The reviewer has fetched a document of their own with it.
        case ran
    }

    package let digest: String
    package let bankID: String
    package let kind: Kind
    /// The day of the statement, or of the run, as 2026-01-31.
    package let day: String
    package let signature: SSHSignature

    /// The purpose of the signature: ssh-keygen's `-n`.
    package static let namespace = "countersign-vouch"
    private static let head = "countersign-vouch 1"
    private static let largest = 64 << 10
    private static let most = 50

    /// Returns the text that a reviewer signs.
    package static func statement(_ kind: Kind, of script: BankScript, on day: String) -> String {
        "\(head)\ndigest \(script.digest.hex)\nbank \(script.id)\nsays \(kind.rawValue)\nday \(day)\n"
    }

    /// Reads a file of vouches: each a statement and its signature.
    ///
    /// - Throws: ``CollectionError`` of kind `malformed`, also for a signature that does not fit its statement.
    package static func all(in text: String) throws(CollectionError) -> [Vouch] {
        guard text.utf8.count <= largest else {
            throw CollectionError(.tooLong, "a file of vouches has at most 64 KiB")
        }
        var vouches: [Vouch] = []
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            lines.append(String(line))
            guard line == SSHSignature.end else { continue }
            guard vouches.count < most else { throw CollectionError(.tooLong, "a file has at most \(most) vouches") }
            vouches.append(try Vouch(lines))
            lines = []
        }
        guard lines.allSatisfy(\.isEmpty) else {
            throw CollectionError(.malformed, "the last vouch has no signature")
        }
        return vouches
    }

    private init(_ lines: [String]) throws(CollectionError) {
        let lines = Array(lines.drop(while: \.isEmpty))
        guard let begin = lines.firstIndex(of: SSHSignature.begin), begin == 5, lines[0] == Self.head else {
            throw CollectionError(
                .malformed, "a vouch is a statement of five lines, and a signature by ssh-keygen -Y sign")
        }
        func value(_ name: String, _ index: Int) -> String? {
            lines[index].hasPrefix(name + " ") ? String(lines[index].dropFirst(name.count + 1)) : nil
        }
        guard let digest = value("digest", 1), Base16.isEncoding(digest, ofBytes: 32), let bank = value("bank", 2),
            let kind = value("says", 3).flatMap(Kind.init), let day = value("day", 4),
            day.wholeMatch(of: /\d{4}-\d{2}-\d{2}/) != nil
        else { throw CollectionError(.malformed, "a vouch names digest, bank, says and day, in this order") }
        let signature = try SSHSignature(armored: lines[begin...].joined(separator: "\n"))
        let statement = lines[..<begin].joined(separator: "\n") + "\n"
        guard signature.verifies(Array(statement.utf8), namespace: Self.namespace) else {
            throw CollectionError(
                .unsigned,
                "the signature of \(signature.key.fingerprint) is not over this statement, or for another purpose")
        }
        self.digest = digest
        bankID = bank
        self.kind = kind
        self.day = day
        self.signature = signature
    }

    /// Returns the vouches for exactly this script by reviewers whom the owner trusts, one for each reviewer, by name.
    ///
    /// - Parameter reviewers: their keys by name. Two names with the same key are one reviewer.
    package static func trusted(
        among vouches: [Vouch], for script: BankScript, by reviewers: [String: SSHKey]
    ) -> [(reviewer: String, vouch: Vouch)] {
        var found: [(reviewer: String, vouch: Vouch)] = []
        var keys: Set<SSHKey> = []
        for (name, key) in reviewers.sorted(by: { $0.key < $1.key }) where !keys.contains(key) {
            let own = vouches.filter {
                $0.signature.key == key && $0.digest == script.digest.hex && $0.bankID == script.id
            }
            // A run says more than a reading.
            guard let best = own.first(where: { $0.kind == .ran }) ?? own.first else { continue }
            keys.insert(key)
            found.append((name, best))
        }
        return found
    }
}
