// Signer: envelopes and manifests.
