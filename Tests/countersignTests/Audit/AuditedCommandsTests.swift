import Broker
import BrokerStore
import Encodings
import Foundation
import Notifications
import PhoneStore
import Storage
import TestSupport
import Testing

@testable import Phone
@testable import Secrets

/// Each command, with the events that it can leave in the audit log of the phone or the broker.
@Suite("The audit log of the commands", .timeLimit(.minutes(5)))
struct AuditedCommandsTests {
    /// The events that a command can leave, or the reason why it leaves none.
    private enum Trace: Sendable {
        case events([AuditKind])
        /// Nothing, for this reason.
        case nothing(String)
    }

    private static let traces: [String: Trace] = [
        "demo": .nothing("runs in a folder of its own, which it removes"),
        "up": .events([.phoneSetUp, .devicePaired, .brokerStarted, .scriptAccepted, .credentialsStored]),
        "status": .nothing("reads"),
        "doctor": .nothing("reads"),
        "report": .nothing("reads, and shows what it writes"),
        "config check": .nothing("reads"),
        "config set": .events([.settingsChanged]),
        "config unset": .events([.settingsChanged]),
        "config show": .nothing("reads, without secrets"),
        "request": .events([.requestCreated]),
        "requests": .nothing("lists the agent's own requests"),
        "approve": .events([.approvalSigned, .requestApproved, .holdOverridden, .verificationFailed]),
        "deny": .events([.requestDenied, .verificationFailed]),
        "banks list": .nothing("reads"),
        "banks add": .events([.credentialsStored, .policyAccepted, .scriptAccepted, .verificationFailed]),
        "agent offers list": .nothing("reads"),
        "agent offers add": .events([.offerMade]),
        "agent offers withdraw": .events([.offerDismissed]),
        "schedule add": .events([.scheduleAdded]),
        "schedule list": .nothing("reads"),
        "schedule remove": .events([.scheduleRemoved]),
        "agent mcp": .events([.requestCreated, .documentsListed, .documentsSearched, .documentRead]),
        "broker serve": .events([.brokerStarted, .pluginsLoaded]),
        "broker check": .nothing("reads"),
        "broker backup": .events([.brokerBackedUp]),
        "broker restore": .events([.brokerRestored]),
        "broker audit list": .events([.auditViewed]),
        "broker audit export": .events([.auditExported]),
        "broker audit verify": .nothing("reads"),
        "broker filings": .nothing("reads"),
        "broker identity": .nothing("shows public keys"),
        "broker rotate": .events([.brokerResealed]),
        "agent add": .events([.agentAdded]),
        "agent list": .nothing("reads"),
        "agent remove": .events([.agentRemoved]),
        "pair": .events([.pairingOpened, .pairingConfirmed, .pairingEnded]),
        "devices list": .nothing("reads"),
        "devices rename": .events([.deviceRenamed]),
        "devices rotate": .events([.deviceRotationRequested]),
        "devices remove": .events([.deviceRemoved]),
        "devices default": .events([.deviceDefaultSwitched]),
        "broker policy lint": .nothing("reads"),
        "broker policy test": .nothing("reads"),
        "archive columns": .nothing("reads a file of the owner's"),
        "transactions": .nothing("reads files of the owner's"),
        "agent receipt get": .nothing("prints what the broker signs about the agent's own request"),
        "agent receipt verify": .nothing("works without a broker"),
        "phone setup": .events([.phoneSetUp, .scriptAccepted, .credentialsStored, .brokerUnprovenAllowed, .pinSet]),
        "phone pair": .events([.devicePaired, .pairingFailed]),
        "phone pending": .events([.requestReceived, .requestRefused, .verificationFailed]),
        "phone offers": .events([.offerOpened, .offerDismissed, .verificationFailed]),
        "phone serve": .events([
            .pageOpened, .pageSignedIn, .pluginsLoaded, .auditPruned, .copyOpened, .statementOpened,
            .totpShown, .verificationFailed, .pairingOpened, .pairingDone, .pairingEnded,
        ]),
        "phone address": .events([.pageAddressShown]),
        "phone authority show": .events([.pageAuthorityReplaced]),
        "phone authority rotate": .events([.pageAuthorityReplaced]),
        "phone notifications list": .nothing("reads"),
        "phone notifications rotate": .events([.notificationsKeyReplaced, .notificationsRemoved]),
        "phone passkey code": .events([.passkeyCodeShown]),
        "phone trust show": .events([.verificationFailed]),
        "phone trust reset": .events([.pinReset, .pinSet, .verificationFailed]),
        "phone discover": .nothing("looks for brokers"),
        "phone accounts list": .nothing("reads"),
        "phone accounts rename": .events([.accountRenamed]),
        "phone audit list": .events([.auditViewed]),
        "phone audit export": .events([.auditExported]),
        "phone audit verify": .nothing("reads"),
        "phone banks list": .events([.verificationFailed]),
        "phone banks change": .events([.credentialsStored, .verificationFailed]),
        "phone banks program": .events([.credentialsStored, .verificationFailed]),
        "phone banks connect": .events([.approvalRefused, .credentialsStored, .verificationFailed]),
        "phone banks remove": .events([.credentialsRemoved, .verificationFailed]),
        "phone banks remove-device": .events([.bankForgotPhone, .verificationFailed]),
        "phone passphrase change": .events([.vaultRekeyed, .verificationFailed]),
        "phone policy accept": .events([.policyAccepted, .verificationFailed]),
        "phone scripts list": .nothing("reads"),
        "phone scripts remove": .events([.scriptRevoked]),
        "phone failures": .events([.verificationFailed]),
        "phone drift": .nothing("reads"),
        "phone accept-backup": .events([.vaultRestored]),
        "phone remove": .nothing("deletes the phone with its log"),
        "totp add": .events([.totpAdded, .totpLinked, .verificationFailed]),
        "totp list": .events([.verificationFailed]),
        "totp code": .events([.totpCodeShown, .verificationFailed]),
        "totp rename": .events([.totpEdited]),
        "totp remove": .events([.totpDeleted]),
        "totp link": .events([.totpLinked]),
        "totp unlink": .events([.totpUnlinked]),
        "totp import": .events([.totpImported]),
        "totp export": .events([.totpExported]),
        "totp qr": .events([.totpShownAsQr]),
        "totp sync status": .nothing("reads"),
        "totp sync use": .events([.totpSynced]),
        "totp sync stop": .events([.totpSyncStopped]),
        "totp sync invite": .events([.totpInvited]),
        "totp sync join": .events([.totpJoined]),
        "archive list": .nothing("reads"),
        "archive find": .nothing("reads"),
        "archive add": .nothing("files what the owner has already"),
        "archive verify": .nothing("reads"),
        "archive rebuild": .nothing("reads the owner's files"),
        "archive remove": .nothing("changes the index alone"),
        "archive export": .events([.archiveExported]),
        "archive gaps": .nothing("reads"),
        "assistant serve": .nothing("has the assistant's own log"),
        "assistant worker": .nothing("has the assistant's own log"),
        "assistant enclave": .nothing("has the assistant's own log"),
        "assistant kms serve": .nothing("has the assistant's own log"),
        "assistant kms rotate": .nothing("has the assistant's own log"),
        "assistant kms versions": .nothing("has the assistant's own log"),
        "assistant kms remove": .nothing("has the assistant's own log"),
        "assistant kms log": .nothing("has the assistant's own log"),
        "assistant rotate": .nothing("has the assistant's own log"),
        "assistant notifications list": .nothing("reads"),
        "assistant notifications rotate": .nothing("has the assistant's own log"),
        "assistant invite": .nothing("has the assistant's own log"),
        "script list": .nothing("works on files of a script's author"),
        "script new": .nothing("works on files of a script's author"),
        "script record": .nothing("works on files of a script's author"),
        "script shell": .nothing("works on files of a script's author"),
        "script lint": .nothing("works on files of a script's author"),
        "script run": .nothing("works on files of a script's author"),
        "script test": .nothing("works on files of a script's author"),
        "script replay": .nothing("works on files of a script's author"),
        "script dev": .nothing("works on files of a script's author"),
        "script drift": .nothing("reads recordings"),
        "script mcp": .nothing("reads scripts and recordings of a folder"),
        "script results on": .nothing("sends nothing by itself"), "script results off": .nothing("sends nothing"),
        "script results show": .nothing("reads"), "script results write": .nothing("writes files for the owner"),
        "script results send": .nothing("sends what it shows, after a yes"),
        "script mend": .nothing("proposes, and accepts nothing"),
        "script search": .nothing("reads"),
        "script get": .nothing("writes a file that runs only after script accept"),
        "script vouch": .nothing("writes a file beside the script"),
        "script collection add": .nothing("adds a list of scripts, of which none runs before script accept"),
        "script collection list": .nothing("reads"),
        "script collection update": .nothing("changes lists, and no script that is accepted"),
        "script collection remove": .nothing("leaves what is accepted"),
        "script collection make": .nothing("works on files of a script's author"),
        "script survey": .nothing("works on files of a script's author"),
        "script export": .nothing("works on files of a script's author"),
        "script schema": .nothing("works on files of a script's author"),
        "script accept": .events([.scriptAccepted]),
        "script plugins list": .nothing("reads"),
        "script mockbank serve": .nothing("is a bank for trials"),
        "script mockbank fints": .nothing("is a bank for trials"),
    ]

    @Test("names every command")
    func whole() async throws {
        let root = try await ProgramCommand.help()
        #expect(Set(Self.leaves(of: root)) == Set(Self.traces.keys))
    }

    private static func leaves(of command: JSONValue, under path: [String] = []) -> [String] {
        let all = command["subcommands"]?.arrayValue ?? []
        return all.filter { $0["commandName"] != "help" }.flatMap { below -> [String] in
            let words = path + [below["commandName"]?.stringValue ?? ""]
            let deeper = leaves(of: below, under: words)
            return deeper.isEmpty ? [words.joined(separator: " ")] : deeper
        }
    }

    /// A phone's home and a broker's database, deleted with this object.
    private final class Place: Sendable {
        let folder: TemporaryFolder
        let home: PhoneHome

        init() async throws {
            folder = try TemporaryFolder()
            home = PhoneHome(folder.appending("home"), scrypt: .cheapForTests)
            try home.prepare()
            try await home.vault.create(passphrase: Secret("a good passphrase")).close()
            _ = try PhoneDatabase(home)
            _ = try BrokerDatabase(folder.appending("broker/broker.sqlite"))
            try write("right", "a good passphrase\n")
            try write("wrong", "another passphrase\n")
        }

        func write(_ name: String, _ text: String) throws {
            let file = folder.appending(name)
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }

        func path(_ name: String) -> String { folder.appending(name).path }

        func run(_ arguments: [String]) async throws -> CountersignProcess.Outcome {
            try await CountersignProcess(
                arguments,
                environment: [
                    "HOME": folder.url.path, "COUNTERSIGN_HOME": home.folder.path,
                    "BROKER_DATABASE_PATH": path("broker/broker.sqlite"),
                    "BROKER_PHONE_SHARED_SECRET": "a shared secret of more than thirty-two bytes",
                ], in: folder.url
            ).run()
        }

        /// The types of the events in both logs.
        func events() async throws -> [String] {
            let phone = try await PhoneDatabase(home).audit.records()
            let broker = try await BrokerAudit.open(folder.appending("broker/broker.sqlite")).records()
            return (phone + broker).map(\.event.type)
        }
    }

    /// A command, and the event that it has to leave.
    private static let steps: [(words: String, kind: AuditKind)] = [
        ("totp add --uri-file URI --passphrase-file RIGHT", .totpAdded),
        ("totp code --passphrase-file RIGHT", .totpCodeShown),
        ("totp edit robin --issuer Meridian --passphrase-file RIGHT", .totpEdited),
        ("totp link Meridian --bank default --passphrase-file RIGHT", .totpLinked),
        ("totp unlink --bank default --passphrase-file RIGHT", .totpUnlinked),
        ("totp delete Meridian --yes --passphrase-file RIGHT", .totpDeleted),
        ("script accept SCRIPT --digest DIGEST", .scriptAccepted),
        ("phone policy accept --passphrase-file RIGHT", .policyAccepted),
        ("phone scripts revoke DIGEST", .scriptRevoked),
        ("phone banks change default --credentials LOGIN --passphrase-file RIGHT", .credentialsStored),
        (
            "phone banks program default password --yes --passphrase-file RIGHT -- /bin/echo lovelace-1843",
            .credentialsStored
        ),
        ("phone banks remove default --passphrase-file RIGHT", .credentialsRemoved),
        ("phone passkey code", .passkeyCodeShown),
        ("phone authority rotate --host-name phone.example --yes", .pageAuthorityReplaced),
        ("phone notifications rotate --yes", .notificationsKeyReplaced),
        ("phone audit list", .auditViewed),
        ("phone audit export --format csv", .auditExported),
        ("agents add books", .agentAdded),
        ("agents remove books", .agentRemoved),
        ("broker backup BACKUP --passphrase-file RIGHT", .brokerBackedUp),
        ("broker audit list", .auditViewed),
        ("broker audit export", .auditExported),
    ]

    @Test("has what the owner did at the terminal")
    func walk() async throws {
        let place = try await Place()
        try place.write("uri", "otpauth://totp/Meridian%20Savings:robin?secret=CANARYCANARYCANARYCANARYCANARYCA")
        try place.write("login.json", #"{"username": "robin", "password": "a long password of the bank"}"#)
        let script = Repository.file("BankScripts/DefaultBank/meridian-savings.yaml")
        let text = try String(contentsOf: script, encoding: .utf8)
        try place.write("script.yaml", text.replacing("bank: default", with: "bank: other"))
        let asked = try await place.run([
            "script", "accept", place.path("script.yaml"), "--digest", String(repeating: "0", count: 12),
        ])
        let digest = try #require(asked.all.firstMatch(of: /read: --digest ([0-9a-f]{12})/)).1
        let words = [
            "URI": place.path("uri"), "RIGHT": place.path("right"), "SCRIPT": place.path("script.yaml"),
            "DIGEST": String(digest), "LOGIN": place.path("login.json"), "BACKUP": place.path("copy.sqlite"),
        ]
        _ = try await place.run(["phone", "authority", "--host-name", "phone.example"])
        _ = try ApplicationServer(keyFile: place.home.pushKeyFile, subject: nil)
        for step in Self.steps {
            let before = try await place.events()
            let outcome = try await place.run(step.words.split(separator: " ").map { words[String($0)] ?? String($0) })
            #expect(outcome.status == 0, "\(step.words): \(outcome.all)")
            let counts = [before, try await place.events()].map { events in events.count { $0 == step.kind.rawValue } }
            #expect(counts[1] == counts[0] + 1, "\(step.words) leaves no \(step.kind.rawValue)")
        }
        let accepted = try await PhoneDatabase(place.home).audit.records(AuditFilter(type: "script.accepted"))
        let details = try #require(accepted.first?.event.details)
        #expect(details["digest"]?.stringValue?.hasPrefix(digest) == true && details["bank_id"] == "other")
        #expect(details["origins"]?.stringValue?.isEmpty == false)
    }

    @Test(
        "has each wrong passphrase at the terminal",
        arguments: [
            "totp list", "totp code", "phone pending", "phone banks list", "phone approve", "phone failures",
            "phone trust show", "phone policy accept",
        ])
    func wrongPassphrase(words: String) async throws {
        let place = try await Place()
        let outcome = try await place.run(
            words.split(separator: " ").map(String.init) + ["--passphrase-file", place.path("wrong")])
        #expect(outcome.status != 0, "\(outcome.all)")
        let records = try await PhoneDatabase(place.home).audit.records(AuditFilter(type: "verification.failed"))
        #expect(records.count == 1, "\(outcome.all)")
        #expect(records.first?.event.details["means"] == "passphrase")
    }
}
