import Clocks
import Encodings
import Foundation

/// The key under which a token is sealed: the key's id and version.
package struct KeyReference: Sendable, Hashable {
    package let tokenKeyID: String
    package let tokenVersion: Int

    package init(tokenKeyID: String, tokenVersion: Int) {
        self.tokenKeyID = tokenKeyID
        self.tokenVersion = tokenVersion
    }
}

/// The rules by which the key service opens data keys: `ASSISTANT_KEY_POLICY_FILE`.
package struct KeyPolicy: Sendable, Hashable {
    /// The only accepted runtime.
    package var runtime: String
    /// The programs that may open tokens. During an upgrade there are two.
    package var measurements: Set<String>
    /// The accepted values of further registers of a Nitro enclave, by their number, e.g. 8 for the certificate that signed
    /// the image. Each register that is named must have one of its values.
    package var registers: [Int: Set<String>] = [:]
    package var activeKey: KeyReference
    /// The age in seconds up to which evidence is fresh. With 0, everything is refused.
    package var evidenceMaxAge: Int

    package init(runtime: String, measurements: Set<String>, activeKey: KeyReference, evidenceMaxAge: Int = 60) {
        self.runtime = runtime
        self.measurements = measurements
        self.activeKey = activeKey
        self.evidenceMaxAge = evidenceMaxAge
    }

    /// - Throws: ``KeyPolicyError`` with the member that is wrong.
    package init(_ json: JSONValue) throws(KeyPolicyError) {
        guard let members = json.objectValue else { throw KeyPolicyError("it is not a JSON object") }
        let names = ["version", "runtime", "measurements", "active_key", "evidence_max_age_seconds", "registers"]
        if let unknown = members.keys.filter({ !names.contains($0) }).min() {
            throw KeyPolicyError("“\(unknown)” is unknown; it may have \(names.joined(separator: ", "))")
        }
        guard json["version"]?.intValue == 1 else { throw KeyPolicyError("“version” must be 1") }
        guard let runtime = json["runtime"]?.stringValue else { throw KeyPolicyError("“runtime” must be a text") }
        guard let measurements = json["measurements"]?.arrayValue?.map(\.stringValue),
            measurements.allSatisfy({ $0.map(Self.isMeasurement) == true })
        else {
            throw KeyPolicyError("“measurements” must be a list of texts of 64 or 96 hexadecimal digits in lower case")
        }
        guard let id = json["active_key"]?["token_key_id"]?.stringValue, !id.isEmpty,
            let version = json["active_key"]?["token_version"]?.intValue, version >= 1
        else { throw KeyPolicyError("“active_key” must have “token_key_id” and “token_version”, which is at least 1") }
        guard let age = json["evidence_max_age_seconds"]?.intValue, (0...3600).contains(age) else {
            throw KeyPolicyError("“evidence_max_age_seconds” must be a number from 0 to 3600")
        }
        self.init(
            runtime: runtime, measurements: Set(measurements.compactMap(\.self)),
            activeKey: KeyReference(tokenKeyID: id, tokenVersion: version), evidenceMaxAge: age)
        registers = try Self.registers(json["registers"])
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "version": 1, "runtime": .string(runtime),
            "measurements": .array(measurements.sorted().map(JSONValue.string)),
            "active_key": [
                "token_key_id": .string(activeKey.tokenKeyID), "token_version": .number(Double(activeKey.tokenVersion)),
            ],
            "evidence_max_age_seconds": .number(Double(evidenceMaxAge)),
        ]
        if !registers.isEmpty {
            members["registers"] = .object(
                Dictionary(
                    uniqueKeysWithValues: registers.map {
                        (String($0), .array($1.sorted().map(JSONValue.string)))
                    }))
        }
        return .object(members)
    }

    private static func registers(_ json: JSONValue?) throws(KeyPolicyError) -> [Int: Set<String>] {
        guard let json else { return [:] }
        guard let members = json.objectValue else { throw KeyPolicyError("“registers” must be an object") }
        var registers: [Int: Set<String>] = [:]
        for (name, values) in members {
            // The plain form of a number only, so that no register is named twice.
            guard let number = Int(name), (0...31).contains(number), String(number) == name,
                let values = values.arrayValue?.map(\.stringValue), !values.isEmpty,
                values.allSatisfy({ $0.map(Self.isMeasurement) == true })
            else {
                throw KeyPolicyError(
                    "“registers” must have numbers from 0 to 31, each with a list of texts of 64 or 96 hexadecimal "
                        + "digits in lower case")
            }
            registers[number] = Set(values.compactMap(\.self))
        }
        return registers
    }

    /// SHA-256 of an executable, or SHA-384 of a Nitro enclave's image.
    private static func isMeasurement(_ text: String) -> Bool {
        [64, 96].contains(text.utf8.count) && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
}

/// The reason why a key policy cannot be used.
package struct KeyPolicyError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ reason: String) {
        description = "the key policy cannot be used: \(reason). Nothing is opened until it is correct"
    }
}
