extension OpenAPIDocument {
    static let schemas = """
        {
          "securitySchemes": {
            "agent": { "type": "http", "scheme": "bearer", "description": "BROKER_API_TOKEN" },
            "phone": { "type": "http", "scheme": "bearer", "description": "PHONE_API_TOKEN, or the token \
        that a device got when it was paired" }
          },
          "parameters": {
            "RequestID": { "name": "request_id", "in": "path", "required": true, "schema": {
              "$ref": "#/components/schemas/RequestID" } },
            "Session": { "name": "session", "in": "path", "required": true, "description": "The pairing's number",
              "schema": { "type": "integer", "minimum": 1, "maximum": 9999 } }
          },
          "schemas": {
            "RequestID": { "type": "string",
              "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$" },
            "Nonce": { "type": "string", "pattern": "^[0-9a-f]{32}$" },
            "Signature": { "type": "string", "pattern": "^[A-Za-z0-9_-]{43}$",
              "description": "base64url(HMAC-SHA256(secret, canonical JSON)), without padding" },
            "Time": { "type": "string", "format": "date-time", "maxLength": 40 },
            "Status": { "enum": ["SENT", "PENDING_APPROVAL", "APPROVED", "EXECUTING", "COMPLETED", "FAILED", "DENIED",
              "EXPIRED"] },
            "Error": { "type": "object", "required": ["error_code", "error_message"], "properties": {
              "error_code": { "type": "string", "pattern": "^[A-Z0-9_]+$" },
              "error_message": { "type": "string" },
              "status": { "$ref": "#/components/schemas/Status" } } },
            "Receipt": { "type": "object", "required": ["request_id", "status", "created_at", "approval_expires_at"],
              "properties": {
                "request_id": { "$ref": "#/components/schemas/RequestID" },
                "status": { "$ref": "#/components/schemas/Status" },
                "created_at": { "$ref": "#/components/schemas/Time" },
                "approval_expires_at": { "$ref": "#/components/schemas/Time" } } },
            "State": { "type": "object", "required": ["request_id", "status"], "properties": {
              "request_id": { "$ref": "#/components/schemas/RequestID" },
              "status": { "$ref": "#/components/schemas/Status" } } },
            "Open": { "type": "object", "required": ["request_id", "status"], "properties": {
              "request_id": { "$ref": "#/components/schemas/RequestID" },
              "status": { "enum": ["SENT", "PENDING_APPROVAL", "APPROVED", "EXECUTING"] } } },
            "Ended": { "oneOf": [
              { "type": "object", "required": ["request_id", "status", "file_path", "sha256", "completed_at"],
                "properties": {
                  "request_id": { "$ref": "#/components/schemas/RequestID" },
                  "status": { "const": "COMPLETED" },
                  "file_path": { "type": "string", "description": "The verified PDF, on the broker's machine" },
                  "sha256": { "type": "string", "pattern": "^[0-9a-f]{64}$" },
                  "completed_at": { "$ref": "#/components/schemas/Time" } } },
              { "type": "object", "required": ["request_id", "status", "error_code"], "properties": {
                  "request_id": { "$ref": "#/components/schemas/RequestID" },
                  "status": { "const": "FAILED" },
                  "error_code": { "type": "string" },
                  "error_message": { "type": "string" } } },
              { "type": "object", "required": ["request_id", "status"], "properties": {
                  "request_id": { "$ref": "#/components/schemas/RequestID" },
                  "status": { "const": "DENIED" } } },
              { "type": "object", "required": ["request_id", "status", "error_code"], "properties": {
                  "request_id": { "$ref": "#/components/schemas/RequestID" },
                  "status": { "const": "EXPIRED" },
                  "error_code": { "const": "APPROVAL_EXPIRED" } } } ] },
            "Listed": { "type": "object",
              "required": ["request_id", "status", "created_at", "updated_at", "approval_expires_at", "params"],
              "properties": {
                "request_id": { "$ref": "#/components/schemas/RequestID" },
                "status": { "$ref": "#/components/schemas/Status" },
                "params": { "$ref": "#/components/schemas/Period" },
                "created_at": { "$ref": "#/components/schemas/Time" },
                "updated_at": { "$ref": "#/components/schemas/Time" },
                "approval_expires_at": { "$ref": "#/components/schemas/Time" },
                "completed_at": { "$ref": "#/components/schemas/Time" },
                "file_path": { "type": "string" },
                "sha256": { "type": "string" },
                "error_code": { "type": "string" },
                "error_message": { "type": "string" } } },
            "Period": { "type": "object", "required": ["month", "year"], "properties": {
              "month": { "type": "integer", "minimum": 1, "maximum": 12 },
              "year": { "type": "integer", "minimum": 1990, "maximum": 2100 } } },
            "Envelope": { "type": "object",
              "required": ["version", "request_id", "type", "bank_id", "params", "issued_at", "approval_expires_at",
                "nonce", "signature"],
              "properties": {
                "version": { "const": "1" },
                "request_id": { "$ref": "#/components/schemas/RequestID" },
                "type": { "const": "statement" },
                "bank_id": { "type": "string" },
                "params": { "$ref": "#/components/schemas/Period" },
                "issued_at": { "$ref": "#/components/schemas/Time" },
                "approval_expires_at": { "$ref": "#/components/schemas/Time" },
                "nonce": { "$ref": "#/components/schemas/Nonce" },
                "signature": { "$ref": "#/components/schemas/Signature" } } }
          }
        }
        """

    static let answers = """
        {
          "responses": {
            "State": { "description": "The request's new state",
              "content": { "application/json": { "schema": { "$ref": "#/components/schemas/State" } } },
              "links": {
                "started": { "operationId": "started", "parameters": { "request_id": "$response.body#/request_id" } },
                "fail": { "operationId": "fail", "parameters": { "request_id": "$response.body#/request_id" } },
                "status": { "operationId": "requestStatus", "parameters": {
                  "request_id": "$response.body#/request_id" } } } },
            "BadRequest": { "description": "INVALID_REQUEST_TYPE, MISSING_FIELD, INVALID_FIELD or INVALID_JSON",
              "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } },
            "Unauthorized": { "description": "UNAUTHORIZED: not the token of this route",
              "headers": { "WWW-Authenticate": { "required": true, "schema": { "type": "string" } } },
              "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } },
            "Forbidden": { "description": "UNAUTHORIZED: signed with another secret. OTHER_DEVICE: another device runs \
        the request. SIGNATURE_INVALID, FACTOR_MISSING, LEASE_REFUSED: the approval is not what the request needs. \
        PAIRING_WRONG_CODE, PAIRING_REFUSED, PAIRING_DENIED: no pairing",
              "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } },
            "NotFound": { "description": "REQUEST_NOT_FOUND, PAIRING_NOT_FOUND or NOT_FOUND",
              "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } },
            "Expired": { "description": "APPROVAL_EXPIRED",
              "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } },
            "Conflict": { "description": "CONFLICT: the state machine does not allow it, or the key was used otherwise. \
        FACTOR_UNAVAILABLE: no device can give the approval that the policy wants. PAIRING_CLAIMED, \
        PAIRING_ATTEMPT_UNKNOWN: begin a pairing, or an attempt, anew",
              "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } },
            "Gone": { "description": "PAIRING_OVER: its time is over, its tries are used up, or it was used or cancelled",
              "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } },
            "TooLarge": { "description": "PAYLOAD_TOO_LARGE: more than 256 KiB",
              "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } },
            "RateLimited": { "description": "RATE_LIMITED",
              "headers": { "Retry-After": { "required": true, "description": "Seconds",
                "schema": { "type": "integer", "minimum": 1 } } },
              "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } },
            "Unwell": { "description": "UNAVAILABLE: see the broker's log",
              "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } },
            "Error": { "description": "INTERNAL_ERROR: see the broker's log",
              "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } }
          }
        }
        """
}
