import Encodings

#if os(Linux)
    import CLinux
    import Foundation

    /// Tries, in a confined process, what such a process must not be able to do: the proof that the confinement holds on this
    /// system.
    package enum ProbeTask: ConfinedTask {
        package static let name = "probe"

        package static func prepare() {}

        /// The deeds, in the order in which they are tried.
        package static let deeds: [(name: String, number: Int)] = [
            ("open a file", COUNTERSIGN_PROBE_OPEN), ("create a file", COUNTERSIGN_PROBE_CREATE),
            ("open a connection", COUNTERSIGN_PROBE_CONNECT), ("start a program", COUNTERSIGN_PROBE_EXECUTE),
            ("start a process", COUNTERSIGN_PROBE_FORK), ("signal its parent", COUNTERSIGN_PROBE_SIGNAL),
            ("trace its parent", COUNTERSIGN_PROBE_TRACE), ("read its parent's memory", COUNTERSIGN_PROBE_READ_MEMORY),
            ("run data as code", COUNTERSIGN_PROBE_RUN_DATA), ("limit its parent", COUNTERSIGN_PROBE_LIMIT),
        ].map { ($0.0, Int($0.1)) }

        /// Tries the deeds on the file `path` and the process `victim` of the order.
        ///
        /// - Returns: for each deed the error number; 0 for one that succeeded.
        package static func perform(_ order: JSONValue, on bytes: [UInt8]) -> ConfinedAnswer {
            let victim = pid_t(order["victim"]?.intValue ?? 0)
            let path = order["path"]?.stringValue ?? "/etc/passwd"
            let codes = deeds.map { JSONValue.number(Double(countersign_probe(Int32($0.number), path, victim))) }
            return ConfinedAnswer(["codes": .array(codes)])
        }

        /// Starts a confined process and has it try all deeds, with this process as the victim. Blocks.
        ///
        /// - Returns: the deeds that succeeded. Empty when the confinement holds.
        /// - Throws: ``ConfinedReaderError``.
        package static func escapes(
            _ reader: ConfinedReader, path: String = "/etc/passwd"
        ) throws(ConfinedReaderError) -> [String] {
            let order: JSONValue = ["victim": .number(Double(getpid())), "path": .string(path)]
            let codes = try reader.perform(order, on: []).facts["codes"]?.arrayValue?.compactMap(\.intValue) ?? []
            guard codes.count == deeds.count else { throw .malformed("it did not try everything") }
            return zip(deeds, codes).filter { $1 == 0 }.map(\.0.name)
        }
    }
#endif
