extension OpenAPIDocument {
    /// Specification, section 10.1.
    static let agentPaths = """
        {
          "/request": { "post": {
            "tags": ["agent"], "operationId": "requestStatement", "security": [{ "agent": [] }],
            "summary": "Ask for a statement",
            "description": "agent_request_id is an idempotency key: the same key with the same month and year answers the \
        first request again, with others 409.",
            "requestBody": { "required": true, "content": { "application/json": { "schema": {
              "type": "object", "required": ["type", "month", "year"], "properties": {
                "type": { "const": "statement" },
                "month": { "type": "integer", "minimum": 1, "maximum": 12 },
                "year": { "type": "integer", "minimum": 1990, "maximum": 2100 },
                "agent_request_id": { "type": ["string", "null"], "minLength": 1, "maxLength": 200 } } } } } },
            "responses": {
              "202": { "description": "Signed, and waiting for the person",
                "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Receipt" } } },
                "links": {
                  "status": { "operationId": "requestStatus", "parameters": {
                    "request_id": "$response.body#/request_id" } },
                  "decide": { "operationId": "decide", "parameters": {
                    "request_id": "$response.body#/request_id" } } } },
              "400": { "$ref": "#/components/responses/BadRequest" },
              "401": { "$ref": "#/components/responses/Unauthorized" },
              "409": { "$ref": "#/components/responses/Conflict" },
              "413": { "$ref": "#/components/responses/TooLarge" },
              "429": { "$ref": "#/components/responses/RateLimited" },
              "500": { "$ref": "#/components/responses/Error" } } } },
          "/request/{request_id}": { "get": {
            "tags": ["agent"], "operationId": "requestStatus", "security": [{ "agent": [] }],
            "summary": "How a request is doing",
            "parameters": [
              { "$ref": "#/components/parameters/RequestID" },
              { "name": "wait", "in": "query", "description": "Hold the answer back until the status changes, for so many \
        seconds at most", "schema": { "type": "integer", "minimum": 0, "maximum": 60 } }],
            "responses": {
              "200": { "description": "It has ended", "content": { "application/json": { "schema": {
                "$ref": "#/components/schemas/Ended" } } } },
              "202": { "description": "It goes on", "content": { "application/json": { "schema": {
                "$ref": "#/components/schemas/Open" } } } },
              "400": { "$ref": "#/components/responses/BadRequest" },
              "401": { "$ref": "#/components/responses/Unauthorized" },
              "404": { "$ref": "#/components/responses/NotFound" },
              "429": { "$ref": "#/components/responses/RateLimited" },
              "500": { "$ref": "#/components/responses/Error" } } } },
          "/requests": { "get": {
            "tags": ["agent"], "operationId": "listRequests", "security": [{ "agent": [] }],
            "summary": "The newest requests first",
            "parameters": [
              { "name": "limit", "in": "query", "schema": {
                "type": "integer", "minimum": 1, "maximum": 200, "default": 50 } },
              { "name": "status", "in": "query", "schema": { "$ref": "#/components/schemas/Status" } },
              { "name": "cursor", "in": "query", "description": "The next_cursor of the page before",
                "schema": { "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\\\.\
        [0-9]{3}Z~[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$" } }],
            "responses": {
              "200": { "description": "A page", "content": { "application/json": { "schema": {
                "type": "object", "required": ["requests"], "properties": {
                  "requests": { "type": "array", "maxItems": 200, "items": { "$ref": "#/components/schemas/Listed" } },
                  "next_cursor": { "type": "string", "description": "There when there are more" } } } } } },
              "400": { "$ref": "#/components/responses/BadRequest" },
              "401": { "$ref": "#/components/responses/Unauthorized" },
              "429": { "$ref": "#/components/responses/RateLimited" },
              "500": { "$ref": "#/components/responses/Error" } } } }
        }
        """
}
