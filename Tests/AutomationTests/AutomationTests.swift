// Tests of Automation.
