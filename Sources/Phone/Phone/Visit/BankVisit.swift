import Automation
import BankScript
import Messages

/// The visit of a bank for an approved request: in this process, or in one of its own.
enum BankVisit: Sendable {
    case here(ScriptRunner)
    #if os(Linux)
        case inProcess(ProcessVisit)
    #endif

    /// True if the visit's process ended before it said how the visit ended.
    var isLost: Bool {
        switch self {
        case .here: return false
        #if os(Linux)
            case .inProcess(let visit): return visit.isLost
        #endif
        }
    }

    func run(_ script: BankScript, parameters: [String: ParameterValue]) async throws(RunFailure) -> FetchedDocument {
        switch self {
        case .here(let runner): return try await runner.run(script, parameters: parameters)
        #if os(Linux)
            case .inProcess(let visit):
                guard let document = try await visit.perform(.one(parameters)) else {
                    throw RunFailure(.pdfDownloadFailed, message: "the visit brought no document")
                }
                return document
        #endif
        }
    }

    func run(
        _ script: BankScript, fetching places: [DocumentPlace], naming names: [AccountAlias: String],
        receive: @escaping DocumentReceiver
    ) async throws(RunFailure) {
        switch self {
        case .here(let runner): try await runner.run(script, fetching: places, naming: names, receive: receive)
        #if os(Linux)
            case .inProcess(let visit): _ = try await visit.perform(.several(places, names: names), receive)
        #endif
        }
    }
}

/// A visit whose process ended before it said how the visit ended.
struct LostVisit: Error {
    let failure: RunFailure
    /// A credential other than the user name was given to it, so the bank may have counted a sign-in.
    let mayHaveSignedIn: Bool
}
