// Tests of CurlClient.
