import ArgumentParser
import Broker
import Foundation
import JSON
import Signer

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "The devices that are paired with the broker on this machine.",
        discussion: """
            Works on the broker’s database (BROKER_DATABASE_PATH), whether the broker runs or not, and holds from a \
            device’s next call on. DEVICE is a device’s id, the first four characters of it or more, or its name.
            """,
        subcommands: [
            DevicesListCommand.self, DevicesRenameCommand.self, DevicesRotateCommand.self, DevicesRemoveCommand.self,
        ])
}

struct DevicesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the paired devices.")

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await OwnBroker.clearly {
            let store = try OwnBroker.open().devices
            let devices = try await store.devices()
            let seen = try await store.defaultDeviceSeen()
            guard !json else {
                let answer: JSONValue = [
                    "devices": .array(devices.map(\.json)),
                    "default_last_seen_at": seen.map { .string($0.description) } ?? .null,
                ]
                return Console.standard.line(answer.compactText())
            }
            for device in devices {
                let rotation = device.isRotationRequested ? "  (gets new credentials at its next call)" : ""
                Console.standard.line(
                    "\(device.id)  \(device.name)  paired \(device.createdAt)  seen "
                        + "\(device.lastSeenAt?.description ?? "never")\(rotation)")
            }
            if let seen { Console.standard.line("default  the phone of PHONE_API_TOKEN  seen \(seen)", .faint) }
            if devices.isEmpty { Console.standard.line("no device is paired; begin with: countersign pair", .faint) }
        }
    }
}

/// One device of this broker's.
struct DeviceArgument: ParsableArguments {
    @Argument(help: "The device’s id, the beginning of it, or its name.")
    var device: String

    @Flag(help: "Print JSON.")
    var json = false

    /// - Parameter change: gives back what to say.
    func run(
        _ change: (DeviceStore, PairedDevice) async throws -> (words: String, json: [String: JSONValue])
    ) async throws {
        try await OwnBroker.clearly {
            let store = try OwnBroker.open().devices
            let found = try await store.device(called: device)
            let said = try await change(store, found)
            let members = said.json.merging(["device_id": .string(found.id.description)]) { $1 }
            Console.standard.line(json ? JSONValue.object(members).compactText() : said.words)
        }
    }
}

struct DevicesRenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "rename", abstract: "Call a device something else.")

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The new name, 1 to 64 characters.")
    var name: String

    func run() async throws {
        try await device.run { store, found in
            try await store.rename(found.id, to: name)
            return ("\(found.id) is called “\(name)” now", ["device_name": .string(name)])
        }
    }
}

struct DevicesRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Have a device exchange its token and its secret for new ones.",
        discussion: """
            Nothing is paired anew. The device does it by itself when it next opens its vault with nothing running; the \
            old token dies when the new one is first used.
            """)

    @OptionGroup var device: DeviceArgument

    func run() async throws {
        try await device.run { store, found in
            try await store.requestRotation(of: found.id)
            return ("\(found.name) gets new credentials at its next call", ["rotation_requested": true])
        }
    }
}

struct DevicesRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Throw a device out, at once.",
        discussion: """
            Its token opens nothing any more, its approvals of open requests are void, and what it was about to run has \
            failed with DEVICE_REMOVED. To have it back, pair it anew.
            """)

    @OptionGroup var device: DeviceArgument

    func run() async throws {
        try await device.run { store, found in
            let failed = try await store.remove(found.id)
            let what = failed.isEmpty ? "" : "; failed: \(failed.map(\.description).joined(separator: ", "))"
            return (
                "\(found.name) (\(found.id)) is removed\(what)",
                ["removed": true, "failed_requests": .array(failed.map { .string($0.description) })]
            )
        }
    }
}
