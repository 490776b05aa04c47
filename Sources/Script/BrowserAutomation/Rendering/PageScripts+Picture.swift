extension PageScripts {
    /// Returns the texts of the page, and keeps their nodes. Values of fields are not among them.
    static let texts = #"""
        () => {
          const nodes = [];
          const silent = new Set(["script", "style", "noscript", "template", "textarea", "select", "title"]);
          const visit = (node) => {
            const type = read(node, "nodeType");
            if (type === Node.TEXT_NODE) { if (node.data.trim()) nodes.push(node); return; }
            if (type === Node.ELEMENT_NODE) {
              if (silent.has(read(node, "localName"))) return;
              const root = read(node, "shadowRoot");
              if (root) for (const child of root.childNodes) visit(child);
            }
            for (const child of read(node, "childNodes")) visit(child);
          };
          visit(page("documentElement"));
          kept.texts = nodes.map((node) => ({ node, data: node.data }));
          return JSON.stringify(nodes.map((node) => node.data.toWellFormed()));
        }
        """#

    /// Makes everything on the page invisible that is not named: all text but the given ranges, and every image. The
    /// document itself stays as it is, so that the page's scripts have nothing to react to.
    ///
    /// Text is transparent by a style sheet, and the ranges are highlighted in their own colour (CSS Custom Highlight
    /// API). Text that comes or changes meanwhile is thus transparent, too. Returns the places of elements by their
    /// numbers, or a problem when the page's own style would show something.
    static let cover = #"""
        async (ranges, numbers) => {
          const hidden = "img, picture, svg, svg *, canvas, video, audio, iframe, frame, object, embed, input[type=image], "
            + "input[type=color]";
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(`
            *, *::before, *::after, *::marker, *::placeholder, *::selection, *::file-selector-button {
              -webkit-text-fill-color: transparent !important; -webkit-text-stroke-width: 0 !important;
              text-shadow: none !important; transition: none !important; caret-color: transparent !important; }
            *::selection { color: transparent !important; background-color: transparent !important; }
            *, *::before, *::after { background-image: none !important; border-image: none !important;
              list-style-image: none !important; mask-image: none !important; -webkit-box-reflect: none !important; }
            ${hidden} { visibility: hidden !important; }
            ::highlight(countersign) { -webkit-text-fill-color: currentcolor; }`);
          const roots = [document];
          const elements = [];
          const gather = (root) => {
            for (const element of ask(root, "querySelectorAll", "*")) {
              elements.push(element);
              const inner = read(element, "shadowRoot");
              if (inner) { roots.push(inner); gather(inner); }
            }
          };
          gather(document);
          const earlier = roots.map((root) => [root, [...read(root, "adoptedStyleSheets")]]);
          const dress = (root, sheets) => Reflect.set(Object.getPrototypeOf(root), "adoptedStyleSheets", sheets, root);
          for (const [root, sheets] of earlier) dress(root, [...sheets, sheet]);
          const highlight = new Highlight();
          const shown = [];
          for (const [index, start, end] of JSON.parse(ranges)) {
            const { node, data } = kept.texts[index];
            if (!node.isConnected || node.data !== data) continue;
            const range = new StaticRange({ startContainer: node, startOffset: start, endContainer: node, endOffset: end });
            highlight.add(range);
            shown.push({ node, data, range });
          }
          CSS.highlights.set("countersign", highlight);
          // Before the next frame, whatever the page does.
          const check = () => {
            for (const { node, data, range } of shown) if (node.data !== data) highlight.delete(range);
          };
          const watch = new MutationObserver(check);
          for (const root of roots) watch.observe(root, { subtree: true, childList: true, characterData: true });
          const uncover = () => {
            watch.disconnect();
            CSS.highlights.delete("countersign");
            for (const [root, sheets] of earlier) dress(root, sheets);
          };
          kept.uncover = uncover;
          const clear = "rgba(0, 0, 0, 0)";
          const bares = (element, part) => {
            const style = getComputedStyle(element, part);
            return style.webkitTextFillColor !== clear || parseFloat(style.webkitTextStrokeWidth) > 0
              || style.textShadow !== "none" || style.backgroundImage !== "none" || style.borderImageSource !== "none"
              || /url\(|image/.test(style.content);
          };
          const problem = elements.find((element) => {
            // A closed shadow tree cannot be looked into.
            const matches = (selector) => ask(element, "matches", selector);
            if (read(element, "localName").includes("-") && matches(":defined") && !read(element, "shadowRoot")) return true;
            if (ask(element, "closest", "svg")) return getComputedStyle(element).visibility !== "hidden";
            if (matches("input, textarea") && getComputedStyle(element, "::selection").color !== clear) return true;
            return bares(element) || bares(element, "::before") || bares(element, "::after")
              || matches(hidden) && getComputedStyle(element).visibility !== "hidden";
          });
          if (problem) {
            uncover();
            return JSON.stringify({ problem: read(problem, "localName") });
          }
          const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 200); });
          await frame();
          await frame();
          const boxes = JSON.parse(numbers).map((number) => kept.elements?.[number])
            .filter(isThere).map((element) => ask(element, "getBoundingClientRect"))
            .map((box) => [box.x / innerWidth, box.y / innerHeight, box.width / innerWidth, box.height / innerHeight]);
          return JSON.stringify({ boxes });
        }
        """#

    /// Shows everything again; false when this document was not covered.
    static let uncover = #"""
        () => {
          const uncover = kept.uncover;
          if (!uncover) return false;
          kept.uncover = undefined;
          uncover();
          return true;
        }
        """#
}
