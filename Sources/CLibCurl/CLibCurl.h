#ifndef COUNTERSIGN_CLIBCURL_H
#define COUNTERSIGN_CLIBCURL_H

#include <curl/curl.h>

#endif
