#ifndef COUNTERSIGN_CQRENCODE_H
#define COUNTERSIGN_CQRENCODE_H

#include <qrencode.h>

#endif
