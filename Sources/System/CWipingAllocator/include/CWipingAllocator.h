#pragma once

// Overwrites every piece of heap memory when it is released.
//
// A password passes through buffers that this project does not own: the web server's, libcurl's, OpenSSL's, and the
// strings of the standard library. Each of them is released soon, but keeps its bytes until the memory is used again.
// A program that links this target gets its own free() and realloc(), which take the place of the C library's in all
// of the process's libraries (glibc manual, "Replacing malloc").
//
// On other systems than Linux with glibc, and under a sanitizer (which brings an allocator of its own), the target
// changes nothing.
