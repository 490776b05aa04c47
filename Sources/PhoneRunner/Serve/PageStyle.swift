/// The stylesheet: one column for a telephone, light and dark by the system's choice.
enum PageStyle {
    static let text = """
        :root { color-scheme: light dark; --ink: #1a1d21; --soft: #5b6470; --paper: #f4f5f7; --card: #ffffff;
          --line: #d5d9df; --accent: #0b5cad; --on-accent: #ffffff; --bad: #a3161b; --good: #17663a; }
        @media (prefers-color-scheme: dark) { :root { --ink: #eceff3; --soft: #a5afbc; --paper: #121417; --card: #1c2025;
          --line: #353c45; --accent: #7cb8f5; --on-accent: #0c1620; --bad: #ff9a94; --good: #7fd6a0; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
        header, main { max-width: 44rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
        header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; }
        nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; }
        nav form { margin: 0; }
        a { color: var(--accent); }
        .brand { font-weight: 700; text-decoration: none; color: var(--ink); }
        h1 { font-size: 1.5rem; margin: .5rem 0 1rem; }
        h2 { font-size: 1.15rem; margin: 0 0 .5rem; }
        .card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem; margin: 0 0 1rem; }
        .slots { list-style: none; padding: 0; }
        dl { margin: 0 0 1rem; }
        dl div { display: flex; justify-content: space-between; gap: 1rem; padding: .3rem 0; border-bottom: 1px solid var(--line); }
        dt { color: var(--soft); }
        dd { margin: 0; text-align: right; }
        label { display: block; margin: .75rem 0 .25rem; }
        input, select { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; color: inherit;
          background: var(--paper); border: 1px solid var(--soft); border-radius: .5rem; }
        button { width: 100%; min-height: 2.75rem; margin-top: .75rem; padding: .5rem 1rem; font: inherit; font-weight: 600;
          color: var(--accent); background: transparent; border: 1px solid var(--accent); border-radius: .5rem; cursor: pointer; }
        button.main { color: var(--on-accent); background: var(--accent); }
        button.deny { color: var(--bad); border-color: var(--bad); }
        button.quiet { width: auto; min-height: 2rem; margin: 0; border: 0; padding: 0; text-decoration: underline; font-weight: 400; }
        button:disabled { opacity: .55; cursor: progress; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        details { margin-top: .75rem; }
        summary { cursor: pointer; min-height: 2rem; }
        progress { width: 100%; height: 1rem; accent-color: var(--accent); }
        .steps { color: var(--soft); padding-left: 1.5rem; margin: .5rem 0 0; }
        .notice { border-left: 4px solid var(--bad); padding: .5rem .75rem; background: var(--card); }
        .small, .empty, .or { color: var(--soft); font-size: .9rem; }
        .refused { border-color: var(--bad); }
        .question { border: 2px solid var(--accent); }
        .question img { max-width: 100%; background: #ffffff; padding: .5rem; border-radius: .5rem; }
        .state { font-weight: 600; }
        .state.COMPLETED { color: var(--good); }
        .state.FAILED, .state.DENIED, .state.EXPIRED, .state.error, .state.critical { color: var(--bad); }
        table { width: 100%; border-collapse: collapse; font-size: .9rem; }
        th, td { text-align: left; vertical-align: top; padding: .4rem .5rem .4rem 0; border-bottom: 1px solid var(--line); }
        .details { overflow-wrap: anywhere; }
        .filter { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1rem; }
        .filter button { grid-column: 1 / -1; }
        @media (prefers-reduced-motion: no-preference) { progress { transition: all .2s; } }
        """
}
