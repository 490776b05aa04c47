extension OpenAPIDocument {
    /// Specification, section 10.2, and the start of an execution.
    static let phonePaths = """
        {
          "/phone/requests/pending": { "get": {
            "tags": ["phone"], "operationId": "pendingRequests", "security": [{ "phone": [] }],
            "summary": "The signed envelopes that wait for the person",
            "responses": {
              "200": { "description": "Envelopes", "content": { "application/json": { "schema": {
                "type": "object", "required": ["requests"], "properties": {
                  "requests": { "type": "array", "items": {
                    "type": "object", "required": ["envelope", "requirement"], "properties": {
                      "envelope": { "$ref": "#/components/schemas/Envelope" },
                      "requirement": { "$ref": "#/components/schemas/Requirement" },
                      "approved": { "const": true, "description": "There when this device has approved, and others are \
        waited for" } } } },
                  "rotation_requested": { "const": true, "description": "There when the device is to post to \
        /phone/device/rotate" } } } } } },
              "401": { "$ref": "#/components/responses/Unauthorized" },
              "429": { "$ref": "#/components/responses/RateLimited" },
              "500": { "$ref": "#/components/responses/Error" } } } },
          "/phone/requests/{request_id}/decision": { "post": {
            "tags": ["phone"], "operationId": "decide", "security": [{ "phone": [] }],
            "summary": "The person approves or denies",
            "description": "A paired device's APPROVE needs the member approval; the default device's has none.",
            "parameters": [{ "$ref": "#/components/parameters/RequestID" }],
            "requestBody": { "required": true, "content": { "application/json": { "schema": {
              "type": "object", "required": ["decision", "decided_at"], "properties": {
                "decision": { "enum": ["APPROVE", "DENY"] },
                "decided_at": { "$ref": "#/components/schemas/Time" },
                "approval": { "$ref": "#/components/schemas/Approval" } } } } } },
            "responses": {
              "200": { "$ref": "#/components/responses/State" },
              "202": { "description": "It counts, and other devices have to approve too",
                "content": { "application/json": { "schema": {
                  "type": "object", "required": ["request_id", "status", "approvals", "needed"], "properties": {
                    "request_id": { "$ref": "#/components/schemas/RequestID" },
                    "status": { "const": "PENDING_APPROVAL" },
                    "approvals": { "type": "integer", "minimum": 1 },
                    "needed": { "type": "integer", "minimum": 2 } } } } } },
              "400": { "$ref": "#/components/responses/BadRequest" },
              "401": { "$ref": "#/components/responses/Unauthorized" },
              "403": { "$ref": "#/components/responses/Forbidden" },
              "404": { "$ref": "#/components/responses/NotFound" },
              "408": { "$ref": "#/components/responses/Expired" },
              "409": { "$ref": "#/components/responses/Conflict" },
              "413": { "$ref": "#/components/responses/TooLarge" },
              "429": { "$ref": "#/components/responses/RateLimited" },
              "500": { "$ref": "#/components/responses/Error" } } } },
          "/phone/requests/{request_id}/started": { "post": {
            "tags": ["phone"], "operationId": "started", "security": [{ "phone": [] }],
            "summary": "The phone begins to run the bank's script",
            "parameters": [{ "$ref": "#/components/parameters/RequestID" }],
            "responses": {
              "200": { "$ref": "#/components/responses/State" },
              "401": { "$ref": "#/components/responses/Unauthorized" },
              "403": { "$ref": "#/components/responses/Forbidden" },
              "404": { "$ref": "#/components/responses/NotFound" },
              "408": { "$ref": "#/components/responses/Expired" },
              "409": { "$ref": "#/components/responses/Conflict" },
              "429": { "$ref": "#/components/responses/RateLimited" },
              "500": { "$ref": "#/components/responses/Error" } } } },
          "/phone/requests/{request_id}/failure": { "post": {
            "tags": ["phone"], "operationId": "fail", "security": [{ "phone": [] }],
            "summary": "The phone could not fetch the statement",
            "parameters": [{ "$ref": "#/components/parameters/RequestID" }],
            "requestBody": { "required": true, "content": { "application/json": { "schema": {
              "type": "object", "required": ["error_code", "failed_at"], "properties": {
                "error_code": { "enum": ["BANK_LOGIN_FAILED", "BANK_2FA_TIMEOUT", "NAVIGATION_FAILED",
                  "PDF_DOWNLOAD_FAILED", "ICLOUD_WRITE_FAILED", "EXECUTION_TIMEOUT"] },
                "error_message": { "type": ["string", "null"], "maxLength": 2000 },
                "failed_at": { "$ref": "#/components/schemas/Time" } } } } } },
            "responses": {
              "200": { "$ref": "#/components/responses/State" },
              "400": { "$ref": "#/components/responses/BadRequest" },
              "401": { "$ref": "#/components/responses/Unauthorized" },
              "403": { "$ref": "#/components/responses/Forbidden" },
              "404": { "$ref": "#/components/responses/NotFound" },
              "408": { "$ref": "#/components/responses/Expired" },
              "409": { "$ref": "#/components/responses/Conflict" },
              "413": { "$ref": "#/components/responses/TooLarge" },
              "429": { "$ref": "#/components/responses/RateLimited" },
              "500": { "$ref": "#/components/responses/Error" } } } },
          "/phone/check": { "post": {
            "tags": ["phone"], "operationId": "proveSecret", "security": [{ "phone": [] }],
            "summary": "Both sides show that they have the same shared secret",
            "description": "signature is HMAC-SHA256 over the canonical JSON of {nonce, side}: side is phone in the \
        request and broker in the answer.",
            "requestBody": { "required": true, "content": { "application/json": { "schema": {
              "type": "object", "required": ["nonce", "signature"], "properties": {
                "nonce": { "$ref": "#/components/schemas/Nonce" },
                "signature": { "$ref": "#/components/schemas/Signature" } } } } } },
            "responses": {
              "200": { "description": "The broker's own proof", "content": { "application/json": { "schema": {
                "type": "object", "required": ["signature"], "properties": {
                  "signature": { "$ref": "#/components/schemas/Signature" } } } } } },
              "400": { "$ref": "#/components/responses/BadRequest" },
              "401": { "$ref": "#/components/responses/Unauthorized" },
              "403": { "$ref": "#/components/responses/Forbidden" },
              "413": { "$ref": "#/components/responses/TooLarge" },
              "429": { "$ref": "#/components/responses/RateLimited" },
              "500": { "$ref": "#/components/responses/Error" } } } }
        }
        """
}
