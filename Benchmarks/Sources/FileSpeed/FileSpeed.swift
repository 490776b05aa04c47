import Foundation
import Measuring

/// 100,000 bookings in a file of each format, read by `countersign transactions --check` and by libraries of others. Each program runs
/// from its start to its end.
///
///     FileSpeed BENCHMARKS PYTHON [COUNT]
@main
struct FileSpeed {
    private struct Format {
        let name: String
        let ending: String
        let peers: [String]
        /// Facts that the file does not state.
        var options: [String] = []
    }

    private static let rounds = 3
    private static let columns =
        "booked=Buchungstag,counterparty=Name,purpose=Verwendungszweck,amount=Betrag,currency=Waehrung"

    private static let formats = [
        Format(
            name: "CSV", ending: "csv", peers: ["csv"],
            options: ["--columns", columns + ",valued=Valuta,counterparty_account=IBAN"]),
        Format(name: "QIF", ending: "qif", peers: ["quiffen"], options: ["--currency", "EUR", "--date-order", "dmy"]),
        Format(name: "OFX", ending: "ofx", peers: ["ofxtools"]),
        Format(name: "MT940", ending: "sta", peers: ["mt-940"]),
        Format(name: "CAMT.053", ending: "xml", peers: ["lxml"]),
        Format(name: "XLSX", ending: "xlsx", peers: ["openpyxl"], options: ["--columns", columns]),
    ]

    static func main() throws {
        let arguments = CommandLine.arguments
        let count = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 100_000
        guard arguments.count > 2, count > 0 else { fatalError("usage: FileSpeed BENCHMARKS PYTHON [COUNT]") }
        let products = URL(filePath: arguments[0]).deletingLastPathComponent()
        let script = URL(filePath: arguments[1]).appending(path: "Peers/bookings.py").path
        let folder = FileManager.default.temporaryDirectory.appending(path: "bookings-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let launching = Launching(launch: products.appending(path: "Launch"))
        let program = products.appending(path: "countersign").path
        _ = try launching.run([arguments[2], script, "make", folder.path, "\(count)"])
        for format in formats {
            let file = folder.appending(path: "bookings.\(format.ending)").path
            let command = [program, "transactions", "--check"] + format.options + [file]
            try checkCount(program, format, file, count)
            var ours: [Cost] = []
            var theirs: [String: [Cost]] = [:]
            for _ in 0..<rounds {
                ours.append(try launching.run(command, home: folder))
                for peer in format.peers {
                    theirs[peer, default: []].append(try launching.run([arguments[2], script, peer, file]))
                }
            }
            let own = median(ours.map(\.wall))
            for peer in format.peers {
                let costs = theirs[peer] ?? []
                printRow("\(count) bookings, \(format.name), to \(peer)", own, median(costs.map(\.wall)), atMost: 0.5)
                printRow(
                    "the same: peak memory", "\(memory(ours)) MB to \(memory(costs)) MB",
                    value: Double(memory(ours)) / Double(max(memory(costs), 1)))
            }
        }
    }

    /// Checks that all bookings are read: one that is passed over would cost nothing.
    private static func checkCount(_ program: String, _ format: Format, _ file: String, _ count: Int) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = ["transactions", "--format", "csv"] + format.options + [file]
        process.environment = Environment.bare
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let lines = output.fileHandleForReading.readDataToEndOfFile().count { $0 == 0x0A }
        process.waitUntilExit()
        guard lines == count + 1 else { fatalError("\(file) has \(count) bookings, and \(lines - 1) were read") }
    }

    private static func memory(_ costs: [Cost]) -> Int { (costs.map(\.memory).max() ?? 0) >> 10 }
}
