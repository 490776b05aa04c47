import Crypto
import Encodings
import Foundation
import Machine

/// A vault at rest: slots, each with the vault key wrapped in it, and entries, each encrypted on its own.
///
/// One HMAC under a subkey of the vault key covers every other field in canonical form (RFC 8785), so that an attacker
/// who cannot open the vault cannot change, add, remove or exchange a slot or an entry. The HMAC cannot show that the
/// whole file was replaced by an older version of itself; ``generation`` can, where something remembers the newest.
struct VaultFile: Sendable {
    struct Slot: Sendable {
        let slot: KeySlot
        let sealed: [UInt8]
    }

    static let format = "countersign vault"
    static let version = 1
    /// The largest file that is read, in bytes.
    static let largest = 1 << 20

    let id: String
    /// The number of writes, 0 in a file from before there was a count.
    private(set) var generation: Int
    var slots: [Slot]
    var entries: [String: [UInt8]]
    private var mac: [UInt8]

    init() {
        id = UUIDText.random()
        generation = 0
        slots = []
        entries = [:]
        mac = []
    }

    init(contentsOf url: URL) throws(VaultError) {
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw VaultError(.missing, "no vault at \(url.path); set the phone up first")
        }
        let data: [UInt8]
        do {
            data = try OpenedFile(url, links: .followed).start(Self.largest + 1)
        } catch {
            throw VaultError(.unreadable, "the vault at \(url.path) cannot be read; check its owner and mode")
        }
        guard data.count <= Self.largest else { throw VaultError(.damaged, "the vault at \(url.path) is too large") }
        do {
            try self.init(json: JSONReader.read(data, limits: JSONLimits(depth: 8, size: Self.largest)))
        } catch let error as VaultError {
            throw VaultError(error.code, "\(url.path): \(error.message)")
        } catch {
            throw VaultError(.damaged, "\(url.path) is not a vault file; restore it from a backup")
        }
    }

    private init(json: JSONValue) throws(VaultError) {
        guard json["format"]?.stringValue == Self.format else { throw VaultError(.damaged, "not a vault file") }
        guard json["version"]?.intValue == Self.version else {
            throw VaultError(.unsupported, "a vault of another version of this program")
        }
        guard let id = json["id"]?.stringValue, let slots = json["slots"]?.arrayValue,
            let entries = json["entries"]?.objectValue, let mac = Base64URL.decode(json["mac"]),
            Set(json.objectValue.map { $0.keys } ?? [:].keys).subtracting(["generation"])
                == ["format", "version", "id", "slots", "entries", "mac"]
        else { throw VaultError(.damaged, "the vault file lacks a field or has one too many") }
        let generation = json["generation"].map { $0.intValue ?? -1 } ?? 0
        guard json["generation"] == nil || generation > 0 else {
            throw VaultError(.damaged, "the vault file's generation is not a positive number")
        }
        self.generation = generation
        self.id = id
        self.mac = mac
        self.slots = []
        self.entries = [:]
        for value in slots {
            guard let sealed = Base64URL.decode(value["sealed"]) else {
                throw VaultError(.damaged, "a key slot holds no key")
            }
            let slot = Slot(slot: try KeySlot(json: value), sealed: sealed)
            guard Self.json(of: slot) == value else { throw VaultError(.damaged, "a key slot has a field too many") }
            self.slots.append(slot)
        }
        for (name, value) in entries {
            guard let sealed = Base64URL.decode(value) else { throw VaultError(.damaged, "an entry cannot be read") }
            self.entries[name] = sealed
        }
    }

    /// Returns true if the holder of `key` wrote this file.
    func isAuthentic(under key: VaultKey) throws -> Bool {
        try HMAC<SHA256>.isValidAuthenticationCode(
            mac, authenticating: authenticated(), using: key.subkey(for: "countersign vault file 1"))
    }

    /// Writes durably, or leaves the old file unchanged.
    mutating func write(to url: URL, under key: VaultKey) throws {
        generation += 1
        mac = Array(
            HMAC<SHA256>.authenticationCode(
                for: try authenticated(), using: try key.subkey(for: "countersign vault file 1")))
        var fields = fields
        fields["mac"] = .string(Base64URL.encode(mac))
        try AtomicFile.replaceUnderLock(JSONValue.object(fields).canonicalBytes(), to: url)
    }

    private func authenticated() throws -> [UInt8] {
        try JSONValue.object(fields).canonicalBytes()
    }

    private var fields: [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "format": .string(Self.format), "version": .number(Double(Self.version)), "id": .string(id),
            "slots": .array(slots.map(Self.json(of:))),
            "entries": .object(entries.mapValues { .string(Base64URL.encode($0)) }),
        ]
        if generation > 0 { fields["generation"] = .number(Double(generation)) }
        return fields
    }

    private static func json(of slot: Slot) -> JSONValue {
        var fields = slot.slot.json.objectValue ?? [:]
        fields["sealed"] = .string(Base64URL.encode(slot.sealed))
        return .object(fields)
    }

    /// Returns the data that a slot's wrapping is bound to: this vault and the slot's own fields.
    func binding(_ slot: KeySlot) throws -> [UInt8] {
        try JSONValue.object(["vault": .string(id), "slot": slot.json]).canonicalBytes()
    }

    /// Returns the data that an entry is bound to: this vault and the entry's name, so that entries cannot be swapped.
    func binding(entry name: String) throws -> [UInt8] {
        try JSONValue.object(["vault": .string(id), "entry": .string(name)]).canonicalBytes()
    }
}
