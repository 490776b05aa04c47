/// The events that broker and phone record: an ``AuditEvent`` is made of one of these, and of nothing else.
package enum AuditKind: String, Sendable, Hashable, CaseIterable {
    // MARK: Requests and approvals

    case requestCreated = "request.created"
    case requestReceived = "request.received"
    case requestSent = "request.sent"
    case requestPendingApproval = "request.pending_approval"
    case requestApproved = "request.approved"
    case requestExecuting = "request.executing"
    case requestCompleted = "request.completed"
    case requestFailed = "request.failed"
    case requestDenied = "request.denied"
    case requestExpired = "request.expired"
    case requestRefused = "request.refused"
    /// An agent asked for what waits already, and is named on its card.
    case requestFolded = "request.folded"
    /// A state without an event of its own.
    case requestChanged = "request.changed"
    case approvalSigned = "approval.signed"
    case approvalWaiting = "approval.waiting"
    case approvalRefused = "approval.refused"
    case holdSet = "hold.set"
    case holdOverridden = "hold.overridden"

    // MARK: Documents

    case documentDelivered = "document.delivered"
    case documentFiled = "document.filed"
    case documentFilingFailed = "document.filing_failed"
    case documentSentToPaperless = "document.sent_to_paperless"
    case documentInPaperless = "document.in_paperless"
    case documentPaperlessFailed = "document.paperless_failed"
    /// An agent listed the documents that it has.
    case documentsListed = "documents.listed"
    /// An agent searched the texts of its documents.
    case documentsSearched = "documents.searched"
    /// An agent got the file of a document.
    case documentSent = "document.sent"
    /// An agent got the text of a document.
    case documentRead = "document.read"
    case deliveryRejected = "delivery.rejected"
    case deliveriesDiscarded = "deliveries.discarded"
    case webhookDelivered = "webhook.delivered"
    case webhookFailed = "webhook.failed"
    /// The owner opened a kept copy on the page.
    case copyOpened = "copy.opened"
    case copyChanged = "copy.changed"
    case copiesKept = "copies.kept"
    case copiesDeleted = "copies.deleted"
    /// The owner opened a statement of the inbox on the page.
    case statementOpened = "statement.opened"
    case statementChanged = "statement.changed"

    // MARK: Offers and schedules

    case offerMade = "offer.made"
    case offerOpened = "offer.opened"
    case offerCompleted = "offer.completed"
    case offerDismissed = "offer.dismissed"
    case offerExpired = "offer.expired"
    /// A state without an event of its own.
    case offerChanged = "offer.changed"
    case scheduleAdded = "schedule.added"
    case scheduleRemoved = "schedule.removed"

    // MARK: Devices, pairing and agents

    case pairingOpened = "pairing.opened"
    case pairingClaimed = "pairing.claimed"
    case pairingConfirmed = "pairing.confirmed"
    case pairingDone = "pairing.done"
    case pairingEnded = "pairing.ended"
    case pairingRefused = "pairing.refused"
    case pairingWrongCode = "pairing.wrong_code"
    case pairingFailed = "pairing.failed"
    case devicePaired = "device.paired"
    case deviceConnected = "device.connected"
    case deviceRenamed = "device.renamed"
    case deviceRemoved = "device.removed"
    case deviceRemovalRefused = "device.removal_refused"
    case deviceRotated = "device.rotated"
    case deviceRotationRequested = "device.rotation_requested"
    case deviceRotationAgreed = "device.rotation_agreed"
    case deviceDefaultSwitched = "device.default_switched"
    case rotationFailed = "rotation.failed"
    case agentAdded = "agent.added"
    case agentRemoved = "agent.removed"
    /// A program elsewhere asks to become an agent.
    case clientAsked = "client.asked"
    case clientAllowed = "client.allowed"
    case clientDenied = "client.denied"
    /// A person named another number than the browser that waits shows, or a signature did not fit.
    case clientRefused = "client.refused"
    case clientRemoved = "client.removed"
    /// A code or a token came twice, so that it was stolen; the program lost its rights.
    case clientTokenReused = "client.token_reused"
    /// Calls without a valid token, with their number.
    case tokenRefused = "token.refused"

    // MARK: The vault and its owner

    case verificationFailed = "verification.failed"
    case vaultRekeyed = "vault.rekeyed"
    case vaultRequiresBoth = "vault.requires_both"
    case vaultRestored = "vault.restored"
    case credentialsStored = "credentials.stored"
    case credentialsRemoved = "credentials.removed"
    /// A bank knows this phone again from now on, by cookies in the vault.
    case bankKnowsPhone = "bank.knows_phone"
    case bankForgotPhone = "bank.forgot_phone"
    case passkeyAdded = "passkey.added"
    case passkeyRemoved = "passkey.removed"
    case passkeyRenamed = "passkey.renamed"
    case passkeyFailed = "passkey.failed"
    /// A code that adds or removes a passkey was shown at the terminal.
    case passkeyCodeShown = "passkey.code_shown"
    case totpAdded = "totp.added"
    case totpEdited = "totp.edited"
    case totpDeleted = "totp.deleted"
    case totpLinked = "totp.linked"
    case totpUnlinked = "totp.unlinked"
    /// The codes of the vault were shown on the page.
    case totpShown = "totp.shown"
    /// A code was shown at the terminal.
    case totpCodeShown = "totp.code_shown"
    case totpShownAsQr = "totp.shown_as_qr"
    case totpImported = "totp.imported"
    case totpExported = "totp.exported"
    case totpSynced = "totp.synced"
    case totpSyncStopped = "totp.sync_stopped"
    case totpInvited = "totp.invited"
    case totpJoined = "totp.joined"

    // MARK: What may run, and who decides

    /// A script may use credentials from now on.
    case scriptAccepted = "script.accepted"
    /// An accepted script may not run any more.
    case scriptRevoked = "script.revoked"
    /// The vault vouches for the policy and the accepted scripts.
    case policyAccepted = "policy.accepted"
    case policyChanged = "policy.changed"
    case policyRefused = "policy.refused"
    /// The program runs with plug-ins of others.
    case pluginsLoaded = "plugins.loaded"
    case phoneSetUp = "phone.set_up"
    case accountRenamed = "account.renamed"

    // MARK: The page and the broker

    case pageOpened = "page.opened"
    /// The page's address with a code was shown at the terminal.
    case pageAddressShown = "page.address_shown"
    case pageSignedIn = "page.signed_in"
    case pageBrowserForgotten = "page.browser_forgotten"
    case pageCertificateRenewed = "page.certificate_renewed"
    /// Devices have to trust the page's next authority.
    case pageAuthorityReplaced = "page.authority_replaced"
    case notificationsAdded = "notifications.added"
    case notificationsRemoved = "notifications.removed"
    /// Browsers have to subscribe to the next key.
    case notificationsKeyReplaced = "notifications.key_replaced"
    case pinSet = "pin.set"
    case pinReset = "pin.reset"
    case pinMismatch = "pin.mismatch"
    case brokerStarted = "broker.started"
    case brokerStartedRefused = "broker.started_refused"
    case brokerStartedUnheard = "broker.started_unheard"
    case brokerUnproven = "broker.unproven"
    case brokerUnprovenAllowed = "broker.unproven_allowed"
    case brokerFlood = "broker.flood"
    case brokerResealed = "broker.resealed"
    /// Transactions of the archive were exported.
    case archiveExported = "archive.exported"
    /// A copy of the broker was made.
    case brokerBackedUp = "broker.backed_up"
    case brokerRestored = "broker.restored"
    /// The owner of a household changed what its parts are told.
    case settingsChanged = "settings.changed"
    case certificateRenewed = "certificate.renewed"
    case certificateRefused = "certificate.refused"

    // MARK: The log itself

    case auditViewed = "audit.viewed"
    case auditExported = "audit.exported"
    case auditPruned = "audit.pruned"
}

extension AuditKind {
    /// Returns the event of a request that went into a state, such as `APPROVED`.
    package static func request(_ state: String) -> AuditKind {
        AuditKind(rawValue: "request.\(state.lowercased())") ?? .requestChanged
    }

    /// Returns the event of an offer that went into a state, such as `DISMISSED`.
    package static func offer(_ state: String) -> AuditKind {
        AuditKind(rawValue: "offer.\(state.lowercased())") ?? .offerChanged
    }
}
