"""Serves the bank of python-fints' own test suite until its standard input ends. Prints its address.

The first argument names a checkout of github.com/raphaelm/python-fints."""
import pathlib
import runpy
import sys
import types

stub = types.ModuleType("pytest")
stub.fixture = lambda *_, **__: lambda function: function
sys.modules["pytest"] = stub
checkout = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(checkout))
output = sys.stdout
sys.stdout = sys.stderr
server = runpy.run_path(str(checkout / "tests/conftest.py"))["fints_server"]()
print(next(server), file=output, flush=True)
sys.stdin.read()
