import Automation
import CurlClient
import DOM
import HTMLEngine
import Selectors

extension EngineError {
    /// Converts an error of the HTML engine to the terms that are the same for every engine.
    init(_ error: any Error) {
        switch error {
        case let error as EngineError: self = error
        case let error as LocatorError:
            let kind: Kind =
                switch error.kind {
                case .none: .notFound
                case .several: .ambiguous
                case .invalid: .invalidLocator
                }
            self.init(kind, error.withoutPlace, candidates: error.candidates.map(\.description))
        case let error as EgressError: self.init(error.isDowngrade ? .insecure : .foreignOrigin, error.description)
        case let error as FormError: self.init(.notFillable, error.message)
        case let error as DocumentError: self.init(.tooLarge, error.message)
        case let error as NavigationError:
            self.init(error.code == .needsJavaScript ? .needsJavaScript : .other, error.message)
        case let error as CurlError: self.init(Kind(error.code), error.message)
        case is CancellationError: self.init(.cancelled, "cancelled")
        default: self.init(.other, "\(error)")
        }
    }
}

extension LocatorError {
    /// The message without the page and the candidates, which a failure lists separately.
    fileprivate var withoutPlace: String {
        let head = message.firstRange(of: "\(locator)").map { message[..<$0.upperBound] } ?? message[...]
        switch kind {
        case .invalid: return message
        case .several: return "\(head); say which one"
        case .none:
            let rest = message[head.endIndex...]
            guard let advice = rest.firstRange(of: "; the page needs") ?? rest.firstRange(of: "; the page has ") else {
                return String(head)
            }
            return String(head) + rest[advice.lowerBound...].replacing("; nearest on the page:", with: "")
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
            default: .network
            }
    }
}
