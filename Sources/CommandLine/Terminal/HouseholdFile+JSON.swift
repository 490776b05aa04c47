import Encodings
import Foundation

// The content of a household's file.

extension HouseholdFile {
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// The content of the file.
    package var bytes: [UInt8] { json.compactBytes() + [0x0A] }

    /// - Throws: an error that says which entry is missing or wrong.
    package init(_ json: JSONValue) throws {
        guard json["version"]?.intValue == 1 else { throw Missing(description: "its version is not 1") }
        let phone = json["phone"] == nil ? nil : try Phone(json)
        let broker = json["broker"] == nil ? nil : try Broker(json)
        guard phone != nil || broker != nil else { throw Missing(description: "phone and broker are missing") }
        guard phone?.brokerAddress == nil || broker == nil else {
            throw Missing(description: "phone.broker names another machine's broker, and broker one of this machine")
        }
        self.init(
            phone: phone, broker: broker,
            inbox: URL(filePath: try Self.text(json, "inbox"), directoryHint: .isDirectory))
        settings = try HouseholdSettings(json)
    }

    fileprivate static func text(_ json: JSONValue, _ path: String...) throws -> String {
        let value = path.reduce(json as JSONValue?) { $0?[$1] }?.stringValue
        guard let value, !value.isEmpty else {
            throw Missing(description: "\(path.joined(separator: ".")) is missing")
        }
        return value
    }

    fileprivate static func port(_ json: JSONValue, _ part: String) throws -> Int {
        guard let port = json[part]?["port"]?.intValue, (1...65_535).contains(port) else {
            throw Missing(description: "\(part).port must be 1 to 65535")
        }
        return port
    }

    /// Returns a part's host name and proxy, of which it can have one.
    fileprivate static func reach(_ json: JSONValue, _ part: String) throws -> (hostName: String?, proxy: String?) {
        let (name, proxy) = (json[part]?["host_name"]?.stringValue, json[part]?["behind_proxy"]?.stringValue)
        guard name == nil || proxy == nil else {
            throw Missing(description: "\(part).behind_proxy and \(part).host_name do not go together")
        }
        return (name, proxy)
    }

    private var json: JSONValue {
        var members: [String: JSONValue] = ["version": 1, "inbox": .string(inbox.path)]
        if let phone {
            members["bank"] = .object(phone.bankMembers)
            members["phone"] = .object(phone.members)
        }
        if let broker {
            members["broker"] = .object(broker.members)
            members["agent"] = ["token_file": .string(broker.agentToken.path)]
        }
        members.merge(settings.members) { $1 }
        return .object(members)
    }
}

extension HouseholdFile.Phone {
    fileprivate init(_ json: JSONValue) throws {
        let mock = json["bank"]?["mock"]?.stringValue
        guard mock.map({ $0.wholeMatch(of: /http:\/\/127\.0\.0\.1:[0-9]{1,5}/) != nil }) ?? true else {
            throw HouseholdFile.Missing(description: "bank.mock is not on this machine")
        }
        self.init(
            bankID: try HouseholdFile.text(json, "bank", "id"), mockBank: mock,
            scripts: json["bank"]?["scripts"]?.stringValue,
            home: URL(filePath: try HouseholdFile.text(json, "phone", "home"), directoryHint: .isDirectory),
            pagePort: try HouseholdFile.port(json, "phone"))
        authority = json["bank"]?["ca"]?.stringValue.map { URL(filePath: $0) }
        (pageHost, proxiedPage) = try HouseholdFile.reach(json, "phone")
        brokerAddress = json["phone"]?["broker"]?.stringValue
        pendingDevices = json["phone"]?["pending_devices"]?.arrayValue?.compactMap(\.stringValue) ?? []
        wasSetUp = json["phone"]?["set_up"]?.boolValue ?? false
    }

    fileprivate var bankMembers: [String: JSONValue] {
        var members: [String: JSONValue] = ["id": .string(bankID)]
        members["mock"] = mockBank.map(JSONValue.string)
        members["scripts"] = scripts.map(JSONValue.string)
        members["ca"] = authority.map { .string($0.path) }
        return members
    }

    fileprivate var members: [String: JSONValue] {
        var members: [String: JSONValue] = ["home": .string(home.path), "port": .number(Double(pagePort))]
        members["behind_proxy"] = proxiedPage.map(JSONValue.string)
        members["host_name"] = pageHost.map(JSONValue.string)
        members["broker"] = brokerAddress.map(JSONValue.string)
        if !pendingDevices.isEmpty { members["pending_devices"] = .array(pendingDevices.map(JSONValue.string)) }
        if wasSetUp { members["set_up"] = true }
        return members
    }
}

extension HouseholdFile.Broker {
    fileprivate init(_ json: JSONValue) throws {
        self.init(
            database: URL(filePath: try HouseholdFile.text(json, "broker", "database")),
            port: try HouseholdFile.port(json, "broker"),
            sealingSecret: URL(filePath: try HouseholdFile.text(json, "broker", "sealing_secret_file")),
            agentToken: URL(filePath: try HouseholdFile.text(json, "agent", "token_file")))
        (hostName, proxied) = try HouseholdFile.reach(json, "broker")
        statements = json["broker"]?["statements"]?.stringValue.map { URL(filePath: $0, directoryHint: .isDirectory) }
    }

    fileprivate var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "database": .string(database.path), "port": .number(Double(port)),
            "sealing_secret_file": .string(sealingSecret.path),
        ]
        members["behind_proxy"] = proxied.map(JSONValue.string)
        members["host_name"] = hostName.map(JSONValue.string)
        members["statements"] = statements.map { .string($0.path) }
        return members
    }
}
