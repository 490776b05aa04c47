import BankScript
import Clocks
import Encodings
import Foundation
import Messages

/// The work of one visit.
enum VisitWork: Sendable {
    /// The statement that these parameters choose.
    case one([String: ParameterValue])
    /// These documents, with the bank's names of accounts.
    case several([DocumentPlace], names: [AccountAlias: String])

    var count: Int {
        switch self {
        case .one: 1
        case .several(let places, _): places.count
        }
    }

    var json: JSONValue {
        switch self {
        case .one(let parameters): ["parameters": .object(parameters.mapValues { .string($0.text) })]
        case .several(let places, let names):
            [
                "places": .array(places.map(\.json)),
                "names": .object(
                    Dictionary(uniqueKeysWithValues: names.map { ($0.key.description, .string($0.value)) })),
            ]
        }
    }

    init?(_ json: JSONValue?) {
        if let parameters = json?["parameters"]?.objectValue {
            self = .one(parameters.compactMapValues { $0.stringValue.map { ParameterValue($0) } })
            return
        }
        guard let items = json?["places"]?.arrayValue, let members = json?["names"]?.objectValue else { return nil }
        let places = items.compactMap(DocumentPlace.init(json:))
        let names = members.compactMap { name, value -> (AccountAlias, String)? in
            guard let alias = AccountAlias(name), let text = value.stringValue else { return nil }
            return (alias, text)
        }
        guard places.count == items.count, names.count == members.count else { return nil }
        self = .several(places, names: Dictionary(names, uniquingKeysWith: { first, _ in first }))
    }
}

/// All that a process is told to visit a bank. No secret is in it: each is asked for when it is used.
struct VisitOrder: Sendable {
    var script: JSONValue
    var work: VisitWork
    /// The folder for documents, of this visit alone.
    var folder: URL
    /// A PEM file with a certificate authority to trust besides the system's.
    var authority: URL?
    var sharesNetwork: Bool
    var limit: Duration
    var codesRefusedBefore: Int
    /// The end of a message about a missing credential.
    var advice: String?
    /// The names of the sources of codes that are plugged in.
    var codeSources: [String]
    /// The number of the first step that is not performed, for a visit that ends behind its sign-in; nil for a whole one.
    var end: Int?

    var json: JSONValue {
        [
            "script": script, "work": work.json, "folder": .string(folder.path),
            "authority": authority.map { .string($0.path) } ?? .null, "shares_network": .bool(sharesNetwork),
            "limit": .number(limit.seconds), "refused_codes": .number(Double(codesRefusedBefore)),
            "advice": advice.map(JSONValue.string) ?? .null,
            "code_sources": .array(codeSources.map(JSONValue.string)),
            "end": end.map { .number(Double($0)) } ?? .null,
        ]
    }

    init?(_ json: JSONValue) {
        guard let script = json["script"], let work = VisitWork(json["work"]),
            let folder = json["folder"]?.stringValue, let sharesNetwork = json["shares_network"]?.boolValue,
            let limit = json["limit"]?.numberValue, let codes = json["refused_codes"]?.intValue
        else { return nil }
        self.init(
            script: script, work: work, folder: URL(filePath: folder, directoryHint: .isDirectory),
            authority: json["authority"]?.stringValue.map { URL(filePath: $0) }, sharesNetwork: sharesNetwork,
            limit: .seconds(limit), codesRefusedBefore: codes, advice: json["advice"]?.stringValue,
            codeSources: json["code_sources"]?.arrayValue?.compactMap(\.stringValue) ?? [], end: json["end"]?.intValue)
    }

    init(
        script: JSONValue, work: VisitWork, folder: URL, authority: URL?, sharesNetwork: Bool, limit: Duration,
        codesRefusedBefore: Int, advice: String?, codeSources: [String],
        end: Int? = nil
    ) {
        self.script = script
        self.work = work
        self.folder = folder
        self.authority = authority
        self.sharesNetwork = sharesNetwork
        self.limit = limit
        self.codesRefusedBefore = codesRefusedBefore
        self.advice = advice
        self.codeSources = codeSources
        self.end = end
    }
}
