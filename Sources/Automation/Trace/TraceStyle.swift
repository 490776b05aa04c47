/// How ``TraceReport`` looks, and the few lines that move it: without them everything is there, one section a step.
enum TraceStyle {
    static let css = """
        :root { color-scheme: light dark; --ink: #1b262c; --soft: #5d6b73; --paper: #f4f6f7; --card: #fff; --line: #dde3e6;
          --hover: #e9eef1; --accent: #0b6a8f; --good: #1c7c4a; --goodpaper: #e3f4ea; --bad: #b42318; --badpaper: #fdeceb;
          --bar: #cfe3ec; --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e4ebee; --soft: #94a3ab; --paper: #11181c; --card: #192227;
          --line: #2b373d; --hover: #222e34; --accent: #6fc3e6; --good: #6fd39b; --goodpaper: #163425; --bad: #ff9d94;
          --badpaper: #3c1b19; --bar: #1f4556; } }
        * { box-sizing: border-box; }
        html { height: 100%; }
        body { margin: 0; height: 100%; display: flex; flex-direction: column; color: var(--ink); background: var(--paper);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
        code { font: .88em var(--mono); overflow-wrap: anywhere; }
        header { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1rem; padding: .8rem 1.25rem;
          background: var(--card); border-bottom: 1px solid var(--line); }
        h1 { font-size: 1.1rem; margin: 0; }
        header dl { display: flex; flex-wrap: wrap; gap: .2rem 1.3rem; margin: 0 auto 0 .4rem; }
        header dl div { display: flex; gap: .4rem; } dt { color: var(--soft); } dd { margin: 0; }
        header p { margin: 0; color: var(--soft); font-size: .88rem; }
        .badge { border-radius: 99px; padding: .1rem .75rem; font-weight: 600; font-size: .88rem; }
        .badge.good { color: var(--good); background: var(--goodpaper); }
        .badge.bad { color: var(--bad); background: var(--badpaper); }
        .columns { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(17rem, 23rem) 1fr; }
        nav { overflow-y: auto; border-right: 1px solid var(--line); background: var(--card); padding: .5rem; }
        nav ol { list-style: none; margin: 0; padding: 0; }
        nav a { position: relative; display: grid; grid-template-columns: 1rem 1.3rem 1fr auto 3.4rem; gap: .45rem;
          align-items: baseline; padding: .38rem .6rem .45rem calc(.6rem + var(--depth) * 1.1rem); border-radius: .45rem;
          color: inherit; text-decoration: none; }
        nav a:hover { background: var(--hover); }
        nav a.here { background: var(--hover); box-shadow: inset 3px 0 var(--accent); }
        a:focus-visible, summary:focus-visible, input:focus-visible + label { outline: 2px solid var(--accent);
          outline-offset: -2px; }
        .mark { color: var(--good); font-weight: 700; } .failed .mark { color: var(--bad); }
        .unfinished .mark { color: var(--soft); }
        .failed .words { color: var(--bad); font-weight: 600; }
        .number, .time, .count { color: var(--soft); font-size: .85rem; font-variant-numeric: tabular-nums; }
        .number, .time { text-align: right; white-space: nowrap; } .count { grid-column: 4; } .time { grid-column: 5; }
        .count { border: 1px solid var(--line); border-radius: 99px; padding: 0 .45rem; font-size: .75rem; }
        .words { overflow-wrap: anywhere; } .words:not(:has(+ .count)) { grid-column: 3 / 5; }
        .bar { position: absolute; left: .6rem; bottom: 0; height: 3px; max-width: calc(100% - 1.2rem);
          background: var(--bar); border-radius: 2px; }
        .finally:not(.finally ~ .finally) { border-top: 1px dashed var(--line); margin-top: .5rem; padding-top: .5rem; }
        main { overflow-y: auto; padding: 1.3rem 1.6rem 3rem; }
        main:has(section:target) section:not(:target), main:not(:has(section:target)) section:not(.first) { display: none; }
        section { max-width: 70rem; margin: 0 auto; scroll-margin-top: 1.3rem; }
        h2 { font-size: 1.3rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere; }
        h3 { font-size: 1rem; margin: 1.6rem 0 .5rem; }
        .quiet { color: var(--soft); font-size: .9rem; margin: .2rem 0 1rem; }
        .card { border-left: .3rem solid var(--bad); background: var(--badpaper); border-radius: .4rem;
          padding: .8rem 1.1rem; margin: 0 0 1.2rem; overflow-wrap: anywhere; }
        .card p { margin: .15rem 0; } .card .code { color: var(--bad); font: 600 .9rem var(--mono); }
        blockquote { margin: .5rem 0; padding-left: .8rem; border-left: 2px solid var(--bad); font-style: italic; }
        .card ul { margin: .2rem 0; padding-left: 1.2rem; font: .86rem/1.55 var(--mono); }
        .notes { margin: 0 0 1rem; padding: .6rem 1rem .6rem 2rem; background: var(--card); border: 1px solid var(--line);
          border-radius: .5rem; overflow-wrap: anywhere; }
        .pages > input { position: absolute; opacity: 0; }
        .pages > label { display: inline-block; padding: .3rem .9rem; border: 1px solid transparent; border-bottom: 0;
          border-radius: .5rem .5rem 0 0; color: var(--soft); cursor: pointer; }
        .pages > input:checked + label { background: var(--card); border-color: var(--line); color: var(--ink);
          font-weight: 600; }
        .pages > input:only-of-type + label { cursor: default; }
        .pages figure { display: none; margin: 0; border: 1px solid var(--line); border-radius: 0 .6rem .6rem .6rem;
          overflow: hidden; background: var(--card); }
        .pages > input:nth-of-type(1):checked ~ figure:nth-of-type(1),
        .pages > input:nth-of-type(2):checked ~ figure:nth-of-type(2) { display: block; }
        figcaption { display: flex; flex-wrap: wrap; gap: .2rem .7rem; align-items: baseline; padding: .5rem .9rem;
          border-bottom: 1px solid var(--line); font-size: .9rem; } figcaption code { color: var(--soft); }
        iframe { display: block; width: 100%; height: 30rem; border: 0; background: #fff; color-scheme: light; }
        .status { font: 600 .8rem var(--mono); border-radius: .3rem; padding: .05rem .4rem; color: var(--good);
          background: var(--goodpaper); }
        .status.s3 { color: var(--accent); background: var(--hover); }
        .status.s4, .status.s5 { color: var(--bad); background: var(--badpaper); }
        .exchange { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin-bottom: .45rem; }
        summary { padding: .45rem .9rem; cursor: pointer; } summary b { font: 600 .85rem var(--mono); }
        summary .quiet { margin: 0 0 0 .3rem; }
        table { width: 100%; border-collapse: collapse; font-size: .88rem; table-layout: fixed; }
        .exchange table { border-top: 1px solid var(--line); }
        section > table { background: var(--card); border: 1px solid var(--line); margin-bottom: 1rem; }
        .exchange pre { margin: 0; padding: .6rem .9rem; border-top: 1px solid var(--line); overflow: auto; max-height: 28rem;
          font: .82rem/1.5 var(--mono); }
        caption { text-align: left; font-weight: 600; padding: .55rem .9rem .25rem; }
        th, td { text-align: left; vertical-align: top; padding: .13rem .9rem; overflow-wrap: anywhere; }
        th { width: 13rem; font-weight: 400; color: var(--soft); } td { font-family: var(--mono); font-size: .84rem; }
        tr:last-child > * { padding-bottom: .55rem; }
        @media (max-width: 52rem) { body { height: auto; } .columns { display: block; }
          nav { border-right: 0; border-bottom: 1px solid var(--line); max-height: 45vh; } main { padding: 1rem; }
          th { width: 8rem; } }
        """

    /// Marks the step that is shown, moves with the arrow keys, and brings what was matched into sight.
    static let script = """
        const links = [...document.querySelectorAll('nav a')];
        const shown = () => (/^#step-\\d+$/.test(location.hash) && document.querySelector(location.hash))
          || document.querySelector('section.first');
        const fit = frame => {
          const page = frame.contentDocument;
          if (!page || !page.body) return;
          const height = Math.max(page.documentElement.scrollHeight, page.body.scrollHeight);
          if (height) frame.style.height = Math.min(Math.max(height, 160), 760) + 'px';
          const match = page.querySelector('[data-countersign-match]');
          if (match) page.defaultView.scrollTo(0, match.getBoundingClientRect().top - 120);
        };
        const mark = () => {
          const section = shown();
          if (!section) return;
          for (const link of links) link.classList.toggle('here', link.hash === '#' + section.id);
          document.querySelector('nav a.here')?.scrollIntoView({ block: 'nearest' });
          for (const frame of section.querySelectorAll('iframe')) {
            frame.addEventListener('load', () => fit(frame));
            requestAnimationFrame(() => fit(frame));
          }
        };
        addEventListener('hashchange', () => { mark(); document.querySelector('main').scrollTop = 0; });
        addEventListener('change', mark);
        addEventListener('keydown', event => {
          const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
          if (!step || event.target.closest('summary, input')) return;
          const next = links[links.findIndex(link => link.classList.contains('here')) + step];
          if (next) { location.hash = next.hash; next.focus({ preventScroll: true }); event.preventDefault(); }
        });
        mark();
        """
}
