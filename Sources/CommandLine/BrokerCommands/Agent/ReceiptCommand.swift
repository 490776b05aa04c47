import ArgumentParser
import BrokerClient
import DeviceTrust
import Encodings
import Foundation
import Machine
import Messages
import Terminal

import struct Crypto.SHA256

package struct ReceiptCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Get a record of a completed request that others can check, and check one.",
        discussion: """
            A receipt says which agent asked, what a device's owner approved and with which key, which script ran, and the \
            digests of the documents. The broker signs it, and it carries the devices' own signatures. It is an in-toto \
            statement in a DSSE envelope, so that other programs can verify it, too.
            """,
        subcommands: [ReceiptGetCommand.self, ReceiptVerifyCommand.self], defaultSubcommand: ReceiptGetCommand.self)
    package init() {}
}

struct ReceiptGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print the receipt of a completed request of this agent.")

    @Argument(
        help: "The request's id, or its beginning as countersign requests lists it.", completion: .requests)
    var request: String

    @Option(help: "Write the receipt to this file, and print nothing.", completion: .file(extensions: ["json"]))
    var out: String?

    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        guard RequestID(request) != nil || Self.isBeginning(request) else {
            throw ValidationError(
                "“\(request.inLine())” is not a request's id, nor its beginning: at least four of the digits and small letters that countersign requests lists"
            )
        }
    }

    private static func isBeginning(_ text: String) -> Bool {
        (4..<36).contains(text.utf8.count) && text.utf8.allSatisfy(Array("0123456789abcdef-".utf8).contains)
    }

    /// Returns the completed request of this agent that a beginning names.
    ///
    /// - Throws: ``CommandFailure`` when none begins so, or more than one.
    private func completed(_ client: AgentClient) async throws -> RequestID {
        if let id = RequestID(request) { return id }
        var found: [RequestID] = []
        var cursor: String?
        repeat {
            let page = try await client.page(of: .completed, after: cursor, limit: 200)
            found += page.requests.map(\.id).filter { $0.description.hasPrefix(request) }
            cursor = page.nextCursor
        } while cursor != nil
        guard let id = found.first else {
            throw CommandFailure(
                "no completed request of this agent begins with \(request); countersign requests lists them", status: 1)
        }
        guard found.count == 1 else {
            let ids = found.map(\.description).sorted().joined(separator: ", ")
            throw CommandFailure("several requests begin with \(request): \(ids)", status: 1)
        }
        return id
    }

    func run() async throws {
        let client = try broker.client()
        try await reportingFailures {
            let json = try await client.receipt(of: try await completed(client))
            await client.close()
            guard let text = try? json.canonicalBytes() else {
                throw CommandFailure("the broker's receipt has no canonical form", status: 1)
            }
            // A receipt that does not verify here would not verify anywhere.
            _ = try VerifiedReceipt(file: text + [0x0A])
            guard let out else { return Console.standard.line(String(decoding: text, as: UTF8.self)) }
            try AtomicFile.write(text + [0x0A], to: URL(filePath: out))
        }
    }
}

struct ReceiptVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify a receipt, and documents against it, without a network.",
        discussion: """
            Every changed byte of a receipt is refused. A receipt names the key that signed it, so a forger can write one with \
            another key: compare the key with the one that the broker's owner told you (countersign broker identity), \
            or give it as --key.

            Exit status: 0 it is valid, 1 it is not, or a document is not in it, 2 a file cannot be read.
            """)

    @Argument(help: "The receipt.", completion: .file(extensions: ["json"]))
    var receipt: String

    @Argument(help: "Documents that have to be in it.", completion: .file())
    var documents: [String] = []

    @Option(help: "The SHA-256 of the broker's receipt key: 64 hexadecimal digits.")
    var key: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard key.map({ Base16.isEncoding($0, ofBytes: 32) }) ?? true else {
            throw ValidationError("--key must be the SHA-256 of a key: 64 lower-case hexadecimal digits")
        }
    }

    func run() throws {
        let verified: VerifiedReceipt
        do {
            verified = try VerifiedReceipt(
                file: try TypedPath.bytes(receipt, atMost: SignedReceipt.largest), signedBy: key)
        } catch let error as TrustError {
            throw CommandFailure(
                "\(receipt) is not valid: \(error.message); the broker writes it again with: countersign agent receipt get REQUEST --out "
                    + "FILE", status: 1)
        }
        var found: [(path: String, document: Receipt.Document)] = []
        for path in documents {
            let digest = Base16.encode(SHA256.hash(data: try TypedPath.bytes(path, atMost: 64 << 20)))
            guard let document = verified.receipt.documents.first(where: { $0.sha256 == digest }) else {
                throw CommandFailure("\(path) is not in the receipt: it has another digest, \(digest)", status: 1)
            }
            found.append((path, document))
        }
        report(verified, found)
    }

    private func report(_ verified: VerifiedReceipt, _ found: [(path: String, document: Receipt.Document)]) {
        let receipt = verified.receipt
        guard !json else {
            let answer: JSONValue = [
                "valid": true, "request_id": .string(receipt.requestID.description),
                "agent": .string(receipt.agent.description), "bank_id": .string(receipt.bankID),
                "receipt_key": .string(verified.key.id),
                "device_keys": .array(receipt.approvals.map { .string($0.key.description) }),
                "sha256": .array(receipt.documents.map { .string($0.sha256) }),
            ]
            return Console.standard.line(answer.compactText())
        }
        let console = Console.standard
        console.line("The receipt is valid.", .good)
        console.line("request    \(receipt.requestID), complete at \(receipt.completedAt)")
        console.line(
            "asked by   the agent “\(receipt.agent)”, for \(receipt.subject.words) of “\(receipt.bankID.inLine())”")
        if let reason = receipt.reason { console.line("its words  “\(reason.shown)”") }
        for approval in receipt.approvals {
            console.line("approved   by the device with the key \(approval.key)")
            console.line("script     \(approval.script.inLine(limit: 80))")
        }
        if receipt.approvals.isEmpty { console.line("approved   without a signature of a device") }
        for document in receipt.documents {
            let earlier = document.isEarlier ? ", from an earlier request" : ""
            console.line(
                "document   \(document.place.span) \(document.kind)\(document.place.partWords), SHA-256 \(document.sha256)\(earlier)"
            )
        }
        for (path, document) in found {
            let place = "\(document.place.span)\(document.place.partWords)"
            console.line("this file  \(path) is the \(document.kind) of \(place)", .good)
        }
        console.line("signed by  the broker with the receipt key \(verified.key.id)")
        if key == nil { console.line("Compare this key with the one that the broker's owner told you.", .faint) }
    }
}

extension Receipt.Document {
    fileprivate var kind: String { place.kind.rawValue }
}
