"""Prints the functions of a program that a run of it called, in an order for the linker.

    ordering.py PROGRAM CALLS

CALLS is what callgrind wrote of the run, with names that are not demangled. Callers and those whom they call most stand
side by side, and what is called most for its size comes first, so that a run touches few lines of memory and few pages
(Ottoni and Maher, “Optimizing Function Placement for Large-Scale Data-Center Applications”, CGO 2017: C3).
"""

import re
import subprocess
import sys
from collections import Counter

# More than this side by side gains nothing: it is what the kernel maps around each function that runs.
LARGEST = 64 << 10
LINE = re.compile(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?$")


def calls(file, program):
    """How often each function of the program called each other; those that none of them called have None as caller."""
    names = {"ob": {}, "fn": {}}
    place = {"ob": None, "fn": None, "cob": None, "cfn": None}
    result = Counter()
    for line in open(file):
        line = line.rstrip("\n")
        if match := LINE.match(line):
            callee, kind, number, name = match.groups()
            if name is not None:
                names[kind][number] = re.sub(r"'\d+$", "", name) if kind == "fn" else name.rsplit("/", 1)[-1]
            place[callee + kind] = number
            if callee + kind == "fn" and names["ob"][place["ob"]] == program:
                result[None, names["fn"][number]] += 0
        elif line.startswith("calls="):
            caller, called = names["fn"][place["fn"]], names["fn"][place["cfn"]]
            objects = {names["ob"][place["ob"]], names["ob"][place["cob"] or place["ob"]]}
            if objects == {program} and caller != called:
                result[caller, called] += int(line[6:].split()[0])
            place["cob"] = None
    return result


def sizes(program):
    lines = (line.split() for line in subprocess.check_output(["nm", "-S", program], text=True).splitlines())
    return {fields[3]: int(fields[1], 16) for fields in lines if len(fields) == 4}


def main(program, file):
    edges = calls(file, program.rsplit("/", 1)[-1])
    size = sizes(program)
    called, most = Counter(), {}
    for (caller, name), count in sorted(edges.items(), key=lambda edge: (-edge[1], edge[0][0] or "", edge[0][1])):
        if not name.startswith("0x") and (caller is None or not caller.startswith("0x")):
            called[name] += count
            if caller is not None:
                most.setdefault(name, caller)
    density = lambda name: (-called[name] / size.get(name, 16), name)
    cluster = {name: [name] for name in called}
    for name in sorted(called, key=density):
        before, own = cluster.get(most.get(name)), cluster[name]
        if before is None or before is own or own[0] != name:
            continue
        if sum(size.get(other, 16) for other in before + own) <= LARGEST:
            before += own
            for other in own:
                cluster[other] = before
    groups = {id(group): group for group in cluster.values()}.values()
    weight = lambda group: -sum(called[name] for name in group) / sum(size.get(name, 16) for name in group)
    for group in sorted(groups, key=lambda group: (weight(group), group[0])):
        print("\n".join(group))


main(*sys.argv[1:])
