// CurlClient: HTTP on libcurl.
