/// nginx in the place of `tailscale serve`, which no package of Debian has: it passes on the same host, and sets and removes the
/// same headers.
///
/// The rules are those of Tailscale's `ipn/ipnlocal/serve.go` at 000403c276b2 (`reverseProxy.ServeHTTP`,
/// `addProxyForwardedHeaders`, `addTailscaleIdentityHeaders`, `addAppCapabilitiesHeader`). Its `httputil.ReverseProxy` drops
/// `Forwarded` and `X-Forwarded-*` of the browser first, and passes events on at once.
enum TailscaleStandIn {
    /// The user whom `tailscale serve` would name.
    static let user = "ada@example.com"

    static let server = """
        server {
            listen 443 ssl http2;
            server_name phone.example;
            ssl_certificate /etc/ssl/private/phone.example.pem;
            ssl_certificate_key /etc/ssl/private/phone.example.key.pem;
            client_max_body_size 0;

            location / {
                proxy_pass http://127.0.0.1:8766;
                proxy_http_version 1.1;
                proxy_buffering off;
                proxy_request_buffering off;
                proxy_read_timeout 1h;
                proxy_set_header Host $http_host;
                proxy_set_header Connection "";
                proxy_set_header Forwarded "";
                proxy_set_header X-Forwarded-Host $http_host;
                proxy_set_header X-Forwarded-Proto https;
                proxy_set_header X-Forwarded-For $remote_addr;
                proxy_set_header Tailscale-User-Login \(user);
                proxy_set_header Tailscale-User-Name "Ada Lovelace";
                proxy_set_header Tailscale-User-Profile-Pic https://example.com/ada.png;
                proxy_set_header Tailscale-Headers-Info https://tailscale.com/s/serve-headers;
                proxy_set_header Tailscale-Funnel-Request "";
                proxy_set_header Tailscale-App-Capabilities "";
            }
        }
        """
}
