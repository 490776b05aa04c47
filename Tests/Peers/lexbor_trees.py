"""Reads pages, one JSON string per line, and writes the trees that Lexbor builds: JSON arrays of lines."""

import json
import sys

from selectolax.lexbor import LexborHTMLParser

for line in sys.stdin:
    lines = []
    work = [(LexborHTMLParser(json.loads(line)).root, 0)]
    while work:
        node, depth = work.pop()
        if node.is_text_node:
            lines.append(f'{depth} "{node.text_content}"')
        elif node.is_element_node:
            lines.append(f"{depth} <{node.tag.lower()}>")
            attributes = node.attributes
            lines.extend(sorted(f'{depth + 1} {name.lower()}="{attributes[name] or ""}"' for name in attributes))
            work.extend((child, depth + 1) for child in reversed(list(node.iter(include_text=True))))
    print(json.dumps(lines))
