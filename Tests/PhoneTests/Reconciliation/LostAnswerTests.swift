import DeviceTrust
import Encodings
import Foundation
import HTTPTypes
import Messages
import PhoneStore
import TestParties
import Testing

@testable import Phone

/// The first try of a decision arrived at the broker, and its answer got lost; the second try meets a conflict.
@Suite("A decision whose answer got lost") struct LostAnswerTests {
    /// The approval that the broker names as the one that counts.
    enum Counting: Sendable, CaseIterable { case none, own, another }

    @Test("counts unless the broker names another approval", arguments: Counting.allCases)
    func counting(_ counting: Counting) async throws {
        try await TestPhone.withRequest { phone, runner, request in
            await phone.broker.answer("decision", with: [.internalServerError, .conflict], standing: .approved)
            switch counting {
            case .none: break
            case .own: await phone.broker.nameLatest()
            case .another: await phone.broker.name(Nonce())
            }
            guard counting == .another else {
                let outcome = try await runner.approve(request, with: phone.verification)
                #expect(outcome == .completed(filename: "\(request.id)-jan-2026.pdf"))
                return
            }
            let error = await #expect(throws: PhoneError.self) {
                try await runner.approve(request, with: phone.verification)
            }
            #expect(error?.code == .notPending)
            let stored = try #require(try await runner.store.request(request.id))
            #expect(stored.status == .expired && stored.errorCode == "OTHER_DEVICE")
            #expect(phone.engine.state.withLock { $0.opened } == 0)
        }
    }

    @Test(
        "is the person's only if the request stands where that decision leads",
        arguments: [
            (Decision.deny, RequestStatus.denied, RequestStatus.denied), (.deny, .approved, .expired),
            (.approve, .denied, .denied), (.approve, .executing, .expired), (.approve, .expired, .expired),
        ])
    func standing(decision: Decision, there: RequestStatus, here: RequestStatus) async throws {
        try await TestPhone.withRequest { phone, runner, request in
            await phone.broker.answer("decision", with: [.internalServerError, .conflict], standing: there)
            do {
                switch decision {
                case .approve: _ = try await runner.approve(request, with: phone.verification)
                case .deny: try await runner.deny(request.id)
                }
                #expect(decision == .deny && there == .denied)
            } catch let error as PhoneError {
                #expect(decision == .approve || there != .denied, "\(error)")
            }
            #expect(try await runner.store.request(request.id)?.status == here)
            #expect(phone.engine.state.withLock { $0.opened } == 0)
        }
    }

    @Test(
        "may arrive yet while the request waits or nothing is known of it",
        arguments: [RequestStatus.pendingApproval, nil], [HTTPResponse.Status.conflict, .tooManyRequests])
    func stillOpen(standing: RequestStatus?, status: HTTPResponse.Status) async throws {
        try await TestPhone.withRequest { phone, runner, request in
            await phone.broker.answer("decision", with: [.internalServerError, status], standing: standing)
            if standing == nil, status == .conflict {
                // A broker of the specification names no state: its conflict says that the first try arrived.
                try await runner.deny(request.id)
                #expect(try await runner.store.request(request.id)?.status == .denied)
                return
            }
            let error = await #expect(throws: PhoneError.self) { try await runner.deny(request.id) }
            #expect(error?.code == .brokerMalformed)
            #expect(try await runner.store.interruptedDecisions(.deny).map(\.id) == [request.id])
        }
    }

    @Test("of a phone that is not paired is not looked up in the broker's list")
    func unpaired() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            await phone.broker.answer("decision", with: [.internalServerError, .conflict], standing: .approved)
            await phone.broker.tell(.status(429))
            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome == .completed(filename: "\(request.id)-jan-2026.pdf"))
        }
    }

    @Test("was a denial, though another device's approval is counted", arguments: [true, false])
    func denial(isApproved: Bool) async throws {
        try await TestPhone.paired { phone in
            await phone.broker.offer([try phone.envelope()])
            let runner = try await phone.storedRunner()
            let request = try #require(try await runner.refresh().pending.first)
            await phone.broker.pairing {
                $0.requirement = Requirement(factors: [], devices: 2, reasons: []).json(approvals: 1)
                $0.isApproved = isApproved
            }
            await phone.broker.answer("decision", with: [.internalServerError, .conflict], standing: .denied)
            try await runner.deny(request.id)
            #expect(try await runner.store.request(request.id)?.status == .denied)
        }
    }

    @Test("was the last approval, if the broker's list does not say that the phone's own waits for another")
    func last() async throws {
        try await TestPhone.paired { phone in
            await phone.broker.offer([try phone.envelope()])
            let runner = try await phone.storedRunner()
            let request = try #require(try await runner.refresh().pending.first)
            await phone.broker.pairing {
                $0.requirement = Requirement(factors: [.deviceSignature], devices: 1, reasons: []).json(approvals: 0)
            }
            await phone.broker.answer("decision", with: [.internalServerError, .conflict], standing: .approved)
            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome == .completed(filename: "\(request.id)-jan-2026.pdf"))
        }
    }
}
