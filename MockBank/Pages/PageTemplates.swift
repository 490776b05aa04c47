/// The bank's pages as Mustache templates. They stand in the program, so that it can be moved as one file.
enum PageTemplates {
    static let all: [String: String] = [
        "head": head, "foot": foot, "welcome": welcome, "login": login, "code": code, "accounts": accounts,
        "statements": statements, "goodbye": goodbye, "notFound": notFound,
    ]

    private static let head = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{{title}} – Meridian Savings</title>
        <style>{{{style}}}</style>
        </head>
        <body>
        <header class="bar">
        <a class="brand" href="/"><span class="mark" aria-hidden="true">◐</span> Meridian Savings</a>
        {{#signedIn}}
        <nav aria-label="Online banking">
        <a href="/accounts">Accounts</a>
        <a href="/statements">{{statementsLink}}</a>
        <form method="post" action="/logout"><input type="hidden" name="_csrf" value="{{csrf}}"><button class="plain">Sign out</button></form>
        </nav>
        {{/signedIn}}
        </header>
        <main>

        """

    private static let foot = """

        </main>
        <footer>Meridian Savings is a fictional bank for testing. Nothing here is real.</footer>
        </body>
        </html>

        """

    private static let welcome = """
        {{> head}}
        <section class="card hero">
        <h1>Saving, calmly.</h1>
        <p>Meridian Savings has looked after its customers’ money since 1874.</p>
        <p><a class="button" href="/login">Online banking</a></p>
        </section>
        {{> foot}}
        """

    private static let login = """
        {{> head}}
        <section class="card narrow">
        <h1>Sign in to online banking</h1>
        {{#error}}<p class="notice notice--error" role="alert">{{error}}</p>{{/error}}
        <form method="post" action="/login">
        <input type="hidden" name="_csrf" value="{{csrf}}">
        <label for="username">Username</label>
        <input id="username" name="username" autocomplete="username" required autofocus>
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required>
        <button>Sign in</button>
        </form>
        </section>
        {{> foot}}
        """

    private static let code = """
        {{> head}}
        <section class="card narrow">
        <h1>Enter your one-time code</h1>
        {{#error}}<p class="notice notice--error" role="alert">{{error}}</p>{{/error}}
        {{#picture}}<p>Type the six digits that you see.</p><p><img id="challenge" src="{{picture}}" alt="Six digits" width="240" height="80"></p>{{/picture}}
        {{^picture}}<p>We have sent a six-digit code to the phone ending in 42.</p>{{/picture}}
        <form method="post" action="/code">
        <input type="hidden" name="_csrf" value="{{csrf}}">
        <label for="code">One-time code</label>
        <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="{{length}}" required autofocus>
        <button>Continue</button>
        </form>
        </section>
        {{> foot}}
        """

    private static let accounts = """
        {{> head}}
        <h1>Your accounts</h1>
        <section class="card">
        <table>
        <caption>Balances at the end of last month</caption>
        <thead><tr><th scope="col">Account</th><th scope="col">Number</th><th scope="col" class="amount">Balance</th></tr></thead>
        <tbody>
        {{#accounts}}
        <tr><td>{{name}}</td><td>{{number}}</td><td class="amount">£{{balance}}</td></tr>
        {{/accounts}}
        </tbody>
        </table>
        </section>
        {{> foot}}
        """

    private static let statements = """
        {{> head}}
        <h1>Statements</h1>
        <section class="card">
        <form class="filter" method="get" action="/statements">
        <span><label for="account">Account</label>
        <select id="account" name="account">
        {{#accounts}}<option value="{{id}}"{{#selected}} selected{{/selected}}>{{name}}</option>{{/accounts}}
        </select></span>
        <span><label for="year">Year</label>
        <select id="year" name="year">
        {{#years}}<option{{#selected}} selected{{/selected}}>{{year}}</option>{{/years}}
        </select></span>
        <button>Show</button>
        </form>
        <table>
        <caption>{{account}}, {{year}}</caption>
        <thead><tr><th scope="col">Statement</th><th scope="col">Days</th><th scope="col">Document</th></tr></thead>
        <tbody>
        {{#months}}
        <tr><td>{{name}}</td><td>{{days}}</td><td>{{#link}}<a href="{{link}}">PDF</a>{{/link}}{{#order}}<form method="post" action="{{path}}"><input type="hidden" name="_csrf" value="{{csrf}}"><input type="hidden" name="back" value="{{back}}"><button>Request</button></form>{{/order}}{{#underway}}<span>Being prepared…</span>{{/underway}}{{#document}}<button type="button" data-document="{{document}}">PDF</button>{{/document}}</td></tr>
        {{/months}}
        </tbody>
        </table>
        {{#needsScript}}
        <script>
        document.addEventListener("click", async (event) => {
          const id = event.target.dataset?.document;
          if (!id) return;
          const answer = await fetch("/api/documents", {
            method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ id }),
          });
          location.href = (await answer.json()).href;
        });
        </script>
        {{/needsScript}}
        <nav class="pages" aria-label="Pages">
        {{#previous}}<a href="{{previous}}" rel="prev">Previous</a>{{/previous}}
        <span>Page {{page}} of {{pageCount}}</span>
        {{#next}}<a href="{{next}}" rel="next">Next</a>{{/next}}
        </nav>
        </section>
        {{> foot}}
        """

    private static let goodbye = """
        {{> head}}
        <section class="card narrow">
        <h1>You are signed out</h1>
        <p>Thank you for your visit. <a href="/login">Sign in again</a></p>
        </section>
        {{> foot}}
        """

    private static let notFound = """
        {{> head}}
        <section class="card narrow">
        <h1>Page not found</h1>
        <p>There is nothing here. <a href="/">Back to Meridian Savings</a></p>
        </section>
        {{> foot}}
        """

    static let style = """
        :root { color-scheme: light dark; --ink: #15252d; --paper: #f3f6f7; --card: #fff; --line: #d5dde1;
          --brand: #123d54; --link: #0b5c85; --bad: #9d1c1c; --badpaper: #fdecec; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6eef1; --paper: #10191e; --card: #18242b;
          --line: #2e3d45; --brand: #0d2f42; --link: #7cc4ea; --bad: #ffb4b4; --badpaper: #421d1f; } }
        * { box-sizing: border-box; }
        body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
          min-height: 100vh; display: flex; flex-direction: column; }
        .bar { background: var(--brand); color: #fff; padding: .7rem 1.2rem; display: flex; flex-wrap: wrap;
          gap: .3rem 1.5rem; align-items: center; justify-content: space-between; }
        .bar a, .bar button { color: #fff; text-decoration: none; }
        .brand { font-weight: 700; font-size: 1.15rem; }
        .bar nav { display: flex; gap: 1.2rem; align-items: center; }
        .bar form { margin: 0; }
        main { width: 100%; max-width: 52rem; margin: 0 auto; padding: 1.5rem 1.2rem; flex: 1; }
        h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
        .card { background: var(--card); border: 1px solid var(--line); border-radius: .7rem; padding: 1.5rem; }
        .narrow { max-width: 25rem; margin: 0 auto; }
        .hero { text-align: center; padding: 4rem 1.5rem; }
        label { display: block; font-weight: 600; margin: .9rem 0 .25rem; }
        input, select { width: 100%; font: inherit; padding: .55rem .7rem; border: 1px solid var(--line);
          border-radius: .4rem; background: var(--paper); color: inherit; }
        button, .button { font: inherit; font-weight: 600; padding: .6rem 1.3rem; border: 0; border-radius: .4rem;
          background: var(--link); color: var(--card); cursor: pointer; text-decoration: none; display: inline-block; }
        .narrow button { width: 100%; margin-top: 1.3rem; }
        button.plain { background: none; padding: 0; font-weight: 400; }
        a { color: var(--link); }
        :focus-visible { outline: 3px solid #e59a1c; outline-offset: 2px; }
        .notice { border-left: .3rem solid; padding: .6rem .9rem; border-radius: .3rem; margin: 0 0 1rem; }
        .notice--error { color: var(--bad); background: var(--badpaper); }
        .filter { display: flex; flex-wrap: wrap; gap: .8rem; align-items: end; margin-bottom: 1.2rem; }
        .filter label { margin-top: 0; } .filter span { flex: 1 1 9rem; }
        table { width: 100%; border-collapse: collapse; }
        caption { text-align: left; color: inherit; opacity: .75; padding-bottom: .5rem; }
        th, td { text-align: left; padding: .6rem .4rem; border-bottom: 1px solid var(--line); }
        .amount { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); gap: 1rem; }
        .cards h2 { font-size: 1.1rem; margin: 0; }
        .list { list-style: none; padding: 0; }
        .list li { display: flex; justify-content: space-between; align-items: center; }
        .list button { width: auto; margin: .2rem 0; }
        .kicker { text-transform: uppercase; letter-spacing: .1em; font-size: .8rem; opacity: .75; }
        .box { width: auto; } .inline { display: inline; }
        .pages { display: flex; justify-content: center; gap: 1.2rem; padding-top: 1rem; }
        footer { text-align: center; font-size: .85rem; opacity: .7; padding: 1.2rem; }
        """
}
