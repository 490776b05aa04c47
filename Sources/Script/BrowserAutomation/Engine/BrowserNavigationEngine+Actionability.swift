import Automation
import Clocks
import Encodings
import HTMLEngine
import Markup
import Selectors

// One rule for every step: it waits until a person could do what it says. The element is there, visible, enabled, at rest,
// and nothing covers it.

/// Something that keeps a person from using an element now, and may go away by itself.
struct Obstacle: Error {
    let error: any Error

    init(_ error: any Error) {
        self.error = error
    }
}

extension BrowserNavigationEngine {
    /// The longest time between two looks at a page: a style sheet changes it without telling so.
    private static let lookInterval = 200
    /// The time after which what a frame does not have is looked for on the page around it.
    private static let frameLimit: Duration = .seconds(2)
    /// The time after which a menu is opened for what the page hides. Until then the page may show it by itself.
    private static let hoverTime: Duration = .seconds(1)

    /// Finds an element and uses it, as soon as a person could.
    ///
    /// A page that scripts can change has ``patience`` for it. A page at rest gets one look.
    ///
    /// - Parameters:
    ///   - hovers: opens the menu that hides the element and that a pointer over it opens.
    ///   - find: returns the element on the page, or throws what is wrong with it.
    ///   - use: uses the element. It throws an ``Obstacle`` where waiting may help.
    /// - Throws: the last reason why the element could not be used.
    @discardableResult func whenReady<Value>(
        _ locator: Locator, hovering hovers: Bool = false, _ find: (Page) throws -> Element,
        _ use: (Page, Element) async throws -> Value
    ) async throws -> Value {
        var mayHover = hovers
        guard hasPage else { throw noPage }
        let began = ContinuousClock.now
        let end = began + patience
        var isFirst = true
        while true {
            let reading = try await render(anew: !isFirst)
            isFirst = false
            do {
                return try await use(reading.page, try find(reading.page))
            } catch {
                guard Self.mayPass(error) else { throw error }
                if await moveToOpenedWindow(includingWritten: true) { continue }
                let now = ContinuousClock.now
                let isAtRest = reading.isPlain && !isArriving
                if isAtRest || now - began > Self.frameLimit, try await leaveFrame(without: find, on: reading.page) {
                    continue
                }
                if mayHover, isAtRest || now - began > Self.hoverTime {
                    mayHover = false
                    if try await openMenu(around: find) { continue }
                }
                guard now < end, !isAtRest else { throw await lastError(error, on: reading.page, find) }
                if case .row? = locator.scope.first?.target, (error as? LocatorError)?.kind == LocatorError.Kind.none,
                    try await !textsWhileScrolling(locator.scope[0]).isEmpty
                {
                    continue
                }
            }
            try await pause(atMost: Self.lookInterval)
        }
    }

    /// Moves the pointer to where a person would, who looks for what a menu hides.
    ///
    /// - Returns: false when the page does not hide such an element.
    private func openMenu(around find: (Page) throws -> Element) async throws -> Bool {
        guard let all = try? await page(in: context, showingHidden: true), let hidden = try? find(all),
            let menu = try? await value(PageScripts.menuAround, hidden.number, .string(PageScripts.searchStore)),
            let id = menu["sharedId"]
        else { return false }
        try await hover(over: id)
        lastReading = nil
        try await pause(atMost: Self.lookInterval)
        return true
    }

    /// Finds an element that a step reads.
    @discardableResult func locate(
        _ locator: Locator, _ find: (Page) throws -> Element
    ) async throws -> (page: Page, element: Element) {
        try await whenReady(locator, find) { ($0, $1) }
    }

    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case is Obstacle: true
        case let error as LocatorError: error.kind == .none
        case let error as FormError: error.code == .notUsable || error.code == .noSuchOption
        // The document leaves while it is looked at.
        case let error as BrowserError: error.code == .refused
        default: false
        }
    }

    private func lastError(_ error: any Error, on page: Page, _ find: (Page) throws -> Element) async -> any Error {
        switch error {
        case let obstacle as Obstacle: obstacle.error
        case let error as LocatorError: await missing(error, on: page, find)
        default: error
        }
    }

    /// Goes to the page around a frame, if that has what the frame does not have.
    private func leaveFrame(without find: (Page) throws -> Element, on page: Page) async throws -> Bool {
        guard activity.window(context).parent != nil, let around = outer.last, (try? find(page)) == nil else {
            return false
        }
        let frame = context
        context = around
        guard let outside = try? await render(anew: true).page, (try? find(outside)) != nil else {
            context = frame
            lastReading = nil
            return false
        }
        outer.removeLast()
        return true
    }

    /// Returns when the page has changed, or after a time in milliseconds.
    func pause(atMost limit: Int) async throws {
        let version = activity.version
        do {
            _ = try await call(PageScripts.change, .number(Double(limit)))
        } catch let error as BrowserError where error.code == .refused {
            try await activity.change(since: version, within: .milliseconds(50))
        }
    }

    public func wait(within limit: Duration?) async { setPatience(limit) }

    public func awaitChange(within limit: Duration) async throws -> Bool {
        try await engine {
            guard hasPage, !isClosed else { return false }
            if await moveToOpenedWindow(includingWritten: true) { return true }
            let reading = try await render()
            guard isArriving || !reading.isPlain else { return false }
            lastReading = nil
            try await pause(atMost: Int(limit.seconds * 1000))
            lastReading = nil
            return true
        }
    }
}
