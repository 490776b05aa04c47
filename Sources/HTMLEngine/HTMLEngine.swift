// HTMLEngine: a browser without a screen.
