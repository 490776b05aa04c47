#ifndef COUNTERSIGN_CLIBXML2_H
#define COUNTERSIGN_CLIBXML2_H

// libxml2's headers include ICU's, whose declarations clash with those in Foundation.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <libxml/xmlerror.h>

// The name that libxml2 gives to every text node.
static inline const xmlChar *countersign_xml_name_of_texts(void) { return xmlStringText; }

#endif
