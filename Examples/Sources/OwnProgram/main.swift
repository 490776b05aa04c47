import Authoring
import CountersignCommandLine
import ExampleBank
import Foundation
import HTMLAutomation
import InboxJournal
import LookUp
import MessageGateway
import NtfyChannel
import QuaysideExport
import SystemdCredentials
import TPMKey

// The whole command line, with an own bank, source of codes, credential provider, engine, channel, inbox, device key, step and
// kind of files.
let recording = URL(filePath: "visit.har")
let message = URL(filePath: "message.txt")
let credentials = URL(filePath: ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] ?? "credentials")

await Countersign.main(
    with: .standard + [
        .script(ExampleBank.script, version: "1.0"),
        .codeSource("gateway", MessageGateway(file: message)),
        .credentials("service", SystemdCredentials(folder: credentials)),
        .channel("ntfy", NtfyChannel(server: "http://127.0.0.1:2586", topic: "statements")),
        .inbox("journal", InboxJournal(file: URL(filePath: "deliveries.txt"))),
        .deviceKey("tpm", TPMKeyMaker(), version: "1.0"),
        .step(LookUpStep.self, version: "1.0"),
        .engine("recording") { script, _ in
            let archive = try HTTPArchive(reading: Data(contentsOf: recording))
            return try HTMLNavigationEngine(
                for: script, configuration: EngineConfiguration(transport: ReplayTransport(archive)))
        },
    ], fileKinds: [QuaysideExport.kind])
