#include "CBareTree.h"

#include <gumbo.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>
#include <stdlib.h>

static xmlNodePtr converted(xmlDocPtr document, const GumboNode *node) {
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE || node->type == GUMBO_NODE_CDATA) {
        return xmlNewDocText(document, (const xmlChar *)node->v.text.text);
    }
    if (node->type != GUMBO_NODE_ELEMENT && node->type != GUMBO_NODE_TEMPLATE) return NULL;
    const GumboElement *element = &node->v.element;
    xmlNodePtr made = xmlNewDocNode(document, NULL, (const xmlChar *)gumbo_normalized_tagname(element->tag), NULL);
    for (unsigned index = 0; index < element->attributes.length; index++) {
        const GumboAttribute *attribute = element->attributes.data[index];
        xmlNewProp(made, (const xmlChar *)attribute->name, (const xmlChar *)attribute->value);
    }
    for (unsigned index = 0; index < element->children.length; index++) {
        xmlNodePtr child = converted(document, element->children.data[index]);
        if (child == NULL) continue;
        child->parent = made;
        child->prev = made->last;
        if (made->last != NULL) {
            made->last->next = child;
        } else {
            made->children = child;
        }
        made->last = child;
    }
    return made;
}

bare_tree *bare_tree_parse(const char *text, size_t length) {
    GumboOptions options = kGumboDefaultOptions;
    options.max_errors = 0;
    GumboOutput *output = gumbo_parse_with_options(&options, text, length);
    xmlDocPtr document = xmlNewDoc((const xmlChar *)"1.0");
    xmlDocSetRootElement(document, converted(document, output->root));
    gumbo_destroy_output(&options, output);
    return (bare_tree *)document;
}

void bare_tree_free(bare_tree *tree) { xmlFreeDoc((xmlDocPtr)tree); }

long bare_tree_count(bare_tree *tree, const char *xpath) {
    xmlXPathContextPtr context = xmlXPathNewContext((xmlDocPtr)tree);
    xmlXPathObjectPtr result = xmlXPathEvalExpression((const xmlChar *)xpath, context);
    long count = -1;
    if (result != NULL && result->type == XPATH_NODESET) {
        count = result->nodesetval == NULL ? 0 : result->nodesetval->nodeNr;
    }
    xmlXPathFreeObject(result);
    xmlXPathFreeContext(context);
    return count;
}
