#ifndef COUNTERSIGN_CTURBOJPEG_H
#define COUNTERSIGN_CTURBOJPEG_H

#include <turbojpeg.h>

#endif
