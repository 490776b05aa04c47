import CurlClient
import HTMLEngine
import Selectors

extension EngineError {
    /// The engine's own errors, in the terms that are the same for every engine.
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
            self.init(kind, error.message, candidates: error.candidates.map(\.description))
        case let error as EgressError: self.init(.foreignOrigin, error.description)
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

extension EngineError.Kind {
    fileprivate init(_ code: CurlError.Code) {
        self =
            switch code {
            case .timeout: .timeout
            case .tooLarge: .tooLarge
            case .cancelled, .closed: .cancelled
            default: .network
            }
    }
}

extension FieldValue {
    init(_ input: EngineInput) {
        self =
            switch input {
            case .text(let text): .text(text)
            case .secret(let secret): .secret(secret)
            }
    }
}

extension JSONRequest {
    init(_ request: EngineRequest) {
        self.init(
            method: request.method, reference: request.reference,
            headers: request.headers.map { (name: $0.name, value: FieldValue($0.value)) },
            body: request.body.map(JSONBody.init))
    }
}

extension JSONBody {
    fileprivate init(_ body: EngineBody) {
        self =
            switch body {
            case .input(let input): .field(FieldValue(input))
            case .number(let number): .number(number)
            case .bool(let bool): .bool(bool)
            case .null: .null
            case .array(let items): .array(items.map(JSONBody.init))
            case .object(let members): .object(members.mapValues(JSONBody.init))
            }
    }
}
