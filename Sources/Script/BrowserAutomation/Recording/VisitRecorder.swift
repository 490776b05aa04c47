import Encodings
import HTMLEngine
import Markup
import Secrets
import Synchronization
import WebURL

/// Turns the messages of the function that watches a page into actions of the person.
final class VisitRecorder: Sendable {
    /// The name of the channel that pages report on.
    static let channel = "countersign-recorder"

    private struct State {
        var sink: AsyncStream<VisitorAction>.Continuation?
        var closed: Set<String> = []
        /// The window or frame of the last action.
        var last: String?
        var windows: Set<String> = []
        /// Begins to watch a document. It is called on the connection's thread and must not wait.
        var watch: (@Sendable (_ context: String) -> Void)?
    }

    private let state = Mutex(State())

    /// Returns the actions from now on. The stream ends with the last window.
    func begin(watching watch: @escaping @Sendable (_ context: String) -> Void) -> AsyncStream<VisitorAction> {
        let (stream, sink) = AsyncStream<VisitorAction>.makeStream()
        state.withLock { state in
            state.sink = sink
            state.watch = watch
        }
        return stream
    }

    func end() { state.withLock { $0.sink?.finish() } }

    func hear(_ event: BiDiConnection.Event) {
        guard let sink = state.withLock({ $0.sink }) else { return }
        let details = event.parameters
        switch event.method {
        case "script.message" where details["channel"] == .string(Self.channel):
            let context = details["source"]?["context"]?.stringValue ?? ""
            guard let text = details["data"]?["value"]?.stringValue, var action = Self.action(text) else { return }
            action.hasLeftFrames = state.withLock { state in
                defer { state.last = context }
                return state.last.map { $0 != context && state.closed.contains($0) } ?? false
            }
            sink.yield(action)
        case "script.realmCreated" where details["sandbox"] == nil:
            guard let context = details["context"]?.stringValue else { return }
            state.withLock { $0.watch }?(context)
        case "browsingContext.downloadWillBegin": sink.yield(VisitorAction(kind: .download))
        case "browsingContext.contextCreated":
            guard details["parent"]?.stringValue == nil, let context = details["context"]?.stringValue else { return }
            state.withLock { _ = $0.windows.insert(context) }
        case "browsingContext.contextDestroyed":
            guard let context = details["context"]?.stringValue else { return }
            let isEmpty = state.withLock { state in
                state.closed.insert(context)
                return state.windows.remove(context) != nil && state.windows.isEmpty
            }
            if isEmpty { sink.finish() }
        default: break
        }
    }

    /// Reads a page's report; nil when it is not one.
    private static func action(_ text: String) -> VisitorAction? {
        guard let json = try? JSONReader.read(text, limits: JSONLimits(size: BiDiConnection.maximumMessage)),
            let written = json["page"]?.stringValue, let page = try? page(written),
            let number = json["number"]?.intValue
        else { return nil }
        let kind: VisitorAction.Kind
        switch json["kind"]?.stringValue {
        case "click": kind = .click
        case "type": kind = .type(Secret(json["value"]?.stringValue ?? ""))
        case "choose": kind = .choose(json["value"]?.stringValue ?? "")
        case "check": kind = .check(json["value"] == true)
        case "submit": kind = .submit
        default: return nil
        }
        let mark = String(number)
        let element = page.document.root?.descendants.first { $0[attribute: PageScripts.number] == mark }
        let frames = (json["frames"]?.arrayValue ?? []).map { frame in
            VisitorAction.Frame(
                id: frame["id"]?.stringValue ?? "", name: frame["name"]?.stringValue ?? "",
                position: frame["position"]?.intValue ?? 0)
        }
        return VisitorAction(kind: kind, page: page, element: element, frames: frames)
    }

    private static func page(_ written: String) throws -> Page {
        let json = try JSONReader.read(written, limits: JSONLimits(size: BiDiConnection.maximumMessage))
        return try Page(
            rendered: json["source"]?.stringValue ?? "", contentType: "text/html; charset=utf-8", status: 200,
            headers: [],
            url: URLRecord(parsing: json["url"]?.stringValue ?? ""))
    }
}
