// Tests of Signer.
