import ArgumentParser
import Foundation
import Secrets

/// The end of a command that failed: one line for the person, and an exit status.
package struct CommandFailure: Error, CustomStringConvertible {
    /// The failure and its remedy, without secrets.
    package let message: String
    package let status: Int32

    package var description: String { message }

    package init(_ message: String, status: Int32 = 1) {
        self.message = OwnPaths.redact(message)
        self.status = status
    }
}

/// An error in what the person configured. A command ends with status 2, as for a wrong command line.
package protocol ConfigurationError: Error {}

/// Runs a command's work, and turns every error that it throws into a ``CommandFailure``.
///
/// An `ExitCode` is thrown as it is: the command has printed what there is to say.
package func reportingFailures<Value>(_ work: () async throws -> Value) async throws -> Value {
    do {
        return try await work()
    } catch let error as ExitCode {
        throw error
    } catch {
        throw CommandFailure(of: error)
    }
}

extension CommandFailure {
    /// Returns the end of a command that an error ends.
    package init(of error: any Error) {
        switch error {
        case let error as CommandFailure: self = error
        case let error as any ConfigurationError: self.init("\(error)", status: 2)
        case let error as CocoaError: self.init(error.sentence)
        default: self.init("\(error)")
        }
    }
}

extension CocoaError {
    /// The path and the system's reason, e.g. “/no/such/file: No such file or directory”.
    fileprivate var sentence: String { [filePath, reason].compactMap { $0 }.joined(separator: ": ") }

    /// The system's reason, without the path.
    package var reason: String {
        (underlying as? POSIXError).map { String(cString: strerror($0.code.rawValue)) } ?? localizedDescription
    }
}
