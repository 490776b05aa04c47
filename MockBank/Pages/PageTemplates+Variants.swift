extension PageTemplates {
    /// Other ways to draw what the bank shows.
    static let variants: [String: String] = ["cards": cards, "maker": maker, "app": app]

    private static let cards = """
        {{> head}}
        <h1>Your documents</h1>
        <nav class="pages" aria-label="Years">
        {{#years}}<a href="/statements?account={{accountID}}&amp;year={{year}}">{{year}}</a> {{/years}}
        </nav>
        <section class="cards">
        {{#months}}
        <article class="card"><h2>{{short}}</h2><p>Account statement</p><a class="button" href="{{link}}">Get document</a></article>
        {{/months}}
        </section>
        <nav class="pages" aria-label="Pages">
        {{#previous}}<a href="{{previous}}" rel="prev">Newer</a>{{/previous}}
        {{#next}}<a href="{{next}}" rel="next">Older</a>{{/next}}
        </nav>
        {{> foot}}
        """

    private static let maker = """
        {{> head}}
        <h1>Make a statement</h1>
        <section class="card narrow">
        <form method="post" action="/statements/make">
        <input type="hidden" name="_csrf" value="{{csrf}}">
        <input type="hidden" name="account" value="{{accountID}}">
        <label for="month">Month</label>
        <select id="month" name="month">
        {{#names}}<option value="{{number}}">{{name}}</option>{{/names}}
        </select>
        <label for="year">Year</label>
        <select id="year" name="year">
        {{#years}}<option>{{year}}</option>{{/years}}
        </select>
        <button name="format" value="pdf">Create PDF</button>
        </form>
        </section>
        {{> foot}}
        """

    private static let app = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{{title}} – Meridian Savings</title>
        <style>{{{style}}}</style>
        </head>
        <body>
        <div id="app"></div>
        <noscript>Please switch JavaScript on to use Meridian online banking.</noscript>
        <script src="/app.js"></script>
        </body>
        </html>

        """
}
