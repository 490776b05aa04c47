#ifndef COUNTERSIGN_CGUMBO_H
#define COUNTERSIGN_CGUMBO_H

#include <gumbo.h>

#endif
