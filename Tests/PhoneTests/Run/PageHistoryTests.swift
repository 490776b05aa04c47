import Automation
import BankScript
import Encodings
import Foundation
import PhoneStore
import TestParties
import TestSupport
import Testing

@testable import Phone

@Suite("A page that changes while its script works")
struct PageHistoryTests {
    private static let script = BankScript("default", named: "Meridian Savings", at: "https://bank.example") {
        Open("/login")
        Fill("Username", with: .username)
        Fill("Password", with: .password)
        Press("Sign in")
        Download("PDF")
    }

    private func page(_ names: String..., used: Set<String> = ["Sign in"]) -> PageSkeleton {
        PageSkeleton(title: "Accounts", parts: names.map { .init(.link, $0, isUsed: used.contains($0)) })
    }

    private func run(_ month: Int, _ page: PageSkeleton, on phone: TestPhone) async throws {
        phone.engine.tell { $0.skeleton = page }
        try await phone.approve(month: month, phone.services(Self.script))
    }

    private func drift(_ arguments: String..., on phone: TestPhone) async throws -> CountersignProcess.Outcome {
        try await CountersignProcess(["phone", "drift", "--home", phone.home.folder.path] + arguments).run()
    }

    @Test("is told of with what it was and what it is, and ends with status 1 only where the script uses what changed")
    func told() async throws {
        try await TestPhone.with { phone in
            let store = try phone.runner().store
            try await run(1, page("Sign in", "Accounts", "Statements", "Help"), on: phone)
            try await run(2, page("Sign in", "Accounts", "Statements", "Help"), on: phone)
            #expect(try await store.changedPages().isEmpty)

            try await run(3, page("Sign in", "Accounts", "Documents", "Help"), on: phone)
            let changed = try #require(try await store.changedPages().first)
            #expect(changed.changes.sentence == "the bank renamed 1 link that this script does not use")
            #expect(!changed.touchesScript && changed.step == 1 && changed.before.parts.count == 4)
            let told = try await drift(on: phone)
            #expect(told.status == 0, "\(told.all)")
            #expect(told.output.contains("the bank renamed 1 link that this script does not use"), "\(told.all)")
            #expect(
                told.output.contains("-link “Statements”") && told.output.contains("+link “Documents”"), "\(told.all)")

            try await run(4, page("Log on", "Accounts", "Statements", "Help"), on: phone)
            let used = try await drift("--json", on: phone)
            #expect(used.status == 1, "\(used.all)")
            let line = try JSONReader.read(Data(used.output.utf8))
            #expect(
                line["uses"] == true && line["changes"]?.arrayValue?.first == "link “Sign in” is called “Log on” now")

            try await run(5, page("Sign in", "Accounts", "Statements", "Help"), on: phone)
            #expect(try await store.changedPages().isEmpty)
        }
    }

    @Test("begins with a run that came to its end, and is told by one that fails")
    func failed() async throws {
        try await TestPhone.with { phone in
            let store = try phone.runner().store
            try await store.keepSkeletons([1: "{}"], ofBank: "default", digest: "1", isWhole: false, at: Date())
            #expect(try await store.skeletons().isEmpty)
            try await run(1, page("Sign in", "Accounts", "Statements"), on: phone)
            #expect(try await store.skeletons().count == 1)
            phone.engine.tell { $0.pressError = EngineError(.other, "no answer") }
            try await run(2, page("Continue", "Accounts", "Statements"), on: phone)
            #expect(try await store.changedPages().first?.touchesScript == true)
        }
    }

    @Test("is forgotten with the bank's credentials, and begins anew with another script")
    func forgotten() async throws {
        try await TestPhone.with { phone in
            let store = try phone.runner().store
            try await store.keepSkeletons([1: "{}"], ofBank: "a", digest: "1", isWhole: true, at: Date())
            try await store.keepSkeletons([1: "{}"], ofBank: "b", digest: "1", isWhole: true, at: Date())
            try await store.keepSkeletons([2: "[]"], ofBank: "b", digest: "2", isWhole: true, at: Date())
            #expect(try await store.skeletons().map(\.scriptDigest) == ["1", "2"])
            // Another text than a skeleton is not shown, and nothing fails.
            try await store.keepSkeletons([2: "{}"], ofBank: "b", digest: "2", isWhole: false, at: Date())
            #expect(try await store.changedPages().isEmpty)
            try await store.forgetCredentials(forBank: "a")
            #expect(try await store.skeletons().map(\.bankID) == ["b"])
        }
    }
}
