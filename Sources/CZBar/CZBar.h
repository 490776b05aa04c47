#ifndef COUNTERSIGN_CZBAR_H
#define COUNTERSIGN_CZBAR_H

#include <zbar.h>

#endif
