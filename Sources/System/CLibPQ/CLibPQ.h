#ifndef COUNTERSIGN_CLIBPQ_H
#define COUNTERSIGN_CLIBPQ_H

#include <libpq-fe.h>

#endif
