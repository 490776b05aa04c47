/// The functions that run inside a page, in a sandboxed realm: the page's scripts can neither see nor change them.
/// None of them contains a value of the run; values come as arguments.
///
/// The page's markup reaches into the realm all the same: a form's field called `elements`, an image called `body` and a part with
/// the id `countersign` stand in the place of `form.elements`, `document.body` and `window.countersign` (HTML: "The form element",
/// "DOM tree accessors", "Named access on the Window object"). So what may be a form is read with `read` and `ask`, the document
/// with `page` and `askPage`, and what the functions keep is in `kept`: ``guarded(_:)`` gives them these names.
enum PageScripts {
    /// The name of the sandbox.
    static let sandbox = "countersign"

    /// The attribute that numbers the elements of a written-out page. It is never on the page itself.
    static let number = "data-countersign-number"

    /// The names, in the realm, of the elements of the page that was written out last: for the steps, and for a search in
    /// frames.
    static let usualStore = "elements"
    static let searchStore = "searchedElements"

    /// Returns a function as it is sent to a page: with the ways to read a node's own members, whatever the page's markup calls
    /// by their names, and the object that the realm keeps. A symbol is never the name of an element.
    static func guarded(_ function: String) -> String {
        #"""
        (...given) => {
          const read = (node, name) => Reflect.get(Object.getPrototypeOf(node), name, node);
          const ask = (node, name, ...values) => read(node, name).apply(node, values);
          const page = (name) => read(document, name);
          const askPage = (name, ...values) => ask(document, name, ...values);
          const kept = globalThis[Symbol.for("countersign")] ??= Object.create(null);
          const isThere = (node) => Boolean(node) && read(node, "isConnected");
          return (\#(function))(...given);
        }
        """#
    }

    /// True for a document that nothing but the person and the server changes: it has no script, no frame, no inline
    /// handler, and no component.
    static let isPlain = #"""
        () => !page("scripts").length && !window.length && !askPage("querySelector", ":not(:defined)")
          && !askPage("evaluate", "//@*[starts-with(name(), 'on') or starts-with(normalize-space(), 'javascript:')]",
            document, null, XPathResult.BOOLEAN_TYPE).booleanValue
        """#

    /// Returns what a person reads on a key of a pad: its few characters or its picture. Null for an element with more.
    static let keyOf = #"""
        ((element) => {
          const isWhole = read(element, "childElementCount") === 0
            || ["a", "button", "label", "li", "td"].includes(read(element, "localName"));
          const text = isWhole ? read(element, "textContent").trim() : "";
          if (text.length > 3) return null;
          return JSON.stringify([text, ...["alt", "aria-label", "src"].map((name) => ask(element, "getAttribute", name))]);
        })
        """#

    /// Writes the page as HTML: as it is now, in the flat tree (with shadow trees and slots in their places), with what
    /// the layout hides marked `hidden` unless told otherwise, without scripts, and with every element numbered. Keeps the
    /// elements by number, under a name in the realm.
    static let write = #"""
        (store = "elements", marksHidden = true) => {
          const elements = [], parts = [], keys = [];
          kept[store] = elements;
          kept[store + "Keys"] = keys;
          const keyOf = \#(keyOf);
          const attributeName = "data-countersign-number";
          const empty = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
            "track", "wbr"]);
          const boxless = new Set(["html", "head", "title", "meta", "link", "base", "style", "template", "noscript",
            "option", "optgroup", "area", "map", "br", "wbr", "param", "source", "track", "col", "colgroup", "datalist",
            "slot", "body"]);
          const contentless = new Set(["style", "template", "noscript", "iframe", "object", "video", "audio", "canvas"]);
          const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
          const quote = (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/\u00a0/g, "&nbsp;");
          const isHidden = (element) => {
            if (!(element instanceof HTMLElement) || boxless.has(read(element, "localName"))) return false;
            if (ask(element, "checkVisibility", { visibilityProperty: true })) return false;
            const style = getComputedStyle(element);
            if (style.display === "contents") return false;
            if (style.visibility !== "visible" && ask(element, "checkVisibility")) {
              for (const inner of ask(element, "querySelectorAll", "*")) {
                if (getComputedStyle(inner).visibility === "visible") return false;
              }
            }
            return true;
          };
          const attributes = (element, hidden) => {
            parts.push(" ", attributeName, '="', elements.length, '"');
            elements.push(element);
            keys.push(keyOf(element));
            const isBoxless = boxless.has(read(element, "localName"));
            for (const { name, value } of read(element, "attributes")) {
              if (name === attributeName || name === "hidden" && !isBoxless) continue;
              if (!/^[A-Za-z_:][-A-Za-z0-9_:.]*$/.test(name)) continue;
              if (name === "style" && !hidden && /display:none|visibility:(hidden|collapse)/i.test(value.replace(/\s/g, ""))) continue;
              parts.push(" ", name, '="', quote(value), '"');
            }
            if (hidden) parts.push(' hidden=""');
          };
          const children = (nodes, hidden) => { for (const node of nodes) visit(node, hidden); };
          const visit = (node, hidden) => {
            const type = read(node, "nodeType");
            if (type === Node.TEXT_NODE) { parts.push(escape(node.data)); return; }
            if (type !== Node.ELEMENT_NODE) return;
            const name = read(node, "localName");
            if (name === "script") return;
            if (name === "slot" && node.assignedNodes) {
              const assigned = node.assignedNodes({ flatten: true });
              children(assigned.length ? assigned : node.childNodes, hidden);
              return;
            }
            const hides = marksHidden && !hidden && isHidden(node);
            parts.push("<", name);
            attributes(node, hides);
            parts.push(">");
            if (empty.has(name)) return;
            if (name === "pre" || name === "textarea" || name === "listing") parts.push("\n");
            if (!contentless.has(name)) {
              const root = read(node, "shadowRoot");
              if (name === "select" || name === "details" || !root) children(read(node, "childNodes"), hidden || hides);
              else children(root.childNodes, hidden || hides);
            }
            parts.push("</", name, ">");
          };
          const type = page("contentType");
          const isPage = type.includes("html") || type.includes("xml");
          if (isPage && page("documentElement")) visit(page("documentElement"), false);
          const source = isPage ? "<!doctype html>" + parts.join("") : askPage("querySelector", "pre")?.textContent ?? "";
          return JSON.stringify({
            url: location.href, type: isPage ? "text/html" : type, source: source.toWellFormed(),
            scripted: page("scripts").length > 0, plain: (\#(isPlain))(),
          });
        }
        """#

    /// Returns the element from which a menu hangs that holds a hidden element: what stands before the menu, or what is around
    /// it. Null for an element that is shown, and where everything around it is the page itself.
    static let menuAround = #"""
        (number, store) => {
          const isSeen = (element) => ask(element, "checkVisibility", { visibilityProperty: true })
            && [...ask(element, "getClientRects")].some((box) => box.width > 0 && box.height > 0);
          let menu = kept[store]?.[number];
          if (!isThere(menu) || isSeen(menu)) return null;
          for (let next = read(menu, "parentElement"); next && !isSeen(next); next = read(menu, "parentElement")) menu = next;
          const before = read(menu, "previousElementSibling");
          if (before && isSeen(before)) return before;
          const around = read(menu, "parentElement");
          return !around || around === page("body") || around === page("documentElement") ? null : around;
        }
        """#

    /// Returns the window inside a frame with a number; null for one of another origin.
    static let innerWindow = #"""
        (number, store) => {
          const frame = kept[store]?.[number];
          return frame && read(frame, "contentDocument") ? read(frame, "contentWindow") : null;
        }
        """#

    /// Returns the window inside a frame with a number, also one of another origin.
    static let anyWindow = #"""
        (number) => {
          const frame = kept.elements?.[number];
          return frame ? read(frame, "contentWindow") : null;
        }
        """#

    /// Returns the element with a number; nil when the page has removed it.
    static let element = #"""
        (number) => {
          const element = kept.elements?.[number];
          return isThere(element) ? element : null;
        }
        """#

    /// Makes ready for a click on an element. Returns what ``aim`` says, the first field that would stop the form if asked
    /// for, and the element itself. Remembers the navigations that the document begins from now on, and guards the click.
    static let target = #"""
        async (number, checksForm) => {
          const aim = await (\#(aim))(number);
          const invalid = checksForm ? (\#(firstInvalid))(number) : null;
          (\#(watchNavigation))();
          if (aim === "ready") (\#(guardPress))(number);
          return [aim, invalid, (\#(element))(number)];
        }
        """#

    /// Keeps the next click of the pointer from everything but an element that says what it said when the page was read. A page
    /// that is drawn anew in that moment, as a pad of keys in a new order, would take it for another key. A listener of the
    /// page's own on the window that was there before still hears of it.
    static let guardPress = #"""
        (number) => {
          kept.press?.end();
          const element = kept.elements[number];
          const keyOf = \#(keyOf);
          const kinds = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
          const key = kept.elementsKeys?.[number] ?? null;
          const covered = kept.met;
          const press = { met: null };
          const look = (event) => {
            if (!event.isTrusted) return;
            if (press.met === null) {
              const path = event.composedPath();
              const labels = [...(read(element, "labels") ?? [])];
              const isMet = [element, ...labels].some((part) => path.includes(part))
                // The middle of a link over two lines is beside it.
                || path[0] === covered && ask(covered, "contains", element);
              press.met = isMet && (key === null || keyOf(element) === key);
            }
            if (press.met) return;
            event.preventDefault();
            event.stopImmediatePropagation();
          };
          press.end = () => {
            clearTimeout(time);
            for (const kind of kinds) removeEventListener(kind, look, true);
          };
          // A click that never comes must not take a later one of the person at this browser.
          const time = setTimeout(press.end, 30000);
          for (const kind of kinds) addEventListener(kind, look, { capture: true, passive: false });
          kept.press = press;
        }
        """#

    /// Ends the guard. Returns whether the click met the element; null when it met nothing in this document.
    static let pressed = #"""
        () => {
          const press = kept.press;
          press?.end();
          delete kept.press;
          return press?.met ?? null;
        }
        """#

    /// Scrolls an element into view, and says whether a click in its middle would meet it, else what it would meet.
    static let aim = #"""
        async (number) => {
          const element = kept.elements?.[number];
          if (!isThere(element)) return "gone";
          const place = () => ask(element, "getBoundingClientRect");
          const before = place();
          ask(element, "scrollIntoView", { block: "center", inline: "center", behavior: "instant" });
          const after = place();
          if (before.x !== after.x || before.y !== after.y) {
            // The page hears of the scrolling at its next frame, and may replace its rows then.
            const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 200); });
            await frame();
            await frame();
            if (!isThere(element)) return "gone";
          }
          const box = [...ask(element, "getClientRects")].find((box) => box.width > 0 && box.height > 0);
          if (!box) return "boxless";
          if (ask(element, "closest", "[aria-disabled=true i]")) return "disabled";
          if (getComputedStyle(element).pointerEvents === "none") return "unreachable";
          if (!(\#(isPlain))()) {
            // An element that an animation moves would not be under the pointer any more.
            const now = place();
            // Without a new frame nothing seems to move; a window that is not drawn has none.
            await new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 1000); });
            if (!isThere(element)) return "gone";
            const next = place();
            if (["x", "y", "width", "height"].some((side) => Math.abs(now[side] - next[side]) > 0.1)) return "moving";
          }
          const all = place();
          const [x, y] = [all.x + all.width / 2, all.y + all.height / 2];
          let met = askPage("elementFromPoint", x, y);
          while (met && read(met, "shadowRoot")) {
            const inner = read(met, "shadowRoot").elementFromPoint(x, y);
            if (!inner || inner === met) break;
            met = inner;
          }
          if (!met) return "outside";
          kept.met = null;
          const labels = [...(read(element, "labels") ?? [])];
          for (let at = met; at; at = read(at, "parentNode") ?? read(at, "host")) {
            if (at === element || labels.includes(at)) return "ready";
          }
          kept.met = met;
          if (ask(met, "contains", element) || ask(element, "contains", met)) return "ready";
          const words = (read(met, "textContent") ?? "").trim().replace(/\s+/g, " ").slice(0, 40);
          const id = read(met, "id");
          return "<" + read(met, "localName") + (id ? " id=" + id : "") + ">" + (words ? " “" + words + "”" : "");
        }
        """#

    /// Returns the number of the first label of a box that has a place on the page, for a box drawn by its label.
    static let label = #"""
        (number) => {
          const element = kept.elements?.[number];
          if (!element || ask(element, "checkVisibility", { visibilityProperty: true, opacityProperty: true })) return null;
          const label = [...(read(element, "labels") ?? [])].find((label) => label.checkVisibility());
          return label ? kept.elements.indexOf(label) : null;
        }
        """#

    /// Focuses a field and selects what is in it, so that typing replaces it. Returns its place among the filled fields, which
    /// the realm keeps; -1 when the page has removed it.
    static let select = #"""
        (number) => {
          const element = kept.elements?.[number];
          if (!isThere(element)) return -1;
          ask(element, "focus");
          if (read(element, "select")) ask(element, "select");
          return (kept.filled ??= []).push(element) - 1;
        }
        """#

    /// Returns the text in a filled field; true when the page has replaced or hidden the field, and null in a document that
    /// does not know it.
    static let held = #"""
        (index) => {
          const element = kept.filled?.[index];
          if (!element) return null;
          if (!isThere(element) || !ask(element, "checkVisibility", { visibilityProperty: true })) return true;
          return (read(element, "value") ?? read(element, "textContent") ?? "").toWellFormed();
        }
        """#

    /// Returns the text that a filled field held when the page replaced it.
    static let last = #"""
        (index) => {
          const element = kept.filled?.[index];
          return element ? (read(element, "value") ?? read(element, "textContent") ?? "").toWellFormed() : "";
        }
        """#

    /// Returns the text in a field.
    static let content = #"""
        (number) => {
          const element = kept.elements?.[number];
          return element ? (read(element, "value") ?? read(element, "textContent") ?? "").toWellFormed() : "";
        }
        """#

    /// Sets the value of a filled field as a whole: one whose keys depend on the system's language, such as a date, or one
    /// that its page draws anew after each key.
    static let set = #"""
        (index, value) => {
          const element = kept.filled?.[index];
          const kind = element instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
          Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(element, value);
          element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
          element.dispatchEvent(new Event("change", { bubbles: true }));
        }
        """#

    /// Sets fields of a form by name, adds those that it lacks, and submits it.
    static let submit = #"""
        (number, fields) => {
          const form = kept.elements?.[number];
          if (!(form instanceof HTMLFormElement)) return false;
          for (const [name, value] of JSON.parse(fields)) {
            let control = [...read(form, "elements")].find((element) => element.name === name);
            if (!control) {
              control = askPage("createElement", "input");
              control.type = "hidden";
              control.name = name;
              ask(form, "append", control);
            }
            control.value = value;
          }
          ask(form, "submit");
          return true;
        }
        """#

    /// Chooses an option of a list. Returns true when the list keeps it, false when the page sets it back at once, and null
    /// without a list.
    static let choose = #"""
        (number) => {
          const option = kept.elements?.[number];
          const list = isThere(option) ? ask(option, "closest", "select") : null;
          if (!list) return null;
          list.focus();
          option.selected = true;
          list.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
          list.dispatchEvent(new Event("change", { bubbles: true }));
          return option.selected;
        }
        """#

    static let isSelected = #"""
        (number) => {
          const option = kept.elements?.[number];
          return option ? read(option, "selected") ?? null : null;
        }
        """#

    static let isChecked = #"""
        (number) => {
          const box = kept.elements?.[number];
          return Boolean(box) && read(box, "checked") === true;
        }
        """#

    /// Returns the number and the browser's words of the first control that would stop the form from being submitted;
    /// null when none would.
    static let firstInvalid = #"""
        (number) => {
          const pressed = kept.elements?.[number];
          const button = pressed && ask(pressed, "closest", "button, input");
          const form = button?.form;
          const submits = button?.type === "submit" || button?.type === "image";
          if (!form || !submits || read(form, "noValidate") || button.formNoValidate) return null;
          const control = [...read(form, "elements")].find((control) => control.willValidate && !control.validity.valid);
          if (!control) return null;
          return JSON.stringify({
            number: kept.elements.indexOf(control), words: control.validationMessage.toWellFormed() });
        }
        """#

    /// Resolves when the document has not changed for a moment, or after a limit, both in milliseconds. A plain document
    /// changes only by what was done to it, and is looked at after a shorter moment.
    static let quiet = #"""
        (moment, limit) => new Promise((done) => {
          if ((\#(isPlain))()) moment = Math.min(moment, 5);
          const resolve = () => {
            const navigation = kept.navigation;
            done(Boolean(navigation) && !navigation.defaultPrevented);
          };
          let timer = setTimeout(resolve, moment);
          const watch = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(resolve, moment); });
          watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
          setTimeout(() => { watch.disconnect(); resolve(); }, limit);
        })
        """#

    /// Resolves a moment after the document has changed, or after a limit in milliseconds.
    static let change = #"""
        (limit) => new Promise((done) => {
          const watch = new MutationObserver(() => { watch.disconnect(); setTimeout(done, 30); });
          watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
          setTimeout(() => { watch.disconnect(); done(); }, limit);
        })
        """#

    /// True for a document with something in it.
    static let hasContent = "() => Boolean(page('body')?.childElementCount || page('body')?.textContent.trim())"

    /// Remembers the navigations that the document begins from now on. The browser's own events about them come later,
    /// at a time of their own.
    static let watchNavigation = #"""
        () => {
          if (kept.navigation === undefined) {
            navigation.addEventListener("navigate", (event) => {
              if (event.downloadRequest === null) kept.navigation = event;
            });
          }
          kept.navigation = null;
        }
        """#

    /// Returns the addresses of what the page shows in frames, embedded parts and objects and may be a PDF, as JSON: each with
    /// whether it is one for certain.
    ///
    /// Keeps from then on what the page shows there under addresses that it makes. Many pages take such an address back as soon
    /// as the part has loaded, and without a viewer it has loaded at once.
    static let embedded = #"""
        () => {
          const made = kept.made ??= new Map();
          const watched = kept.watched ??= new WeakSet();
          const search = (where, found) => {
            for (const part of ask(where, "querySelectorAll", "iframe, frame, embed, object")) {
              const address = (part.localName === "object" ? part.data : part.src) ?? "";
              const isPDF = part.type === "application/pdf" || /^data:application\/pdf|\.pdf([?#]|$)/i.test(address);
              const isMade = address.startsWith("blob:");
              if (isMade && !made.has(address) && made.size < 100) {
                made.set(address, fetch(address).then((answer) => answer.blob()).catch(() => null));
              }
              if (address && (isPDF || isMade)) found.set(address.toWellFormed(), isPDF);
              // A viewer is often a page inside the page. One of another site is out of reach.
              if (part.contentDocument && found.size < 100) search(part.contentDocument, found);
            }
            if (watched.has(where)) return;
            watched.add(where);
            const look = () => { search(where, new Map()); };
            const changes = { subtree: true, childList: true, attributes: true, attributeFilter: ["src", "data"] };
            new MutationObserver(look).observe(where, changes);
            // A frame that has loaded has another document than before.
            ask(where, "addEventListener", "load", look, true);
          };
          const found = new Map([...made.keys()].map((address) => [address, false]));
          search(document, found);
          return JSON.stringify([...found]);
        }
        """#

    /// Lets the browser download what is at an address, as a link of the page would. The page's policy for requests does not
    /// hold for links. False for an address of another origin, to which a link would lead the page away.
    static let save = #"""
        (address) => {
          if (!/^(blob|data):/.test(address) && new URL(address).origin !== location.origin) return false;
          const link = askPage("createElement", "a");
          link.href = address;
          link.download = "";
          link.click();
          return true;
        }
        """#

    /// Makes a request in the page's name, with its cookies, and keeps the answer's body. An address that the page has made
    /// stands for what ``embedded`` has kept of it.
    static let fetch = #"""
        async (method, url, headers, body, limit) => {
          const options = { method, headers: JSON.parse(headers), credentials: "same-origin", cache: "no-store" };
          if (body !== "") options.body = body;
          let answer;
          try {
            const made = await kept.made?.get(url);
            answer = made ? new Response(made) : await fetch(url, options);
          } catch (error) {
            return JSON.stringify({ failure: String(error.message).toWellFormed() });
          }
          const declared = Number(answer.headers.get("content-length") ?? 0);
          const parts = [];
          let size = 0;
          const reader = answer.body?.getReader();
          while (reader && declared <= limit) {
            const { done, value } = await reader.read();
            if (done) break;
            size += value.length;
            if (size > limit) { await reader.cancel(); break; }
            parts.push(value);
          }
          const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
          kept.body = bytes;
          return JSON.stringify({
            status: answer.status, url: answer.url, headers: [...answer.headers], size: bytes.length,
            isTooLarge: declared > limit || size > limit,
          });
        }
        """#

    /// Returns a part of the kept body as base64.
    static let body = #"""
        (start, end) => {
          const part = kept.body.subarray(start, end);
          let text = "";
          for (let at = 0; at < part.length; at += 8192) {
            text += String.fromCharCode(...part.subarray(at, at + 8192));
          }
          return btoa(text);
        }
        """#

    /// Scrolls the nearest scrolling parts and the page by one view; false when everything was at its end.
    static let scroll = #"""
        () => {
          let moved = false;
          const whole = page("scrollingElement");
          for (const part of [whole, ...askPage("querySelectorAll", "*")].filter(Boolean)) {
            const height = read(part, "clientHeight");
            if (read(part, "scrollHeight") <= height + 1 || height < 40) continue;
            if (part !== whole && !/auto|scroll/.test(getComputedStyle(part).overflowY)) continue;
            const before = read(part, "scrollTop");
            ask(part, "scrollBy", { top: height * 0.8, behavior: "instant" });
            moved ||= read(part, "scrollTop") > before + 1;
          }
          return moved;
        }
        """#

    /// Scrolls every scrolling part and the page back to their beginning; false when all were there.
    static let scrollBack = #"""
        () => {
          let moved = false;
          for (const part of [page("scrollingElement"), ...askPage("querySelectorAll", "*")].filter(Boolean)) {
            if (read(part, "scrollTop") <= 0) continue;
            ask(part, "scrollTo", { top: 0, behavior: "instant" });
            moved = true;
          }
          return moved;
        }
        """#
}
