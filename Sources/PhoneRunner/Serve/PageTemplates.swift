import Mustache

/// The pages, in Mustache. Every value is escaped, and only a rendered body is not; nothing is inline, for the content security policy allows nothing.
enum PageTemplates {
    static let library: MustacheLibrary = {
        var library = MustacheLibrary()
        for (name, text) in [
            ("page", page), ("signIn", signIn), ("home", home), ("request", request), ("card", card), ("run", run),
            ("question", question), ("history", history), ("audit", audit), ("passkeys", passkeys),
            ("message", message),
        ] {
            // The texts are constants of this file; a test renders each of them.
            guard let template = try? MustacheTemplate(string: text) else { continue }
            library.register(template, named: name)
        }
        return library
    }()

    static let page = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{title}} – Countersign</title>
        <link rel="stylesheet" href="/style.css">
        <script src="/page.js" defer></script>
        </head>
        <body{{#csrf}} data-csrf="{{csrf}}"{{/csrf}}>
        <header>
        <a class="brand" href="/">Countersign</a>
        {{#csrf}}
        <nav aria-label="Pages">
        <a href="/history">History</a> <a href="/audit">Audit</a> <a href="/passkeys">Passkeys</a>
        <form method="post" action="/sign-out"><input type="hidden" name="csrf" value="{{csrf}}"><button class="quiet">Sign out</button></form>
        </nav>
        {{/csrf}}
        </header>
        <main id="main"{{#live}} data-live{{/live}}>
        {{#notice}}<p class="notice" role="alert">{{notice}}</p>{{/notice}}
        {{{content}}}
        </main>
        </body>
        </html>
        """

    static let signIn = """
        <h1>Unlock</h1>
        <p>This phone is locked. Unlock it to see what is asked of you.</p>
        {{#hasPasskeys}}<button class="main" type="button" data-passkey="sign-in">Unlock with Face ID or passkey</button>
        <p class="or">or</p>{{/hasPasskeys}}
        <form method="post" action="/sign-in">
        <label for="passphrase">Passphrase</label>
        <input id="passphrase" name="passphrase" type="password" autocomplete="current-password" required>
        <button>Unlock with passphrase</button>
        </form>
        <p id="passkey-status" role="status" aria-live="polite"></p>
        """

    static let home = """
        <h1>Requests</h1>
        {{#trouble}}<p class="notice" role="alert">{{trouble}}</p>{{/trouble}}
        {{#question}}{{>question}}{{/question}}
        {{#run}}{{>run}}{{/run}}
        {{#pending}}{{>card}}{{/pending}}
        {{^pending}}<p class="empty">Nothing waits for you.</p>{{/pending}}
        {{#refused}}<section class="card refused"><h2>Refused</h2><p>{{message}}</p>
        <p class="small">{{id}} · {{time}}</p></section>{{/refused}}
        {{#recent}}<section class="card done"><h2>{{title}}</h2><p><span class="state {{state}}">{{status}}</span> {{detail}}</p>
        {{#statement}}<p><a href="{{statement}}">View the statement</a></p>{{/statement}}
        <p class="small">{{short}} · {{time}}</p></section>{{/recent}}
        """

    static let card = """
        <section class="card" aria-labelledby="t-{{short}}">
        <h2 id="t-{{short}}">{{bank}}</h2>
        <dl>
        <div><dt>Request</dt><dd>{{type}}</dd></div>
        <div><dt>Period</dt><dd>{{period}}</dd></div>
        <div><dt>Id</dt><dd><code>{{short}}</code></dd></div>
        <div><dt>Script</dt><dd><code>{{scriptShort}}</code></dd></div>
        {{#token}}<div><dt>Code</dt><dd>{{token}}</dd></div>{{/token}}
        <div><dt>Time left</dt><dd><time data-expires="{{expires}}" role="timer">{{left}}</time></dd></div>
        {{#needed}}<div><dt>Needs</dt><dd>{{needed}}</dd></div>{{/needed}}
        {{#reasons}}<div><dt>Because</dt><dd>{{.}}</dd></div>{{/reasons}}
        </dl>
        {{#waiting}}<p class="notice" role="status">{{waiting}}</p>{{/waiting}}
        {{#both}}<label for="p-{{short}}">Passphrase, and then the passkey</label>
        <input id="p-{{short}}" name="passphrase" type="password" autocomplete="current-password" required>
        <button class="main" type="button" data-passkey="approve" data-id="{{id}}" data-script="{{script}}" data-both="p-{{short}}">Approve with both</button>{{/both}}
        {{#byPasskey}}<button class="main" type="button" data-passkey="approve" data-id="{{id}}" data-script="{{script}}">Approve with Face ID or passkey</button>{{/byPasskey}}
        {{#lacksPasskey}}<p class="notice">A passkey is needed, and this phone has none yet: <a href="/passkeys">add one</a>.</p>{{/lacksPasskey}}
        {{#byPassphrase}}<details{{^hasPasskeys}} open{{/hasPasskeys}}>
        <summary>Approve with the passphrase</summary>
        <form method="post" action="/requests/{{id}}/approve">
        <input type="hidden" name="csrf" value="{{csrf}}"><input type="hidden" name="script" value="{{script}}">
        <label for="p-{{short}}">Passphrase</label>
        <input id="p-{{short}}" name="passphrase" type="password" autocomplete="current-password" required>
        <button>Approve</button>
        </form>
        </details>{{/byPassphrase}}
        <form method="post" action="/requests/{{id}}/deny">
        <input type="hidden" name="csrf" value="{{csrf}}"><button class="deny">Deny</button>
        </form>
        </section>
        <p id="passkey-status" role="status" aria-live="polite"></p>
        """

    static let request = "{{>card}}"

    static let run = """
        <section class="card running" aria-live="polite">
        <h2>Fetching <code>{{short}}</code></h2>
        <progress max="100" value="{{percent}}" aria-label="Progress">{{percent}} %</progress>
        <p>{{words}}</p>
        <ol class="steps">{{#done}}<li>{{.}}</li>{{/done}}</ol>
        </section>
        """

    static let question = """
        <section class="card question" role="alertdialog" aria-labelledby="question-title" data-question="{{id}}">
        <h2 id="question-title">{{bank}} asks</h2>
        <p>{{text}}</p>
        {{#picture}}<img src="{{picture}}" alt="A picture from the bank that shows the code">{{/picture}}
        {{#code}}<form method="post" action="/questions/{{id}}">
        <input type="hidden" name="csrf" value="{{csrf}}">
        <label for="answer">Code</label>
        <input id="answer" name="answer" autocomplete="one-time-code" inputmode="text" autocapitalize="off" spellcheck="false" required>
        <button class="main">Send</button></form>{{/code}}
        {{#choices}}<form method="post" action="/questions/{{id}}">
        <input type="hidden" name="csrf" value="{{csrf}}"><button name="answer" value="{{choice}}">{{choice}}</button></form>{{/choices}}
        {{#elsewhere}}<p>Confirm in your bank’s own app. This page goes on by itself.</p>{{/elsewhere}}
        <p class="small">Time left: <time data-expires="{{expires}}" role="timer">{{left}}</time></p>
        </section>
        """

    static let history = """
        <h1>History</h1>
        <table><thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">How it ended</th></tr></thead>
        <tbody>{{#rows}}<tr><td>{{time}}</td><td>{{title}}<br><code>{{short}}</code></td>
        <td><span class="state {{state}}">{{status}}</span> {{detail}}{{#statement}} <a href="{{statement}}">View</a>{{/statement}}</td></tr>{{/rows}}</tbody></table>
        {{^rows}}<p class="empty">Nothing yet.</p>{{/rows}}
        """

    static let audit = """
        <h1>Audit log</h1>
        <p>{{verification}}</p>
        <form method="get" action="/audit" class="filter">
        <label for="severity">At least</label>
        <select id="severity" name="severity">{{#severities}}<option{{#selected}} selected{{/selected}}>{{name}}</option>{{/severities}}</select>
        <label for="type">Kind</label><input id="type" name="type" value="{{type}}" placeholder="request">
        <button>Show</button>
        </form>
        <p><a href="/audit/export?format=csv">Export as CSV</a> · <a href="/audit/export?format=jsonl">Export as JSON lines</a></p>
        <table><thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Details</th></tr></thead>
        <tbody>{{#rows}}<tr><td>{{time}}</td><td><span class="state {{severity}}">{{severity}}</span> {{type}}</td>
        <td class="details">{{details}}</td></tr>{{/rows}}</tbody></table>
        """

    static let passkeys = """
        <h1>Ways into the vault</h1>
        <ul class="slots">{{#slots}}<li class="card"><h2>{{name}}</h2><p class="small">{{kind}} · added {{time}}{{#used}} · last used {{used}}{{/used}}</p>
        <details><summary>Rename</summary>
        <form method="post" action="/passkeys/{{id}}/rename">
        <input type="hidden" name="csrf" value="{{csrf}}">
        <label for="n-{{id}}">New name</label>
        <input id="n-{{id}}" name="name" maxlength="40" required value="{{name}}">
        <button>Rename {{name}}</button></form></details>
        {{#removable}}<form method="post" action="/passkeys/{{id}}/remove">
        <input type="hidden" name="csrf" value="{{csrf}}">
        <label for="r-{{id}}">Passphrase, to remove it</label>
        <input id="r-{{id}}" name="passphrase" type="password" autocomplete="current-password" required>
        <button class="deny">Remove {{name}}</button></form>{{/removable}}</li>{{/slots}}</ul>
        <section class="card"><h2>Add a passkey</h2>
        <p>Face ID, a fingerprint or a security key that can unlock this vault (PRF extension).</p>
        <form id="add-passkey">
        <label for="name">Name</label><input id="name" name="name" maxlength="40" required placeholder="My telephone">
        <label for="open">Passphrase, to open the vault once</label>
        <input id="open" name="passphrase" type="password" autocomplete="current-password" required>
        <button class="main">Add passkey</button></form>
        <p id="passkey-status" role="status" aria-live="polite"></p></section>
        """

    static let message = """
        <h1>{{title}}</h1>
        <p>{{text}}</p>
        <p><a href="/">Back to the requests</a></p>
        """
}
