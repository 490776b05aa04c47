extension PageTemplates {
    /// Pages that come where another one was expected.
    static let betweenPages: [String: String] = [
        "maintenance": maintenance, "serverError": serverError, "locked": locked, "cookiesNeeded": cookiesNeeded,
        "confirmation": confirmation, "newPassword": newPassword, "terms": terms, "question": question,
        "offer": offer, "documentUnavailable": documentUnavailable, "method": method, "challenge": challenge,
    ]

    private static let maintenance = """
        {{> head}}
        <section class="card narrow">
        <h1>Online banking is being improved</h1>
        <p>We are carrying out planned maintenance until 06:00 tomorrow. Cards and cash machines work as usual.</p>
        <p>Thank you for your patience.</p>
        </section>
        {{> foot}}
        """

    private static let serverError = """
        {{> head}}
        <section class="card narrow">
        <h1>Sorry, something went wrong</h1>
        <p>We could not show this page. Please try again in a moment. Reference: MS-500-0417.</p>
        </section>
        {{> foot}}
        """

    private static let locked = """
        {{> head}}
        <section class="card narrow">
        <h1>Your account is locked</h1>
        <p class="notice notice--error" role="alert">For your security, online access has been locked after several attempts. Please call us on 0800 555 0117.</p>
        <p><a href="/">Back to Meridian Savings</a></p>
        </section>
        {{> foot}}
        """

    private static let cookiesNeeded = """
        {{> head}}
        <section class="card narrow">
        <h1>Please allow cookies</h1>
        <p>Online banking needs cookies to keep you signed in. <a href="/login">Try again</a></p>
        </section>
        {{> foot}}
        """

    private static let confirmation = """
        {{> head}}
        <section class="card narrow">
        <h1>Approve this sign-in in the Meridian app</h1>
        <meta http-equiv="refresh" content="3">
        <p role="status">We have sent a message to the phone ending in 42. This page goes on by itself once you have approved.</p>
        <p><a href="/login">Start again</a></p>
        </section>
        {{> foot}}
        """

    private static let newPassword = """
        {{> head}}
        <section class="card narrow">
        <h1>Please choose a new password</h1>
        {{#error}}<p class="notice notice--error" role="alert">{{error}}</p>{{/error}}
        <p>Your password is older than 180 days and has expired.</p>
        <form method="post" action="/new-password">
        <input type="hidden" name="_csrf" value="{{csrf}}">
        <label for="new">New password, at least 10 characters</label>
        <input id="new" name="new" type="password" autocomplete="new-password" minlength="10" required>
        <label for="repeated">Repeat it</label>
        <input id="repeated" name="repeated" type="password" autocomplete="new-password" required>
        <button>Change password</button>
        </form>
        </section>
        {{> foot}}
        """

    private static let terms = """
        {{> head}}
        <section class="card">
        <h1>Our terms have changed</h1>
        {{#error}}<p class="notice notice--error" role="alert">{{error}}</p>{{/error}}
        <p>From 1 January, new terms and conditions apply to your accounts. Please read and accept them to go on.</p>
        <details><summary>The terms in short</summary><p>We may close a branch with notice of 12 weeks. Nothing here is real.</p></details>
        <form method="post" action="/terms">
        <input type="hidden" name="_csrf" value="{{csrf}}">
        <p><input class="box" type="checkbox" id="accepted" name="accepted" value="yes"> <label class="inline" for="accepted">I have read the terms and accept them</label></p>
        <button>Accept and go on</button>
        </form>
        </section>
        {{> foot}}
        """

    private static let question = """
        {{> head}}
        <section class="card narrow">
        <h1>One more question, to be sure it is you</h1>
        {{#error}}<p class="notice notice--error" role="alert">{{error}}</p>{{/error}}
        <form method="post" action="/question">
        <input type="hidden" name="_csrf" value="{{csrf}}">
        <label for="answer">In which town did you open your first account with us?</label>
        <input id="answer" name="answer" autocomplete="off" required>
        <button>Continue</button>
        </form>
        </section>
        {{> foot}}
        """

    private static let offer = """
        {{> head}}
        <section class="card hero">
        <p class="kicker">Only until Sunday</p>
        <h1>4.1 % on your first £5,000</h1>
        <p>Open a Harvest Saver with two clicks, and let your money do the gardening.</p>
        <p><a class="button" href="/">Tell me more</a></p>
        <p><a href="/accounts">No, thank you</a></p>
        </section>
        {{> foot}}
        """

    private static let documentUnavailable = """
        {{> head}}
        <section class="card narrow">
        <h1>This document cannot be shown just now</h1>
        <p role="alert" class="notice notice--error">Our document archive is busy. Please try again in half an hour.</p>
        <p><a href="/statements">Back to your statements</a></p>
        </section>
        {{> foot}}
        """

    private static let method = """
        {{> head}}
        <section class="card narrow">
        <h1>How shall we send your code?</h1>
        {{#error}}<p class="notice notice--error" role="alert">{{error}}</p>{{/error}}
        <form method="post" action="/method">
        <input type="hidden" name="_csrf" value="{{csrf}}">
        <p class="methods"><input class="box" type="radio" id="message" name="method" value="message"> <label class="inline" for="message">Text message to the phone ending in 42</label></p>
        <p class="methods"><input class="box" type="radio" id="call" name="method" value="call"> <label class="inline" for="call">Call to the phone ending in 42</label></p>
        <button>Continue</button>
        </form>
        </section>
        {{> foot}}
        """

    /// Digits on a restless ground.
    private static let challenge = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 80" width="240" height="80" role="img" aria-label="Six digits">
        <rect width="240" height="80" fill="#e6eef1"/>
        <path d="M0 60 Q 40 10 80 50 T 160 40 T 240 20" stroke="#7a98a6" stroke-width="6" fill="none"/>
        <text x="120" y="52" text-anchor="middle" font-family="monospace" font-size="38" letter-spacing="6" transform="rotate(-4 120 40)" fill="#123d54">{{code}}</text>
        <path d="M0 25 Q 60 70 120 30 T 240 60" stroke="#c58b2b" stroke-width="2" fill="none"/>
        </svg>

        """
}
