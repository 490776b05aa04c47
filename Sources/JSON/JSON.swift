// JSON: values, the strict I-JSON reader (RFC 7493), canonical writing (RFC 8785) and JSONPath (RFC 9535).
