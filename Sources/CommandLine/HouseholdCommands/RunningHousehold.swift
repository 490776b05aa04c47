import Encodings
import Foundation
import Machine
import Terminal

/// The record of a household that runs: its processes, each by its id and the time at which it began.
package struct RunningHousehold {
    /// A process. Ids are used again: the time tells whether it is still the same.
    struct Member: Equatable {
        var name: String
        var id: Int32
        /// Clock ticks since the machine was started (proc(5), field 22 of stat).
        var began: UInt64
        /// True of a broker whose port another program has, so that it answers at its socket alone.
        var lacksPort = false

        init?(_ name: String, id: Int32) {
            guard let began = Self.beginning(of: id) else { return nil }
            (self.name, self.id, self.began) = (name, id, began)
        }

        init?(_ json: JSONValue) {
            guard let name = json["name"]?.stringValue, let id = json["pid"]?.intValue.flatMap(Int32.init(exactly:)),
                id > 1, let began = json["began"]?.stringValue.flatMap(UInt64.init)
            else { return nil }
            (self.name, self.id, self.began) = (name, id, began)
            lacksPort = json["lacks_port"] == true
        }

        var json: JSONValue {
            var members: [String: JSONValue] = [
                "name": .string(name), "pid": .number(Double(id)), "began": .string("\(began)"),
            ]
            if lacksPort { members["lacks_port"] = true }
            return .object(members)
        }

        var isAlive: Bool { Self.beginning(of: id) == began }

        /// Returns nil when there is no such process, or it has ended and its parent has not noticed.
        private static func beginning(of id: Int32) -> UInt64? {
            guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
                // The name, in parentheses, may hold spaces and parentheses.
                let close = text.lastIndex(of: ")")
            else { return nil }
            let fields = text[text.index(after: close)...].split(separator: " ")
            guard fields.count > 19, fields[0] != "Z" else { return nil }
            return UInt64(fields[19])
        }
    }

    static let up = "up"
    static let broker = "broker"

    private let file: URL
    private let lockFile: URL

    package init(dataFolder: URL) {
        file = dataFolder.appending(path: "running.json")
        lockFile = dataFolder.appending(path: "up.lock")
    }

    /// Takes the household for this process. Returns nil when another one has it.
    func lock() throws -> FileLock? { try FileLock(lockFile) }

    /// The processes that still run.
    var members: [Member] {
        guard let bytes = try? OpenedFile(file, links: .followed).bytes(atMost: 1 << 20),
            let json = try? JSONReader.read(bytes)
        else { return [] }
        return (json.arrayValue ?? []).compactMap(Member.init).filter(\.isAlive)
    }

    package var isRunning: Bool { !members.isEmpty }

    func record(_ members: [Member]) throws {
        try AtomicFile.replaceUnderLock(JSONValue.array(members.map(\.json)).compactBytes(), to: file)
    }

    func forget() { unlink(file.path) }

    /// Ends the household: `countersign up`, which ends the others, or those that it left behind.
    ///
    /// - Returns: the names of the processes that were ended.
    /// - Throws: ``CommandFailure`` when one does not end.
    func stop() async throws -> [String] {
        let all = members
        let first = all.filter { $0.name == Self.up }
        try await end(first.isEmpty ? all : first)
        // Processes whose parent was killed.
        try await end(members)
        forget()
        return all.map(\.name)
    }

    private func end(_ members: [Member]) async throws {
        for member in members { kill(member.id, SIGTERM) }
        let deadline = ContinuousClock.now + .seconds(40)
        while members.contains(where: \.isAlive) {
            guard ContinuousClock.now < deadline else {
                let left = members.filter(\.isAlive).map { "\($0.name) (process \($0.id))" }
                throw CommandFailure(
                    "\(left.joined(separator: ", ")) did not end within 40 s; look at its log, then end it with kill")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
