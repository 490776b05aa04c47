import BankScript
import Foundation
import Secrets
import Selectors

/// A browser as the interpreter needs it: pages, and what locators find on them.
///
/// `HTMLNavigationEngine` in the module HTMLAutomation is the first implementation. A real browser behind W3C WebDriver
/// BiDi can be another, with the same scripts.
///
/// Each method that changes the page returns when the new page is there. All of them throw ``EngineError``.
public protocol NavigationEngine: Sendable {
    func open(_ reference: String) async throws
    func follow(_ link: Locator) async throws
    func fill(_ field: Locator, with input: Input) async throws
    func choose(_ option: String, in list: Locator) async throws
    func check(_ box: Locator, _ isOn: Bool) async throws
    func press(_ button: Locator) async throws
    /// Submits the form that owns the field, with the form's default button.
    func submit(formOf field: Locator) async throws
    /// Submits a form without a button, as the page's own script would.
    ///
    /// - Parameter fields: values to set before, by their names in the form's data; hidden ones too.
    func submit(form: Locator, with fields: [(name: String, value: Input)]) async throws
    /// Chooses an option that is a secret: its name is in no message and in no record of the page.
    func choose(secret option: Secret, in list: Locator) async throws
    /// Presses a button whose identity is a secret: no record of the page shows which one.
    func press(unseen button: Locator) async throws
    /// Returns the names of the buttons that would submit the form that owns the field, in the page's order. The first
    /// one is the form's default button.
    func submitButtons(formOf field: Locator) async throws -> [String]
    /// Returns what a field wants instead of a value that it could never hold, as the end of a sentence about the value,
    /// e.g. “must have at most 6 characters”; nil when it can hold the value. Changes nothing on the page.
    func rule(of field: Locator, brokenBy value: Secret) async throws -> String?
    /// Returns the fields of one character each that hold a code together, by the name of their group or by the first of
    /// them. Empty for a usual field; this is the default.
    func characterFields(of field: Locator) async throws -> [Locator]
    func enter(frame: Locator) async throws
    func reload() async throws
    /// Goes back to the previous page.
    func back() async throws

    /// Returns the text of each element that the locator finds, in document order; empty when it finds none.
    func texts(_ locator: Locator) async throws -> [String]
    /// Returns the text of each of these elements that a person sees something of. The default leaves none out.
    func shownTexts(_ locator: Locator) async throws -> [String]
    /// Returns the text of each row of a table or a list, without rows of headers.
    func rows() async throws -> [String]
    /// Returns the text of the one element that the locator finds, as a person reads it.
    func text(of locator: Locator) async throws -> String
    func attribute(_ name: String, of locator: Locator) async throws -> String?
    /// Returns the text, or an attribute, of the one element that the locator finds in a part of a page, or in XML, that came as
    /// an answer or inside it. The default finds nothing.
    func value(of locator: Locator, attribute: String?, inMarkup markup: String) async throws -> String?
    /// Returns the picture that an `img` shows.
    func picture(_ image: Locator) async throws -> Prompt.Picture
    /// Returns the page that is open; nil before the first one.
    func page() async -> EnginePage?
    /// Returns the session's cookies, in the jar's order.
    func cookies() async -> [(name: String, value: String)]
    /// Returns the session's cookies that have one of these names, each with its place and its end. The default finds none.
    func deviceCookies(named names: [String]) async throws -> [DeviceCookie]
    /// Puts cookies of an earlier visit into the session, before its first page.
    func put(_ cookies: [DeviceCookie]) async throws
    /// Returns the open page for a report, with what the locator finds outlined; nil when no page is open, or when the
    /// engine cannot show one.
    func snapshot(outlining locator: Locator?) async -> (any PageSnapshot)?
    /// Returns the kinds and names of the open page's links, buttons and fields, without anything of a person's; nil when no page is
    /// open. The default is nil.
    ///
    /// - Parameter texts: the script's texts in lower case. A part with such a name keeps it.
    func skeleton(knowing texts: Set<String>) async -> PageSkeleton?
    /// Returns the text of the oldest dialog that no rule of the script names and no error has told of, and forgets all such
    /// dialogs. Nil without one.
    func takeUntoldDialog() async -> String?

    /// The longest time for the open page to show by itself what a step looks for. The default is zero: pages change by
    /// steps alone.
    var patience: Duration { get }
    /// Sets the patience for the next steps; nil for the engine's own. An engine whose pages change by steps alone ignores it.
    func wait(within limit: Duration?) async
    /// Waits until the open page may have changed by itself, or for a time.
    ///
    /// - Returns: false, at once, when nothing but a step changes the page. This is the default.
    func awaitChange(within limit: Duration) async throws -> Bool

    func request(_ request: EngineRequest) async throws -> EngineAnswer
    func download(_ source: EngineDownload, to file: URL, limit: Int) async throws -> EngineFile
    /// True if ``download(_:to:limit:)`` may be called again while it runs. The default is false.
    var downloadsSideBySide: Bool { get }
    /// Sets the check that the engine makes before it sends a body again because a redirect asks for it (307 and 308).
    ///
    /// The engine throws the check's error unchanged and sends nothing. An engine that implements
    /// ``watch(_:before:)`` need not implement this.
    func beforeRepeating(_ check: @escaping @Sendable () throws -> Void) async
    /// Sets the check that an engine makes before a page sends a secret, for engines that run the pages' scripts.
    ///
    /// The engine stops the exchange if the check throws, and the step under way, or the next one, throws that error
    /// unchanged. An engine whose pages send nothing by themselves need not implement this.
    func watch(_ secret: Secret, before check: @escaping @Sendable () throws -> Void) async throws
    func close() async
}

extension NavigationEngine {
    public func rows() async throws -> [String] { try await texts(.css("tr:has(td), li, [role=row]")) }

    public func shownTexts(_ locator: Locator) async throws -> [String] { try await texts(locator) }

    public var downloadsSideBySide: Bool { false }

    public var patience: Duration { .zero }

    public func wait(within limit: Duration?) async {}

    public func awaitChange(within limit: Duration) async throws -> Bool { false }

    public func value(of locator: Locator, attribute: String?, inMarkup markup: String) async throws -> String? { nil }

    public func back() async throws {
        throw EngineError(.refused, "this browser does not go back; open the page again")
    }

    public func submit(form: Locator, with fields: [(name: String, value: Input)]) async throws {
        throw EngineError(.refused, "this browser submits a form with its button only")
    }

    public func choose(secret option: Secret, in list: Locator) async throws {
        throw EngineError(.refused, "this browser chooses no secrets")
    }

    public func press(unseen button: Locator) async throws { try await press(button) }

    public func submitButtons(formOf field: Locator) async throws -> [String] { [] }

    public func rule(of field: Locator, brokenBy value: Secret) async throws -> String? { nil }

    public func characterFields(of field: Locator) async throws -> [Locator] { [] }

    public func deviceCookies(named names: [String]) async throws -> [DeviceCookie] { [] }

    public func put(_ cookies: [DeviceCookie]) async throws {
        throw EngineError(.refused, "this browser takes no cookies of an earlier visit")
    }

    public func snapshot(outlining locator: Locator?) async -> (any PageSnapshot)? { nil }

    public func skeleton(knowing texts: Set<String>) async -> PageSkeleton? { nil }

    public func takeUntoldDialog() async -> String? { nil }

    public func beforeRepeating(_ check: @escaping @Sendable () throws -> Void) async {}

    public func watch(_ secret: Secret, before check: @escaping @Sendable () throws -> Void) async throws {}
}

/// An engine that works on a thread of its own, and lets a run stay on that thread.
///
/// It serves one budget, a fetch at most 1.25 times bare libcurl: a run on the engine's thread switches no threads. An
/// engine without such a thread conforms to ``NavigationEngine`` alone.
public protocol ThreadConfinedEngine: NavigationEngine {
    /// The executor of the engine's thread; nil when it has none at the moment.
    var executor: (any TaskExecutor)? { get }
    /// The actor that the engine's work is isolated to.
    var isolation: any Actor { get }
}

/// A page as it was at one moment. It holds everything that the page holds: keep only what ``sanitised()`` returns.
public protocol PageSnapshot: Sendable {
    /// With query; mask it before showing it.
    var url: String { get }
    var title: String { get }
    var status: Int { get }
    /// The number of elements that the locator found.
    var matchCount: Int { get }
    /// A picture of the page; nil from an engine that draws none, or where the picture could show something private.
    var picture: PagePicture? { get }

    /// Returns the page as HTML without scripts, values that its fields came with, and secrets. It shows what was filled
    /// in, secrets as dots, and outlines what the locator found.
    ///
    /// - Parameter keepsDigits: shows the digits of account numbers and amounts, instead of dots.
    func sanitised(keepingDigits keepsDigits: Bool) -> String
}

extension PageSnapshot {
    public var picture: PagePicture? { nil }

    /// Returns the page as HTML that may be kept: the digits of account numbers and amounts are dots too.
    public func sanitised() -> String { sanitised(keepingDigits: false) }
}
