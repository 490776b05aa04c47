extension PageScripts {
    /// Watches what a person does on a page, and reports each action with the page as it was then. Events that the page's
    /// own scripts make are not a person's.
    static let record = #"""
        (send) => {
          if (kept.isRecording) return;
          kept.isRecording = true;
          const write = \#(write);
          const store = "recorded";
          const usable = "a, area, button, input, select, textarea, summary, [role=button], [role=link], [role=tab], "
            + "[role=menuitem], [onclick]";
          const nameOf = (node) => node instanceof Element ? read(node, "localName") : "";
          const isTextual = (element) => nameOf(element) === "textarea" || nameOf(element) === "input"
            && !/^(button|submit|reset|image|checkbox|radio|file|hidden)$/.test(element.type);
          const isBox = (element) => nameOf(element) === "input" && /^(checkbox|radio)$/.test(element.type);
          // A field that is being filled, with the page as it was when that began.
          let pending = null;
          let entered = null;
          const frames = () => {
            const list = [];
            for (let at = window; at !== at.parent; at = at.parent) {
              let position = 0;
              while (position < at.parent.length && at.parent[position] !== at) position += 1;
              let frame = null;
              try { frame = at.frameElement; } catch { /* It is another origin's. */ }
              list.unshift({ id: frame?.id ?? "", name: frame?.getAttribute("name") ?? "", position });
            }
            return list;
          };
          const seen = (element) => {
            const written = write(store);
            return { page: written, number: kept[store].indexOf(element), frames: frames() };
          };
          const report = (kind, what, value = null) => send(JSON.stringify({ kind, ...what, value }));
          const flush = () => {
            if (!pending) return;
            const { element, what } = pending;
            pending = null;
            report("type", what, element.value.toWellFormed());
          };
          const listen = (name, act) => window.addEventListener(name, (event) => {
            if (event.isTrusted) act(event, event.composedPath()[0]);
          }, { capture: true });
          listen("input", (event, element) => {
            if (!isTextual(element) || pending?.element === element) return;
            flush();
            pending = { element, what: seen(element) };
          });
          listen("change", (event, element) => {
            if (isTextual(element)) return flush();
            flush();
            if (nameOf(element) === "select") report("choose", seen(element), element.selectedOptions[0]?.text ?? "");
            else if (isBox(element)) report("check", seen(element), element.checked);
          });
          listen("keydown", (event, element) => { entered = event.key === "Enter" && isTextual(element) ? element : null; });
          listen("click", (event) => {
            const path = event.composedPath().filter((node) => node instanceof Element);
            const element = path.find((node) => ask(node, "matches", usable)) ?? path[0];
            if (!element || isTextual(element)) return;
            if (["select", "option"].includes(nameOf(element)) || isBox(element)) return;
            const label = path.find((node) => nameOf(node) === "label");
            if (label?.control && label.control !== element && !ask(element, "matches", usable)) return;
            flush();
            report("click", seen(element));
          });
          listen("submit", (event, form) => {
            if (event.submitter || !entered || entered.form !== form) return;
            flush();
            report("submit", seen(entered));
          });
          window.addEventListener("pagehide", flush);
        }
        """#
}
