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

        /// The deeds that a fenced process must not be able to do either. It makes connections and starts processes, and a kernel
        /// before Linux 6.12 lets it send signals.
        package static let fencedDeeds = [
            "open a file", "create a file", "start a program", "trace its parent", "read its parent's memory",
            "limit its parent",
        ]

        /// Returns the deeds that succeeded, of those in an answer of ``perform(_:on:)``.
        package static func escapes(_ answer: JSONValue, of names: [String]) throws(ConfinedReaderError) -> [String] {
            let codes = answer["codes"]?.arrayValue?.compactMap(\.intValue) ?? []
            guard codes.count == deeds.count else { throw .malformed("it did not try everything") }
            return zip(deeds, codes).filter { $1 == 0 && names.contains($0.name) }.map(\.0.name)
        }

        /// Starts a confined process and has it try all deeds, with this process as the victim. Blocks.
        ///
        /// - Returns: the deeds that succeeded. Empty when the confinement holds.
        /// - Throws: ``ConfinedReaderError``.
        package static func escapes(
            _ reader: ConfinedReader, path: String = "/etc/passwd"
        ) throws(ConfinedReaderError) -> [String] {
            let order: JSONValue = ["victim": .number(Double(getpid())), "path": .string(path)]
            return try escapes(try reader.perform(order, on: []).facts, of: deeds.map(\.name))
        }
    }
#endif
