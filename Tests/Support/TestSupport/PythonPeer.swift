import Encodings
import Foundation
import Secrets
import Synchronization
import Testing

/// A program of `Tests/Peers` that answers lines of JSON with lines of JSON: a party that was written from the published
/// text alone.
package final class PythonPeer: Sendable {
    private let process: Process
    private let input: Pipe
    private let output: Pipe
    private let rest = Mutex(Data())

    /// Starts `device_trust.py`, a phone and a broker that pair, or another script with the same argument: the file with the
    /// list of confirmation words.
    package init(_ script: String = "device_trust.py") throws {
        let (process, input, output) = try ChildProcess.starting {
            let process = Process()
            process.executableURL = Peers.python
            process.arguments = [
                Peers.script(script).path,
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
    package func ask(_ question: JSONValue) throws -> JSONValue {
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

    package func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
