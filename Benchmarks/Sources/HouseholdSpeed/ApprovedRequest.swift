import Foundation
import Measuring

/// The times of one approval at a terminal.
struct ApprovedRequest {
    /// The mock bank's code.
    private static let code = Data("123456\n".utf8)
    /// The time from the question until the code is typed, because an answer that is typed too early does not count.
    private static let pause = Duration.milliseconds(200)

    let untilCode: Duration
    let untilDelivered: Duration

    /// Approves the request that waits, and types the code when the bank asks for it.
    init(_ household: RunningHousehold) throws {
        var screen = try Screen()
        let process = Process()
        process.executableURL = household.program
        process.arguments = ["approve", "--passphrase-file", household.passphrase.path]
        process.environment = Environment.bare(home: household.home)
        process.standardInput = screen.side
        process.standardOutput = screen.side
        process.standardError = screen.side
        let begin = ContinuousClock.now
        try process.run()
        // The process has copies, so reading ends when it does.
        try screen.side.close()
        try screen.read(until: "Code: ")
        untilCode = .now - begin
        Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
        try screen.terminal.write(contentsOf: Self.code)
        try screen.read(until: "Delivered: ")
        untilDelivered = .now - begin - Self.pause
        process.waitUntilExit()
    }

    /// A pseudo terminal, and the text that was written to it.
    private struct Screen {
        let terminal: FileHandle
        /// The end of the program that is measured.
        let side: FileHandle
        private var text = ""

        init() throws {
            var (first, second): (Int32, Int32) = (-1, -1)
            guard openpty(&first, &second, nil, nil, nil) == 0 else {
                throw HouseholdProblem("no pseudo terminal: \(String(cString: strerror(errno)))")
            }
            terminal = FileHandle(fileDescriptor: first, closeOnDealloc: true)
            side = FileHandle(fileDescriptor: second, closeOnDealloc: false)
        }

        mutating func read(until mark: String) throws {
            var bytes = [UInt8](repeating: 0, count: 4096)
            while !text.contains(mark) {
                // After the program's end, Linux answers EIO.
                let count = Glibc.read(terminal.fileDescriptor, &bytes, bytes.count)
                guard count > 0 else { throw HouseholdProblem("“\(mark)” was not shown:\n\(text)") }
                text += String(decoding: bytes[..<count], as: UTF8.self)
            }
        }
    }
}
