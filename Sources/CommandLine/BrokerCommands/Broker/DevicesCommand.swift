import ArgumentParser
import Broker
import BrokerStore
import Clocks
import CountersignPlugins
import Encodings
import Foundation
import HouseholdCommands
import KeyVault
import Phone
import Terminal

package struct DevicesCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List, rename, rotate or remove the devices paired with a broker.",
        discussion: """
            Works on the broker's database (BROKER_DATABASE_PATH), whether the broker runs or not. With --from-phone, list \
            and remove ask the broker as this machine's paired phone. A change takes effect at the device's next call. DEVICE is a device's id, its first four or more characters, or its name.
            """,
        subcommands: [
            DevicesListCommand.self, DevicesRenameCommand.self, DevicesRotateCommand.self, DevicesRemoveCommand.self,
            DevicesDefaultCommand.self,
        ])
    package init() {}
}

struct DevicesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the paired devices.")

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var phone: FromPhoneOptions

    func run() async throws {
        try await reportingFailures {
            guard !phone.fromPhone else { return try await listFromPhone() }
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
            if Console.isTerminal, !devices.isEmpty || seen != nil {
                return Console.standard.table(
                    Self.table(of: devices, defaultSeen: seen, isOn: try await store.isDefaultDeviceOn(), at: Date()))
            }
            for device in devices {
                let rotation = device.isRotationRequested ? "  (gets new credentials at its next call)" : ""
                Console.standard.line(
                    "\(device.id)  \(device.name.inLine())  paired \(device.createdAt)  seen "
                        + "\(device.lastSeenAt?.description ?? "never")\(rotation)")
            }
            if let seen {
                let isOff = try await store.isDefaultDeviceOn() ? "" : "  (off)"
                Console.standard.line("default  the phone of PHONE_API_TOKEN  seen \(seen)\(isOff)", .faint)
            }
            if devices.isEmpty { Console.standard.line("no device is paired; start with: countersign pair", .faint) }
        }
    }

    static func table(of devices: [PairedDevice], defaultSeen: Timestamp?, isOn: Bool, at now: Date) -> Table {
        var table = Table("ID", "NAME", "PAIRED", "SEEN", "")
        for device in devices {
            table.add(
                device.id.short, device.name, device.createdAt.date.ago(at: now),
                device.lastSeenAt?.date.ago(at: now) ?? "never",
                device.isRotationRequested ? "gets new credentials" : "")
        }
        if let defaultSeen {
            table.add(
                "default", "the phone of PHONE_API_TOKEN", "", defaultSeen.date.ago(at: now), isOn ? "" : "off",
                style: .faint)
        }
        return table
    }

    private func listFromPhone() async throws {
        let devices = try await phone.devices().list(with: phone.verification())
        if !json, Console.isTerminal {
            var table = Table("ID", "NAME", "SEEN", "")
            for device in devices {
                table.add(
                    device.id.short, device.name, device.lastSeenAt?.date.ago() ?? "never",
                    device.isThisPhone ? "this phone" : "")
            }
            return Console.standard.table(table)
        }
        for device in devices {
            let seen = device.lastSeenAt.map { "\($0)" }
            if json {
                let line: JSONValue = [
                    "device_id": .string("\(device.id)"), "device_name": .string(device.name),
                    "last_seen_at": seen.map(JSONValue.string) ?? .null, "this_phone": .bool(device.isThisPhone),
                ]
                Console.standard.line(line.compactText())
            } else {
                Console.standard.line(
                    "\(device.id)  \(device.name)  seen \(seen ?? "never")\(device.isThisPhone ? "  (this phone)" : "")"
                )
            }
        }
    }
}

/// A command about devices that the broker performs for a paired phone, instead of for its own machine's owner.
struct FromPhoneOptions: ParsableArguments {
    @Flag(help: "Ask the broker as this machine's paired phone, for example when another phone was lost.")
    var fromPhone = false

    @OptionGroup var vault: VaultOptions

    func devices() throws -> PairedDevices {
        PairedDevices(
            of: try vault.home.phone(), keys: DeviceKeyMakers(Plugins.current.deviceKeys),
            sockets: HouseholdFile.current?.brokerSockets(ofPhone: vault.phoneHome.folder) ?? [:])
    }

    func verification() throws -> PassphraseVerification { PassphraseVerification(try vault.passphrase()) }
}

/// A paired device, named on the command line.
struct DeviceArgument: ParsableArguments {
    @Argument(help: "The device's id, its beginning, or its name.", completion: .devices)
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

            When a phone was lost, remove it with --from-phone on any machine with another paired phone: the passphrase \
            of that phone's vault confirms it, and its device key signs.
            """)

    @OptionGroup var device: DeviceArgument

    @OptionGroup var phone: FromPhoneOptions

    func run() async throws {
        guard !phone.fromPhone else {
            return try await reportingFailures {
                let removed = try await phone.devices().remove(device.device, with: phone.verification())
                let answer: JSONValue = ["device_id": .string("\(removed.id)"), "removed": true]
                Console.standard.line(
                    device.json ? answer.compactText() : "\(removed.name) (\(removed.id)) is removed")
            }
        }
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

struct DevicesDefaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "default", abstract: "Switch the default device, the phone of PHONE_API_TOKEN, on or off.",
        discussion: """
            The default device approves without a signature. The first pairing switches it off. It takes effect at once, \
            without a restart of the broker.
            """)

    enum Position: String, ExpressibleByArgument, CaseIterable { case on, off }

    @Argument(help: "on or off.")
    var position: Position

    func run() async throws {
        try await reportingFailures {
            try await BrokerAdministration.onThisMachine().devices.switchDefaultDevice(on: position == .on)
            Console.standard.line("the default device is \(position.rawValue)")
        }
    }
}
