import Encodings
import Foundation
import Secrets
import Synchronization
import TestSupport
import Testing

/// `Tests/Peers/device_trust.py`: a phone and a broker that were written from this module's README alone.
final class PythonPeer: Sendable {
    private let process: Process
    private let input: Pipe
    private let output: Pipe
    private let rest = Mutex(Data())

    init() throws {
        let (process, input, output) = try ChildProcess.starting {
            let process = Process()
            process.executableURL = Peers.python
            process.arguments = [
                Peers.script("device_trust.py").path,
                Repository.file("Sources/Protocol/DeviceTrust/Pairing/ConfirmationWords.swift").path,
            ]
            let (input, output) = (Pipe(), Pipe())
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            return (process, input, output)
        }
        self.process = process
        self.input = input
        self.output = output
    }

    /// Sends one line and reads one.
    func ask(_ question: JSONValue) throws -> JSONValue {
        try input.fileHandleForWriting.write(contentsOf: Data((question.compactText() + "\n").utf8))
        return try rest.withLock { rest in
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { rest = Data(rest[rest.index(after: end)...]) }
                    return try JSONReader.read(rest[..<end])
                }
                let more = output.fileHandleForReading.availableData
                try #require(!more.isEmpty, "the peer has ended")
                rest += more
            }
        }
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
