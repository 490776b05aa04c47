import Automation
import CurlClient
import Foundation
import HTMLEngine
import Machine
import Markup

extension EngineError {
    /// Converts an error of the HTML engine to the terms that are the same for every engine.
    package init(_ error: any Error) {
        switch error {
        case let error as EngineError: self = error
        case let error as LocatorError:
            let kind: Kind =
                switch error.kind {
                case .none: .notFound
                case .several: .ambiguous
                case .invalid: .invalidLocator
                }
            self.init(kind, error.finding, candidates: error.candidates.map(\.description))
        case let error as EgressError: self.init(error.isDowngrade ? .insecure : .foreignOrigin, error.description)
        case let error as FormError:
            self.init(.notFillable, error.message)
            isMissingOption = error.code == .noSuchOption
            isMissingPeriod = error.isMissingPeriod
        case let error as DocumentError: self.init(.tooLarge, error.message)
        case let error as NavigationError:
            let kind: Kind =
                switch error.code {
                case .needsJavaScript: .needsJavaScript
                case .secretInURL, .bodyElsewhere: .foreignOrigin
                default: .other
                }
            self.init(kind, error.message)
        case let error as CurlError: self.init(Kind(error.code), error.message)
        case let error as FileError where error.code == EFBIG: self.init(.tooLarge, "\(error)")
        case let error as FileError: self.init(.notKept, "the download could not be kept: \(error)")
        case is CancellationError: self.init(.cancelled, "cancelled")
        default: self.init(.other, "\(error)")
        }
    }
}

extension EgressError {
    fileprivate var isDowngrade: Bool {
        switch code {
        case .plainHTTP, .loopbackHTTP: true
        case .origin: asked.hasPrefix("http:") && allowed.allSatisfy { $0.scheme == "https" }
        case .scheme, .userinfo: false
        }
    }
}

extension EngineError.Kind {
    fileprivate init(_ code: CurlError.Code) {
        self =
            switch code {
            case .timeout: .timeout
            case .tooLarge: .tooLarge
            case .cancelled, .closed: .cancelled
            case .pinMismatch: .keyMismatch
            case .file: .notKept
            default: .network
            }
    }
}
