#ifndef BARE_TREE_H
#define BARE_TREE_H

#include <stddef.h>

/// A page of UTF-8 parsed with Gumbo and held by libxml2, as little around it as can be.
typedef struct bare_tree bare_tree;

bare_tree *bare_tree_parse(const char *text, size_t length);
void bare_tree_free(bare_tree *tree);

/// How many nodes an XPath finds; -1 when it cannot be evaluated.
long bare_tree_count(bare_tree *tree, const char *xpath);

#endif
