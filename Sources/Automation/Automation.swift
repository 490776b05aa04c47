// Automation: the interpreter.
