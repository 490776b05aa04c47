import BankScript
import DeviceTrust
import Encodings
import Foundation
import Machine
import Phone
import ScriptCollections
import Terminal

/// The vouches that lie beside a script, seen with the reviewers of the phone's policy.
struct ScriptVouches: Sendable {
    private let script: BankScript
    private let demand: ScriptDemand?
    private let trusted: [(reviewer: String, vouch: Vouch)]
    /// The vouches for exactly this script by reviewers who are not in the policy.
    private let strangers: Int

    private static let largest = 64 << 10

    /// Returns the file of the vouches for a script's file: `my-bank.vouch` for `my-bank.yaml`.
    static func file(for path: String) -> String {
        guard ScriptFile.isName(path), let dot = path.lastIndex(of: ".") else { return path + ".vouch" }
        return path[..<dot] + ".vouch"
    }

    /// - Throws: ``CommandFailure`` for a policy or a file of vouches that cannot be read.
    init(of script: BankScript, home: PhoneHome) throws {
        try self.init(of: script, home: home, text: script.source.flatMap(Self.text))
    }

    /// - Parameter text: the vouches; nil without any.
    init(of script: BankScript, home: PhoneHome, text: String?) throws {
        self.script = script
        demand = try Self.demand(of: home)
        do throws(CollectionError) {
            let vouches = try text.map { text throws(CollectionError) in try Vouch.all(in: text) } ?? []
            var reviewers: [String: SSHKey] = [:]
            for (name, line) in demand?.reviewers ?? [:] { reviewers[name] = try SSHKey(line: line) }
            trusted = Vouch.trusted(among: vouches, for: script, by: reviewers)
            let known = Set(reviewers.values)
            strangers =
                Set(vouches.filter { $0.digest == script.digest.hex }.map(\.signature.key)).subtracting(known).count
        } catch {
            throw CommandFailure("the vouches cannot be read: \(error)", status: 2)
        }
    }

    private static func text(beside source: String) throws -> String? {
        let file = URL(filePath: file(for: source))
        guard ScriptFile.isName(source), FileManager.default.fileExists(atPath: file.path) else { return nil }
        guard let text = OpenedFile.text(of: file, atMost: largest) else {
            throw CommandFailure("\(file.path) is not a file of vouches: UTF-8, at most 64 KiB", status: 2)
        }
        return text
    }

    private static func demand(of home: PhoneHome) throws -> ScriptDemand? {
        guard FileManager.default.fileExists(atPath: home.policyFile.path) else { return nil }
        guard let text = OpenedFile.text(of: home.policyFile, atMost: ApprovalPolicy.largestFile) else {
            throw CommandFailure("\(home.policyFile.path) cannot be read as text; fix it or remove it")
        }
        do {
            return try ApprovalPolicy(yaml: text).scripts
        } catch {
            throw CommandFailure("\(home.policyFile.path): \(error.problems.first.map { "\($0)" } ?? "")")
        }
    }

    /// The vouches in words, for the person who accepts the script.
    var lines: [StyledLine] {
        var lines = trusted.map { reviewer, vouch in
            let deed = vouch.kind == .ran ? "ran it at this bank" : "read it"
            return StyledLine(
                "  \(reviewer.inLine(limit: 60)), whom you trust, \(deed): \(vouch.day), \(vouch.signature.key.fingerprint)",
                .good)
        }
        if strangers > 0 {
            lines.append(
                StyledLine(
                    "  \(strangers.counted("more vouches", "more vouch")), by people whom your policy does not name"))
        }
        if let demand, demand.vouches > 0 {
            lines.append(StyledLine("  vouches: \(trusted.count) of the \(demand.vouches) that your policy demands"))
        }
        return lines.isEmpty ? [] : [StyledLine("Vouches for exactly this version", .bold)] + lines
    }

    /// - Throws: ``CommandFailure`` when the policy demands more vouches than there are.
    func check() throws {
        guard let demand, trusted.count < demand.vouches else { return }
        let missing = demand.reviewers.keys.filter { name in !trusted.contains { $0.reviewer == name } }.sorted()
        throw CommandFailure(
            "policy.yaml demands \(demand.vouches.counted("vouch", "vouches")) for a script, and this version has \(trusted.count); ask "
                + missing.map { $0.inLine(limit: 60) }.joined(separator: ", ")
                + " to read it and to run: countersign script vouch FILE --key KEY. It was not accepted")
    }
}
