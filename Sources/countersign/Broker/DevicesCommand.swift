import ArgumentParser
import Broker
import Foundation
import JSON

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List, rename, rotate or remove the devices paired with the broker on this machine.",
        discussion: """
            Works on the broker's database (BROKER_DATABASE_PATH), whether the broker runs or not. A change takes effect \
            at the device's next call. DEVICE is a device's id, its first four or more characters, or its name.
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
        try await reportingFailures {
            let store = try BrokerAdministration.onThisMachine().devices
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
            if devices.isEmpty { Console.standard.line("no device is paired; start with: countersign pair", .faint) }
        }
    }
}

/// A paired device, named on the command line.
struct DeviceArgument: ParsableArguments {
    @Argument(help: "The device's id, its beginning, or its name.")
    var device: String

    @Flag(help: "Print JSON.")
    var json = false

    /// Changes the device, and prints the outcome.
    ///
    /// - Parameter change: returns the outcome in words and in JSON.
    func run(
        _ change: (DeviceStore, PairedDevice) async throws -> (words: String, json: [String: JSONValue])
    ) async throws {
        try await reportingFailures {
            let store = try BrokerAdministration.onThisMachine().devices
            let found = try await store.device(called: device)
            let said = try await change(store, found)
            let members = said.json.merging(["device_id": .string(found.id.description)]) { $1 }
            Console.standard.line(json ? JSONValue.object(members).compactText() : said.words)
        }
    }
}

struct DevicesRenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "rename", abstract: "Rename a device.")

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The new name, 1 to 64 characters.")
    var name: String

    func run() async throws {
        try await device.run { store, found in
            try await store.rename(found.id, to: name)
            return ("\(found.id) is now called “\(name)”", ["device_name": .string(name)])
        }
    }
}

struct DevicesRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Give a device a new token and a new secret.",
        discussion: """
            The device stays paired. It exchanges its credentials when it next opens its vault with no run in progress; the \
            old token expires when the new one is first used.
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
        commandName: "remove", abstract: "Remove a device at once.",
        discussion: """
            Its token stops working, its approvals of open requests become void, and requests that it was about to run \
            fail with DEVICE_REMOVED. To use the device again, pair it again.
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
