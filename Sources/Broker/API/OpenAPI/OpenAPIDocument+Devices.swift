extension OpenAPIDocument {
    /// What a paired device does besides approving.
    static let devicePaths = """
        {
          "/phone/device/rotate": { "post": {
            "tags": ["phone"], "operationId": "rotate", "security": [{ "phone": [] }],
            "summary": "A paired device agrees with the broker on a new token and a new secret",
            "description": "Both derive them, with HKDF-SHA256 over both ephemeral keys and the secret that holds now; they \
        are never sent. What holds now goes on until the new token is first used. The default device is answered 409.",
            "requestBody": { "required": true, "content": { "application/json": { "schema": {
              "type": "object", "required": ["device_ephemeral", "nonce"], "additionalProperties": false, "properties": {
                "device_ephemeral": { "$ref": "#/components/schemas/PublicKey" },
                "nonce": { "$ref": "#/components/schemas/Nonce" } } } } } },
            "responses": {
              "200": { "description": "The broker's half", "content": { "application/json": { "schema": {
                "type": "object", "required": ["server_ephemeral", "nonce", "proof"], "properties": {
                  "server_ephemeral": { "$ref": "#/components/schemas/PublicKey" },
                  "nonce": { "$ref": "#/components/schemas/Nonce" },
                  "proof": { "$ref": "#/components/schemas/Proof" } } } } } },
              "400": { "$ref": "#/components/responses/BadRequest" },
              "401": { "$ref": "#/components/responses/Unauthorized" },
              "409": { "$ref": "#/components/responses/Conflict" },
              "413": { "$ref": "#/components/responses/TooLarge" },
              "429": { "$ref": "#/components/responses/RateLimited" },
              "500": { "$ref": "#/components/responses/Error" } } } }
        }
        """

    /// The three messages of a pairing, in their order.
    static let pairingPaths = """
        {
          "/pairing/{session}/begin": { "post": {
            "tags": ["pairing"], "operationId": "beginPairing", "security": [],
            "summary": "A device commits to who it is, and hears who the broker is",
            "parameters": [{ "$ref": "#/components/parameters/Session" }],
            "requestBody": { "required": true, "content": { "application/json": { "schema": {
              "type": "object", "required": ["version", "commitment"], "additionalProperties": false, "properties": {
                "version": { "const": "1" },
                "commitment": { "$ref": "#/components/schemas/Proof",
                  "description": "base64url(SHA-256(canonical JSON of the hello that will be shown))" } } } } } },
            "responses": {
              "200": { "description": "The broker's offer, for this attempt alone",
                "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Offer" } } } },
              "400": { "$ref": "#/components/responses/BadRequest" },
              "403": { "$ref": "#/components/responses/Forbidden" },
              "404": { "$ref": "#/components/responses/NotFound" },
              "409": { "$ref": "#/components/responses/Conflict" },
              "410": { "$ref": "#/components/responses/Gone" },
              "413": { "$ref": "#/components/responses/TooLarge" },
              "429": { "$ref": "#/components/responses/RateLimited" },
              "500": { "$ref": "#/components/responses/Error" } } } },
          "/pairing/{session}/claim": { "post": {
            "tags": ["pairing"], "operationId": "claimPairing", "security": [],
            "summary": "The device shows that it knows the code, and that its key is its own",
            "description": "Five wrong codes end the session. The first device that knows the code has it.",
            "parameters": [{ "$ref": "#/components/parameters/Session" }],
            "requestBody": { "required": true, "content": { "application/json": { "schema": {
              "type": "object", "required": ["attempt", "hello", "code_proof", "key_proof"],
              "additionalProperties": false, "properties": {
                "attempt": { "$ref": "#/components/schemas/Nonce" },
                "hello": { "$ref": "#/components/schemas/Hello" },
                "code_proof": { "$ref": "#/components/schemas/Proof" },
                "key_proof": { "$ref": "#/components/schemas/DeviceSignature" } } } } } },
            "responses": {
              "200": { "description": "The person is asked now, at the broker", "content": { "application/json": {
                "schema": { "type": "object", "required": ["broker_proof", "status"], "properties": {
                  "broker_proof": { "$ref": "#/components/schemas/Proof" },
                  "status": { "const": "CLAIMED" } } } } } },
              "400": { "$ref": "#/components/responses/BadRequest" },
              "403": { "$ref": "#/components/responses/Forbidden" },
              "404": { "$ref": "#/components/responses/NotFound" },
              "409": { "$ref": "#/components/responses/Conflict" },
              "410": { "$ref": "#/components/responses/Gone" },
              "413": { "$ref": "#/components/responses/TooLarge" },
              "429": { "$ref": "#/components/responses/RateLimited" },
              "500": { "$ref": "#/components/responses/Error" } } } },
          "/pairing/{session}/finish": { "post": {
            "tags": ["pairing"], "operationId": "finishPairing", "security": [],
            "summary": "The device waits for the person's yes, up to 25 seconds at a time",
            "parameters": [{ "$ref": "#/components/parameters/Session" }],
            "requestBody": { "required": true, "content": { "application/json": { "schema": {
              "type": "object", "required": ["attempt", "proof"], "additionalProperties": false, "properties": {
                "attempt": { "$ref": "#/components/schemas/Nonce" },
                "proof": { "$ref": "#/components/schemas/Proof" } } } } } },
            "responses": {
              "200": { "description": "The device is paired", "content": { "application/json": { "schema": {
                "type": "object", "required": ["status", "device_id", "bank_ids"], "properties": {
                  "status": { "const": "DONE" },
                  "device_id": { "$ref": "#/components/schemas/RequestID" },
                  "bank_ids": { "type": "array", "items": { "type": "string" } } } } } } },
              "202": { "description": "Nobody has answered yet; ask again", "content": { "application/json": { "schema": {
                "type": "object", "required": ["status"], "properties": { "status": { "const": "CLAIMED" } } } } } },
              "400": { "$ref": "#/components/responses/BadRequest" },
              "403": { "$ref": "#/components/responses/Forbidden" },
              "404": { "$ref": "#/components/responses/NotFound" },
              "409": { "$ref": "#/components/responses/Conflict" },
              "410": { "$ref": "#/components/responses/Gone" },
              "413": { "$ref": "#/components/responses/TooLarge" },
              "429": { "$ref": "#/components/responses/RateLimited" },
              "500": { "$ref": "#/components/responses/Error" } } } }
        }
        """

    static let deviceSchemas = """
        {
          "PublicKey": { "type": "string", "pattern": "^B[A-P][A-Za-z0-9_-]{84}[AEIMQUYcgkosw048]$",
            "description": "base64url of the 65 bytes of an uncompressed point on P-256 (SEC 1, section 2.3.3)" },
          "Proof": { "type": "string", "pattern": "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$",
            "description": "base64url of 32 bytes" },
          "DeviceSignature": { "type": "string", "pattern": "^[A-Za-z0-9_-]{85}[AQgw]$",
            "description": "base64url of r and s, 32 bytes each (IEEE P1363): ECDSA on P-256 with SHA-256. DER is refused" },
          "Factor": { "enum": ["passphrase", "passkey", "device_signature"] },
          "Requirement": { "type": "object", "required": ["factors", "devices", "approvals", "reasons"],
            "description": "What the approval needs, by the broker's policy", "properties": {
              "factors": { "type": "array", "items": { "$ref": "#/components/schemas/Factor" } },
              "devices": { "type": "integer", "minimum": 1, "maximum": 5 },
              "approvals": { "type": "integer", "minimum": 0, "maximum": 5,
                "description": "How many devices have approved already" },
              "reasons": { "type": "array", "items": { "type": "string" } } } },
          "Approval": { "type": "object",
            "required": ["device_id", "script", "verified_by", "lease_seconds", "signature"],
            "additionalProperties": false,
            "description": "The signature is over 72 bytes: the broker's id (16), the request's id (16), the SHA-256 of \
        the summary's canonical JSON (32), and the approval's end in milliseconds since 1970 (8, big-endian)",
            "properties": {
              "device_id": { "$ref": "#/components/schemas/RequestID" },
              "script": { "type": "string", "pattern": "^[0-9a-f]{64}$" },
              "verified_by": { "type": "array", "minItems": 1, "maxItems": 2, "uniqueItems": true, "items": {
                "enum": ["passkey", "passphrase"] } },
              "lease_seconds": { "type": "integer", "minimum": 0 },
              "signature": { "$ref": "#/components/schemas/DeviceSignature" } } },
          "Hello": { "type": "object",
            "required": ["device_id", "device_pubkey", "device_name", "device_ephemeral", "device_nonce"],
            "additionalProperties": false, "properties": {
              "device_id": { "$ref": "#/components/schemas/RequestID" },
              "device_pubkey": { "$ref": "#/components/schemas/PublicKey" },
              "device_name": { "type": "string", "minLength": 1, "maxLength": 64 },
              "device_ephemeral": { "$ref": "#/components/schemas/PublicKey" },
              "device_nonce": { "$ref": "#/components/schemas/Nonce" } } },
          "Offer": { "type": "object",
            "required": ["version", "session", "attempt", "server_id", "server_pubkey", "server_ephemeral",
              "server_nonce", "tls_sha256", "created_at", "expires_at"],
            "properties": {
              "version": { "const": "1" },
              "session": { "type": "integer", "minimum": 1, "maximum": 9999 },
              "attempt": { "$ref": "#/components/schemas/Nonce" },
              "server_id": { "$ref": "#/components/schemas/RequestID" },
              "server_pubkey": { "$ref": "#/components/schemas/PublicKey" },
              "server_ephemeral": { "$ref": "#/components/schemas/PublicKey" },
              "server_nonce": { "$ref": "#/components/schemas/Nonce" },
              "tls_sha256": { "type": ["string", "null"], "pattern": "^[0-9a-f]{64}$" },
              "created_at": { "$ref": "#/components/schemas/Time" },
              "expires_at": { "$ref": "#/components/schemas/Time" } } }
        }
        """
}
