extension PageScripts {
    /// Returns the texts of the page, and keeps their nodes. Values of fields are not among them.
    static let texts = #"""
        () => {
          const nodes = [];
          const silent = new Set(["script", "style", "noscript", "template", "textarea", "select", "title"]);
          const visit = (node) => {
            if (node.nodeType === Node.TEXT_NODE) { if (node.data.trim()) nodes.push(node); return; }
            if (node.nodeType === Node.ELEMENT_NODE && silent.has(node.localName)) return;
            if (node.shadowRoot) for (const child of node.shadowRoot.childNodes) visit(child);
            for (const child of node.childNodes) visit(child);
          };
          visit(document.documentElement);
          globalThis.countersignTexts = nodes.map((node) => ({ node, data: node.data }));
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
            for (const element of root.querySelectorAll("*")) {
              elements.push(element);
              if (element.shadowRoot) { roots.push(element.shadowRoot); gather(element.shadowRoot); }
            }
          };
          gather(document);
          const earlier = roots.map((root) => [root, [...root.adoptedStyleSheets]]);
          for (const root of roots) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
          const highlight = new Highlight();
          const shown = [];
          for (const [index, start, end] of JSON.parse(ranges)) {
            const { node, data } = globalThis.countersignTexts[index];
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
            for (const [root, sheets] of earlier) root.adoptedStyleSheets = sheets;
          };
          globalThis.countersignUncover = uncover;
          const clear = "rgba(0, 0, 0, 0)";
          const bares = (element, part) => {
            const style = getComputedStyle(element, part);
            return style.webkitTextFillColor !== clear || parseFloat(style.webkitTextStrokeWidth) > 0
              || style.textShadow !== "none" || style.backgroundImage !== "none" || style.borderImageSource !== "none"
              || /url\(|image/.test(style.content);
          };
          const problem = elements.find((element) => {
            // A closed shadow tree cannot be looked into.
            if (element.localName.includes("-") && element.matches(":defined") && !element.shadowRoot) return true;
            if (element.closest("svg")) return getComputedStyle(element).visibility !== "hidden";
            if (element.matches("input, textarea") && getComputedStyle(element, "::selection").color !== clear) return true;
            return bares(element) || bares(element, "::before") || bares(element, "::after")
              || element.matches(hidden) && getComputedStyle(element).visibility !== "hidden";
          });
          if (problem) {
            uncover();
            return JSON.stringify({ problem: problem.localName });
          }
          const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 200); });
          await frame();
          await frame();
          const boxes = JSON.parse(numbers).map((number) => globalThis.countersignElements?.[number])
            .filter((element) => element?.isConnected).map((element) => element.getBoundingClientRect())
            .map((box) => [box.x / innerWidth, box.y / innerHeight, box.width / innerWidth, box.height / innerHeight]);
          return JSON.stringify({ boxes });
        }
        """#

    /// Shows everything again; false when this document was not covered.
    static let uncover = #"""
        () => {
          const uncover = globalThis.countersignUncover;
          if (!uncover) return false;
          globalThis.countersignUncover = undefined;
          uncover();
          return true;
        }
        """#
}
